"""A release says how its queries were drawn from the log, and what each weighs."""

import json
from pathlib import Path
from typing import Any

from builder.export import export_task
from builder.export.folders import PROVENANCE
from builder.importers.folder import import_folder
from builder.mining import Sampling, mine, take_back_sampling
from builder.workspace import Workspace, init_workspace
from evals.records import Sample
from evals.taskfolder import read_task
from tests.online.logs import lake_of


def exported(workspace: Workspace) -> tuple[Path, dict[str, Any], str]:
    folder = Path(export_task(workspace, "shop")["task_dir"])
    told = json.loads((folder / PROVENANCE).read_text("utf-8"))
    return folder, told, (folder / "README.md").read_text("utf-8")


def metadata(folder: Path) -> dict[str, dict[str, Any]]:
    lines = (folder / "queries_metadata.jsonl").read_text("utf-8").splitlines()
    return {row.pop("_id"): row for row in map(json.loads, lines)}


def sampled(workspace: Workspace) -> None:
    """ "two", which is known and graded, is the head: 8 of 16 searches; "mixed" is in no log."""
    traffic = {"TWO": 8, "three": 5, "four": 2, "five": 1}
    lake_of(workspace.root, [{"query": query} for query, n in traffic.items() for _ in range(n)])
    drawn = mine(workspace, Sampling(limit=3))
    assert (drawn["queries"]["known"], drawn["queries"]["new"]) == (1, 2)


def test_without_a_sampling_nothing_is_said(workspace: Workspace) -> None:
    folder, told, card = exported(workspace)
    assert told["sampling"] is None
    assert "weight" not in json.dumps(metadata(folder))
    assert "search log" not in card


def test_weights_go_with_the_release(workspace: Workspace, tmp_path: Path) -> None:
    sampled(workspace)
    folder, _, _ = exported(workspace)
    rows = metadata(folder)
    assert rows["q-two"] == {
        "need": "", "tags": ["x"], "source": "log", "stratum": "head",
        "inclusion_probability": 1.0, "searches": 8, "weight": 1.0,
    }  # fmt: skip
    assert "weight" not in rows["q-mixed"]
    read = {query.query_id: query.sample for query in read_task(folder).queries}
    assert read == {"q-two": Sample("head", 1.0, 8), "q-mixed": None}
    with init_workspace(tmp_path / "other", "other") as other:
        assert import_folder(other, folder)["queries"].accepted == 2


def test_a_release_says_how_its_queries_were_drawn(workspace: Workspace) -> None:
    sampled(workspace)
    _, told, card = exported(workspace)
    sampling = told["sampling"]
    assert (sampling["queries"], sampling["elsewhere"]) == (1, 1)
    (one,) = sampling["samplings"]
    how = {"sampling": 1, "method": "stratified", "seed": 0, "min_sessions": 1}
    assert one | how == one
    strata = {row["stratum"]: (row["queries"], row["sampled"]) for row in one["strata"]}
    assert strata == {"head": (1, 1), "torso": (1, 1), "tail": (2, 1)}
    assert one["traffic"]["share"] == one["traffic"]["sampled_searches"] / 16 >= 14 / 16
    assert "3 queries were drawn from a search log of 16 searches for 4 different queries" in card
    assert "1 queries of this release come from elsewhere" in card
    take_back_sampling(workspace, 1)
    assert exported(workspace)[1]["sampling"] is None
