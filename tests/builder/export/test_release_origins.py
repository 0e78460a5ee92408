"""What a release says of where its synthetic queries come from, and of which files are there."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.curation import QueryContent, edit_query, find_query
from builder.export import export_task
from builder.export.synthetic_choices import synthetic_choices
from builder.people import ensure_person
from builder.store.documents import insert_documents
from builder.store.queries import insert_queries
from builder.synthesis.origins import origin_of_query
from builder.synthesis.validation import draw_validation
from builder.synthesis.validation_report import validation_report
from builder.workspace import Workspace
from evals.records import Document, Query
from tests.builder.export.test_release_synthetic import (
    DRAWN,
    N,
    _validated,
    drawn_pairs,
    expert_grades,
    exported,
    metadata,
    source_pairs,
)
from tests.workspaces import copied


@pytest.fixture
def settled(tmp_path: Path) -> Iterator[Workspace]:
    """A hundred synthetic queries, all accepted by what experts said of thirty."""
    with copied(_validated, tmp_path / "w") as opened:
        yield opened


def rewrite(workspace: Workspace, query_id: str, text: str) -> None:
    query = find_query(workspace, query_id).query
    before = QueryContent(query.text, query.need, query.tags)
    after = QueryContent(text, query.need, query.tags)
    edit_query(workspace, query_id, before, after, None, despite_grades=True)


def test_a_drawn_query_that_is_rewritten_does_not_take_its_grades_along(settled: Workspace) -> None:
    # One that experts took for marginal: 24 of 30 are still enough if this one is against it.
    query_id = drawn_pairs(settled)[-1][0]
    rewrite(settled, query_id, "other words")
    for mode, n in (("validated", DRAWN - 1), ("accepted", N - 1)):
        release = exported(settled, mode)
        assert release["synthetic"]["queries"] == synthetic_choices(settled)[mode] == n
        assert release["dropped"]["rewritten"] == 1
        assert query_id not in metadata(release)
        card = (Path(release["task_dir"]) / "README.md").read_text("utf-8")
        assert "Left out: 1 query that a language model wrote, since it was rewritten" in card
    # The rule for queries of people stays: whoever edits them is told what the grades are of.
    rewrite(settled, "log-1", "what people meant")
    assert exported(settled, "validated")["queries"] == DRAWN
    validation = validation_report(settled)
    assert (validation["graded"], validation["gone"]) == (DRAWN - 1, 1)
    # Drawn anew as it is, it counts as it is.
    draw_validation(settled, share=1, seed=1, others=0)
    assert exported(settled, "validated")["queries"] == DRAWN + 1


def test_a_release_tells_where_each_synthetic_query_comes_from(settled: Workspace) -> None:
    boss = ensure_person(settled, "Boss")
    release = exported(settled, "accepted")
    text = (Path(release["task_dir"]) / "synthetic_queries.jsonl").read_text("utf-8")
    rows = {row["query-id"]: row for row in map(json.loads, text.splitlines())}
    assert {query: row["corpus-id"] for query, row in rows.items()} == source_pairs(settled)
    first = rows[min(rows)]
    origin = origin_of_query(settled, min(rows))
    assert origin is not None
    assert first["answer"] == origin["answer"]
    assert (first["model_asked"], first["host"], first["edited"]) == (
        *("test-model", "localhost"),
        False,
    )
    assert origin["reviewed_by"] == "terminal"
    assert not {"reviewed_by", "base_url"} & first.keys()
    assert boss.name not in text
    card = (Path(release["task_dir"]) / "README.md").read_text("utf-8")
    assert "`synthetic_queries.jsonl` tells of each query" in card
    assert "\\(" not in card


def test_the_card_names_only_forms_of_judgments_that_are_there(workspace: Workspace) -> None:
    card = Path(export_task(workspace, "plain")["task_dir"]) / "README.md"
    assert "`qrels/test.trec`" in card.read_text("utf-8")
    with workspace.store.write() as connection:
        insert_documents(connection, [Document("d 9", "", "with a blank")])
        insert_queries(connection, [Query("q9", "blank")])
    expert_grades(workspace, {("q9", "d 9"): 3})
    folder = Path(export_task(workspace, "blank")["task_dir"])
    assert not (folder / "qrels" / "test.trec").exists()
    assert "test.trec" not in (folder / "README.md").read_text("utf-8")
    assert "beir" in (folder / "README.md").read_text("utf-8")
