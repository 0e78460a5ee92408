"""What `events map` proposes for clicks in tables of searches."""

from pathlib import Path
from typing import Any

import pytest

from online.ingest import import_events
from online.lake import Lake
from online.sources.mapping import parse_mapping
from online.sources.proposal import propose_mapping
from online.sources.proposed import Proposal
from tests.online.logs import rows, write_log


def _proposal(folder: Path, *lines: str) -> Proposal:
    file = folder / "log.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return propose_mapping(file)


def _paths(proposal: Proposal) -> dict[str, str]:
    return {key: column.path for key, column in proposal.fields.items()}


def test_the_clicked_object_of_algolia_is_the_clicked_document(tmp_path: Path) -> None:
    search: dict[str, Any] = {"queryID": "q1", "query": "ring", "timestamp": 1793527200000}
    found = search | {"hits": ["p1", "p2"], "clickedObjectID": "p2", "position": 2}
    log = write_log(tmp_path / "log.jsonl", [found, search | {"queryID": "q2", "hits": []}])
    paths = _paths(propose_mapping(log))
    assert (paths["clicked_doc_id"], paths["click_rank"]) == ("clickedObjectID", "position")


@pytest.mark.parametrize("name", ["item", "sku", "product_id", "product", "doc", "url"])
@pytest.mark.parametrize("user", ["visitor", "client", "customer"])
def test_a_document_beside_a_rank_was_clicked(tmp_path: Path, name: str, user: str) -> None:
    proposal = _proposal(
        tmp_path,
        f"request_id,ts,q,{user},variant,hits,{name},pos",
        "r0,2026-10-01T12:00:00Z,ring,u1,A,p1|p2,,",
        "r1,2026-10-01T12:01:00Z,ring,u1,A,p1|p2,p2,2",
        "r1,2026-10-01T12:01:00Z,ring,u1,A,p1|p2,p1,1",
    )
    paths = _paths(proposal)
    assert (paths["clicked_doc_id"], paths["click_rank"]) == (name, "pos")
    assert paths["user_id"] == user
    assert any("what was clicked" in sentence for sentence in proposal.unsure)


def test_a_document_among_the_results_was_clicked_without_a_rank(tmp_path: Path) -> None:
    header = "ts,q,variant,hits,item,url"
    first = "2026-10-01T12:00:00Z,ring,A,p1|p2,,/a"
    proposal = _proposal(tmp_path, header, first, "2026-10-01T12:01:00Z,ring,A,p1|p2,p2,/b")
    assert _paths(proposal)["clicked_doc_id"] == "item"


def test_a_rank_without_a_clicked_document_is_left_with_a_doubt(tmp_path: Path) -> None:
    proposal = _proposal(
        tmp_path, "ts,q,variant,hits,position", "2026-10-01T12:00:00Z,ring,A,p1|p2,2"
    )
    assert "click_rank" not in proposal.fields
    assert any("'position' looks like the rank" in sentence for sentence in proposal.unsure)


def test_a_rank_that_stands_beside_few_documents_is_left_with_a_doubt(tmp_path: Path) -> None:
    ranked = ["2026-10-01T12:00:00Z,ring,A,p1|p2,,0"] * 3
    proposal = _proposal(
        tmp_path, "ts,q,variant,hits,clicked_doc,pos", *ranked, f"{ranked[0][:-2]}p1,1"
    )
    assert "click_rank" not in proposal.fields
    assert any("'pos' looks like the rank" in sentence for sentence in proposal.unsure)


@pytest.mark.parametrize(
    ("second", "paths"),
    [("12:00:00", ["visitor", "q", "ts"]), ("12:00:30", ["visitor", "q"])],
)
def test_a_search_that_is_told_once_a_click_is_one(
    tmp_path: Path, second: str, paths: list[str]
) -> None:
    proposal = _proposal(
        tmp_path,
        "ts,q,visitor,variant,hits,item,pos",
        "2026-10-01T12:00:00Z,ring,v1,A,p1|p2,p2,2",
        f"2026-10-01T{second}Z,ring,v1,A,p1|p2,p1,1",
        "2026-10-01T12:05:00Z,gold,v2,A,p3,,",
    )
    assert proposal.options["search_id"] == {"paths": paths}
    lake = Lake(tmp_path / "lake")
    mapping = parse_mapping(proposal.toml(), "proposal")
    import_events(lake, tmp_path / "log.csv", mapping=mapping, quarantine_folder=tmp_path / "bad")
    counted = rows(lake, "SELECT query, n_clicks FROM searches ORDER BY query")
    assert counted == [("gold", 0), ("ring", 2)]
