"""A search log that was uploaded is read as its form says."""

from pathlib import Path

import pytest

from builder.importers.job import import_job, uploads_folder
from builder.people import ensure_person
from builder.workspace import Workspace
from online import OnlineError

MAPPING = '[fields]\ntimestamp = "at"\nquery = "q"\nretrieved_doc_ids = "docs"\n'


def _upload(workspace: Workspace, text: str) -> Path:
    file = uploads_folder(workspace) / "x" / "log.csv"
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_an_uploaded_table_is_read_by_its_mapping(workspace: Workspace) -> None:
    file = _upload(workspace, "at,q,docs\n2026-11-30 12:00:00,shoes,a|b\n")
    ensure_person(workspace, "Ada")
    said = {"timezone": "UTC", "format": "", "mapping": MAPPING, "model_version": "bm25"}
    parameters = {"what": "events", "path": str(file), "actor": "Ada", **said}
    done = import_job(workspace, parameters, lambda *_: None)
    tally = done["tallies"]["events"]
    assert (tally["accepted"], tally["notes"]["model_assumed"]) == (1, 1)
    assert not file.exists()


def test_a_wrong_mapping_is_one_clear_error(workspace: Workspace) -> None:
    file = _upload(workspace, "at,q\n")
    ensure_person(workspace, "Ada")
    parameters = {"what": "events", "path": str(file), "actor": "Ada", "mapping": "[feilds]"}
    with pytest.raises(OnlineError, match="no key 'feilds'"):
        import_job(workspace, parameters, lambda *_: None)
