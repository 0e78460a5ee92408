"""Validation: a random part of the synthetic queries goes blind to experts."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from builder.activity import ACTIONS
from builder.errors import BuilderError, NotAllowedError
from builder.people import add_person, ensure_person
from builder.pooling import list_poolings, take_back_pooling
from builder.store.activity import entries
from builder.store.moments import now_text
from builder.store.queue import Seeker, open_pairs
from builder.store.schema import documents, pair_sources, pairs, queries
from builder.store.validations import SourcePair
from builder.synthesis.drawing import draw as draw_units
from builder.synthesis.experts import evidence_of
from builder.synthesis.validation import (
    draw_validation,
    draw_validation_job,
    list_validations,
    take_back_validation,
)
from builder.synthesis.validation_report import validation_report
from builder.synthesis.verdict import accepted_queries
from builder.workspace import Workspace
from tests.builder.synthesis.validating import (
    TYPES,
    documents_in_pool,
    draw,
    drawn_pairs,
    grade,
    grade_all,
    hundred,
    query_of,
    some,
    work_through,
)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with hundred(tmp_path / "workspace") as opened:
        yield opened


def test_thirty_of_a_hundred_are_drawn_from_each_type_alike(workspace: Workspace) -> None:
    told = draw(workspace)
    assert (told["validation_id"], told["queries"], told["drawn"]) == (1, 100, 30)
    assert told["by"] == "type"
    assert told["needed"] == 24
    assert told["strata"] == [
        {"stratum": name, "queries": 20, "drawn": 6} for name in sorted(TYPES)
    ]
    assert told["others"] == 90
    assert told["pairs_added"] == 90  # the source pairs were there, asked of nobody
    assert (told["alone"], told["warnings"]) == (0, [])
    with workspace.store.read() as connection:
        evidence = evidence_of(connection)
    assert evidence is not None
    parts = evidence.parts()
    assert len(parts) == 100
    assert {part.probability for part in parts.values()} == {0.3}


def test_only_the_drawn_queries_and_their_documents_are_asked_for(workspace: Workspace) -> None:
    draw(workspace)
    drawn = {query_of(workspace, pair_id) for pair_id in drawn_pairs(workspace)}
    asked = Counter(query_id for query_id, _ in work_through(workspace, "ann"))
    assert asked.keys() == drawn
    assert set(asked.values()) == {4}


def test_nothing_in_the_queue_tells_which_document_a_query_was_written_for(
    workspace: Workspace,
) -> None:
    draw(workspace)
    own = documents_in_pool(workspace, "synthetic")
    with workspace.store.read() as connection:
        ranks = connection.execute(
            select(pair_sources.c.rank).where(pair_sources.c.source == "validation")
        ).scalars()
        assert set(ranks) == {None}
    for rater in ("ann", "ben", "cleo"):
        seen: dict[str, list[str]] = {}
        for query_id, doc_id in _without_grading(workspace, rater):
            seen.setdefault(query_id, []).append(doc_id)
        places = Counter(docs.index(own[query_id][0]) for query_id, docs in seen.items())
        assert places.total() == 30
        # By chance 7.5 at each of four places; 16 or more once in 300 times.
        assert max(places.values()) <= 15, (rater, places)


def _without_grading(workspace: Workspace, rater: str) -> Iterator[tuple[str, str]]:
    """The whole order of a rater's queue: each pair as it would come if all before were graded."""
    rows = select(pairs.c.pair_id, queries.c.query_key, queries.c.query_id, documents.c.doc_id)
    rows = rows.select_from(pairs.join(queries).join(documents)).order_by(queries.c.query_key)
    seeker = Seeker(ensure_person(workspace, rater).person_id)
    with workspace.store.read() as connection:
        found = connection.execute(rows).all()
        names = {row.pair_id: (row.query_id, row.doc_id) for row in found}
        for query_key in dict.fromkeys(row.query_key for row in found):
            for pair_id in open_pairs(connection, seeker, query_key, now_text()):
                yield names[pair_id]


def test_a_larger_share_of_the_same_seed_holds_the_smaller_one(workspace: Workspace) -> None:
    draw(workspace, 0.3, others=0)
    assert draw(workspace, 0.5, others=0)["validation_id"] == 2
    assert set(drawn_pairs(workspace, 1)) < set(drawn_pairs(workspace, 2))
    draw(workspace, 0.3, others=0, seed=1)
    assert set(drawn_pairs(workspace, 3)) != set(drawn_pairs(workspace, 1))


def test_the_same_drawing_again_writes_nothing(workspace: Workspace) -> None:
    draw(workspace)
    again = draw(workspace)
    assert (again["validation_id"], again["unchanged"]) == (None, 1)
    assert len(list_validations(workspace)) == 1
    assert len(list_poolings(workspace)) == 1


def test_a_drawing_whose_filling_was_taken_back_can_be_drawn_again(workspace: Workspace) -> None:
    told = draw(workspace)
    take_back_pooling(workspace, told["pooling_id"])
    report = validation_report(workspace)
    assert (report["verdict"], report["waiting"], report["not_asked"]) == ("wait", 30, 30)
    assert "draw the validation again" in report["next"].lower()
    again = draw(workspace)
    assert (again["validation_id"], again["pairs_added"]) == (2, 90)
    assert validation_report(workspace)["not_asked"] == 0


def test_a_preview_writes_nothing_and_needs_no_retriever(workspace: Workspace) -> None:
    told = draw_validation(workspace, 0.3, retrievers=("none such",), dry_run=True)
    assert (told["drawn"], told["pairs_at_most"], told["others"]) == (30, 120, None)
    assert list_validations(workspace) == []
    assert documents_in_pool(workspace, "validation") == {}


def test_taken_back_what_is_graded_stays_and_the_one_before_counts(workspace: Workspace) -> None:
    draw(workspace)
    grade_all(workspace, [2] * 30)
    draw(workspace, 0.5)
    graded_of_second = next(
        pair for pair in drawn_pairs(workspace, 2) if pair not in drawn_pairs(workspace, 1)
    )
    grade(workspace, graded_of_second, 0)
    planned = take_back_validation(workspace, dry_run=True)
    assert validation_report(workspace)["verdict"] == "wait"
    told = take_back_validation(workspace)
    assert told == planned
    assert (told["validation_id"], told["standing"]) == (2, 1)
    assert told["filling"]["pairs_removed"] == 60
    report = validation_report(workspace)
    assert (report["validation_id"], report["verdict"]) == (1, "accept")
    with workspace.store.read() as connection:
        row = connection.execute(select(pairs).where(pairs.c.pair_id == graded_of_second)).one()
    assert row.human_grades == 1
    assert take_back_validation(workspace, 1)["standing"] is None
    assert validation_report(workspace)["verdict"] == "none"
    assert accepted_queries(workspace) == frozenset()
    with pytest.raises(BuilderError, match="taken back already"):
        take_back_validation(workspace, 1)
    with pytest.raises(BuilderError, match="no validation stands"):
        take_back_validation(workspace)
    with pytest.raises(BuilderError, match="no validation 9"):
        take_back_validation(workspace, 9)


def test_deeds_are_in_the_log_of_activity_and_only_analysts_do_them(workspace: Workspace) -> None:
    rita = add_person(workspace, "Rita", "rater", None)
    for deed in (draw, take_back_validation):
        with pytest.raises(NotAllowedError):
            deed(workspace, actor=rita)
    draw(workspace)
    take_back_validation(workspace)
    with workspace.store.read() as connection:
        noted = [entry.action for entry in entries(connection, limit=4)]
    assert noted == ["validation.take_back", "pool.take_back", "validation.draw", "pool.add"]
    assert {"validation.take_back", "validation.draw"} <= ACTIONS.keys()


def test_the_job_draws_as_the_command_does(workspace: Workspace) -> None:
    add_person(workspace, "Dana", "analyst", None)
    asked = {"actor": "Dana", "share": 0.1, "others": 0}
    would = draw_validation_job(workspace, asked | {"dry_run": True}, lambda *_: None)
    assert (would["drawn"], list_validations(workspace)) == (10, [])
    told = draw_validation_job(workspace, asked, lambda *_: None)
    assert (told["drawn"], told["pairs_at_most"]) == (10, 10)
    assert "which one each query was written for" in told["warnings"][0]
    assert list_validations(workspace)[0]["parameters"]["rule"] == {
        "least_agreement": 0.6,
        "good_agreement": 0.8,
    }


def test_what_cannot_show_anything_is_told_beforehand(workspace: Workspace) -> None:
    told = draw(workspace, 0.05, dry_run=True)
    assert (told["drawn"], told["needed"]) == (5, None)
    # Wilson of 5 of 5 begins at 5 / (5 + 1.96^2) = .566.
    assert "5 queries can show nothing" in told["warnings"][0]
    assert "0.57, below 0.60" in told["warnings"][0]
    assert told["by"] == "nothing"  # five types, five queries: one of each would say nothing


def test_languages_part_queries_where_there_are_several(tmp_path: Path) -> None:
    with some(tmp_path / "workspace", 40, ("en", "de")) as workspace:
        told = draw(workspace, 0.5, dry_run=True)
        assert told["by"] == "type and language"
        assert {row["stratum"] for row in told["strata"]} == {
            f"{name} ({language})" for name in TYPES for language in ("en", "de")
        }
        assert all(row["drawn"] == 2 for row in told["strata"])
        assert draw(workspace, 0.3, dry_run=True)["by"] == "type"


def test_shares_that_make_no_sense_are_refused(workspace: Workspace) -> None:
    for share in (0.0, 1.1, -1.0):
        with pytest.raises(BuilderError, match="share to validate"):
            draw(workspace, share)
    with pytest.raises(BuilderError, match="further documents"):
        draw(workspace, others=-1)


def test_a_workspace_without_synthetic_queries_has_nothing_to_draw(tmp_path: Path) -> None:
    with some(tmp_path / "workspace", 0) as workspace:
        with pytest.raises(BuilderError, match="no synthetic queries"):
            draw(workspace)
        report = validation_report(workspace)
    assert (report["verdict"], report["queries"]) == ("none", 0)
    assert report["estimates"]["mean_grade"]["reason"] == "nothing_graded"


def test_every_query_of_a_stratum_is_drawn_equally_often() -> None:
    sources = [
        SourcePair(n, f"syn-{n}", "text", n, f"d{n}", 2, "a" if n < 10 else "b", "en")
        for n in range(30)
    ]
    drawn = Counter(
        unit.source.query_key
        for seed in range(2000)
        for unit in draw_units(sources, 0.3, seed).units
        if unit.drawn
    )
    # 600 of 2000 each; four standard deviations are 82.
    assert all(abs(drawn[n] - 600) < 90 for n in range(30))
