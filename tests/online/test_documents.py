"""One JSON document is refused at once, with the command that makes lines of it."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from online import OnlineError
from online.sources.proposal import propose_mapping
from online.sources.recognise import open_source
from tests.online.logs import event

HIT = {"_index": "ubi_events", "_id": "1", "_source": {"action_name": "click", "query_id": "q"}}
SHARDS = {"total": 1, "failed": 0}
RESPONSE = {"took": 1, "_shards": SHARDS, "hits": {"total": {"value": 1}, "hits": [HIT] * 30}}
SPREAD = {"timestamp": "2026-11-30T12:00:00Z"}


@pytest.mark.parametrize("indent", [None, 1, 4])
@pytest.mark.parametrize(
    ("document", "command"),
    [
        (RESPONSE, "jq -c '.hits.hits[]' log.json > log.json.lines"),
        ({"hits": {"hits": []}}, "jq -c '.hits.hits[]'"),
        ([event(), event()], "jq -c '.[]'"),
    ],
)
@pytest.mark.parametrize("form", [None, "ubi", "jsonl"])
def test_a_document_is_refused_with_the_command_that_makes_lines(
    tmp_path: Path, document: Any, command: str, indent: int | None, form: str | None
) -> None:
    file = tmp_path / "log.json"
    file.write_text(json.dumps(document, indent=indent), encoding="utf-8")
    with pytest.raises(OnlineError, match="one JSON object a line") as caught:
        open_source(file, format=form)
    assert command in str(caught.value.hint)
    with pytest.raises(OnlineError) as caught:
        propose_mapping(file)
    assert command in str(caught.value.hint)


def test_an_object_over_several_lines_is_refused_likewise(tmp_path: Path) -> None:
    file = tmp_path / "log.json.gz"
    file.write_bytes(gzip.compress(json.dumps(SPREAD, indent=1).encode()))
    with pytest.raises(OnlineError, match="spread over several lines") as caught:
        open_source(file)
    assert "jq -c '.' log.json" in str(caught.value.hint)


def test_hits_one_a_line_are_read(tmp_path: Path) -> None:
    file = tmp_path / "log.json"
    file.write_text(json.dumps(HIT) + "\n", encoding="utf-8")
    open_source(file).close()


def test_lines_that_hold_responses_each_are_lines(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text(f"{json.dumps({'q': 'x', **RESPONSE})}\n" * 2, encoding="utf-8")
    assert "q" in {column.path for column in propose_mapping(file).fields.values()}


def test_a_native_line_with_an_object_of_hits_is_no_response(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text(json.dumps(event(hits={"n": 2})) + "\n", encoding="utf-8")
    open_source(file).close()
