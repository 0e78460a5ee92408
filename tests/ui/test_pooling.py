"""What the page Pool says of plans, outcomes and fillings, and the run files that it keeps."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from builder.errors import NotAllowedError
from builder.people import add_person, ensure_person
from builder.pooling import Pooling, PoolPlan, pool, take_back_pooling
from builder.store import jobs
from builder.workspace import Workspace
from ui.pooling.fillings import (
    filling_html,
    how_far,
    taken_back_in_words,
    would_go_in_words,
    would_join_in_words,
)
from ui.pooling.preview import POOL_JOB, PREVIEW_JOB, current_preview, figures_of
from ui.pooling.run_files import keep_run_files
from ui.pooling.sanity import in_sentences
from ui.pooling.words import dropped_in_words, hours, plan_in_words, source_name
from ui.tables import Tile

HOSTILE = "<b>x</b>"
OUTCOME: dict[str, Any] = {
    "pairs_added": 1200,
    "by_source": {"bm25": 900, "clicks": 500},
    "known": 200,
    "queries": 100,
    "per_query": {"min": 3, "median": 12.5, "max": 15},
    "cost": {
        "pairs": 1200, "grades": 2400, "seconds_a_grade": 12.4, "measured": True, "hours": 8.27,
    },
    "expected": {
        "share_relevant": {"value": 0.25, "low": 0.2, "high": 0.3, "reason": None},
        "why": "as bm25 and clicks did so far",
    },
}  # fmt: skip


class File:
    """An upload."""

    def __init__(self, name: str, content: bytes) -> None:
        self.name = name
        self._content = content

    def getvalue(self) -> bytes:
        return self._content


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "bm25 to rank 10"),
        (
            {
                "retrievers": ["bm25", "minilm"],
                "runs": ["/somewhere/else/ours.trec"],
                "depth": 5,
                "clicks": 3,
                "random": 1,
                "tag": "files",
                "only_new": True,
                "budget": 1000,
            },
            "bm25 and minilm and ours.trec to rank 5 | 3 clicked each | 1 random each | "
            "queries with the tag files | only queries without a pair | at most 1,000 pairs",
        ),
        ({"retrievers": [], "skipped": 2, "hours": 1.5},
         "2 skipped each | at most 1.5 hours of grading"),
    ],
)  # fmt: skip
def test_a_plan_in_a_line(asked: Mapping[str, Any], said: str) -> None:
    told = plan_in_words(PoolPlan.from_json(asked).as_json())
    assert told.replace("\u00b7", "|") == said


def test_holes_have_a_line_of_their_own() -> None:
    told = {"kind": "holes", "task": "custom/shop@1", "k": 10, "limit": 20}
    assert plan_in_words(told) == "unjudged documents in the models' top 10 on custom/shop@1"


def test_figures_have_their_unit_and_say_whether_the_pace_is_measured() -> None:
    assert figures_of(OUTCOME) == [
        Tile("new pairs", "1,200", "of 100 queries"),
        Tile("new pairs of a query", "3 \u2013 12.5 \u2013 15", "fewest, median, most"),
        Tile("grading", "8.3 hours", "2,400 grades, 12 seconds a grade: the team's pace"),
        Tile(
            "expected to be relevant",
            "25.0\u00a0%",
            "20.0\u201330.0\u00a0% \u00b7 as bm25 and clicks did so far",
        ),
    ]
    guessed = {**OUTCOME, "cost": {**OUTCOME["cost"], "measured": False}}
    assert figures_of(guessed)[2].note.endswith("assumed, too few grades yet")


def test_what_is_expected_of_a_part_says_of_how_much() -> None:
    part = {**OUTCOME["expected"], "pairs": 200, "of_pairs": 500}
    (figure,) = figures_of({**OUTCOME, "expected": part})[3:]
    assert figure.value == "25.0\u00a0%"
    assert figure.note.startswith("of 200 pairs; unknown for the other 300 \u00b7 20.0")
    whole = {**part, "pairs": 500}
    assert figures_of({**OUTCOME, "expected": whole})[3] == figures_of(OUTCOME)[3]


def test_what_cannot_be_expected_says_why() -> None:
    unknown = {"value": None, "low": None, "high": None, "reason": "no_grades"}
    (figure,) = figures_of({**OUTCOME, "expected": {"share_relevant": unknown, "why": ""}})[3:]
    assert (figure.value, figure.note) == ("\u2013", "no grades")
    assert len(figures_of({"pairs_added": 0, "queries": 1})) == 1


def test_a_preview_is_of_this_plan_and_of_nothing_older(filled_workspace: Workspace) -> None:
    plan = PoolPlan(("bm25",), 5)
    asked = {"actor": "Dana", **plan.as_json()}
    assert current_preview(filled_workspace, plan) is None
    a_job(filled_workspace, PREVIEW_JOB, asked, {"pairs_added": 3})
    assert current_preview(filled_workspace, plan) == {"pairs_added": 3}
    assert current_preview(filled_workspace, replace(plan, depth=6)) is None
    filling = pool(filled_workspace, plan=plan)
    assert current_preview(filled_workspace, plan) is None
    a_job(filled_workspace, PREVIEW_JOB, asked, {"pairs_added": 0})
    assert current_preview(filled_workspace, plan) == {"pairs_added": 0}
    take_back_pooling(filled_workspace, filling["pooling_id"])
    assert current_preview(filled_workspace, plan) is None
    a_job(filled_workspace, PREVIEW_JOB, asked, {"pairs_added": 3})
    a_job(filled_workspace, POOL_JOB, asked, {"pairs_added": 3})
    assert current_preview(filled_workspace, plan) is None


def test_pooling_again_says_first_what_it_would_bring() -> None:
    assert would_join_in_words(OUTCOME) == (
        "1,200 new pairs would join the pool, 8.3 hours of grading."
    )
    assert would_join_in_words({"pairs_added": 0}).startswith("Nothing would join the pool")


def a_job(
    workspace: Workspace, kind: str, asked: Mapping[str, Any], outcome: Mapping[str, Any]
) -> None:
    """A job that is done."""
    with workspace.store.write() as connection:
        number = jobs.add_job(connection, kind, "builder.pooling:any", asked, "Dana")
        jobs.finish_job(connection, number, "done", "", outcome)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        *[(0, "0 minutes"), (0.004, "less than a minute"), (1 / 60, "1 minute")],
        *[(0.5, "30 minutes"), (1, "1 hour"), (1.5, "1.5 hours"), (120.4, "120 hours")],
    ],
)
def test_small_work_is_told_in_minutes(value: float, said: str) -> None:
    assert hours(value) == said


def test_sources_and_reasons_in_words() -> None:
    assert source_name("run:ours") == "run file ours"
    assert source_name("clicks") == "clicked by users"
    assert source_name("org/model") == "org/model"
    assert dropped_in_words({"query_retired": 0}) == ""
    left_out = {"query_retired": 1, "run_queries_unknown": 2, "of another kind": 3}
    assert dropped_in_words(left_out) == (
        "1 pair of retired queries; 2 unknown queries of run files; 3 of another kind"
    )


def test_a_filling_shows_whose_it_is_and_no_markup(filled_workspace: Workspace) -> None:
    filling = Pooling(
        pooling_id=7,
        created_at="2026-11-30T12:00:00+00:00",
        created_by=HOSTILE,
        parameters={"retrievers": [HOSTILE], "depth": 5},
        outcome={"pairs_added": 30},
        pairs=1277,
        graded=932,
        new=28,
        new_graded=4,
    )
    html = filling_html(filled_workspace, filling)
    assert HOSTILE not in html
    assert "Filling 7: 30 new pairs" in html
    assert "4 of 28 graded; named 1,249 more that were there before" in html
    assert "&lt;b&gt;x&lt;/b&gt; to rank 5" in html


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        ({}, "what of it stayed was not noted then"),
        ({"taken_back": {"stayed": 0}}, "no pair stayed"),
        ({"taken_back": {"stayed": 500}}, "500 pairs stayed"),
        (
            {"taken_back": {"stayed": 5, "kept": {"judged": 5, "there_before": 90}}},
            "5 pairs stayed (5 pairs: somebody judged them)",
        ),
    ],
)
def test_what_stayed_of_a_filling_that_was_taken_back(outcome: dict[str, Any], said: str) -> None:
    when = "2026-11-30T12:00:00+00:00"
    assert how_far(Pooling(1, when, "Dana", {}, outcome, 0, 0, when, "Dana")) == said


def test_taken_back_says_what_went_and_what_stays() -> None:
    done = {"pooling_id": 3, "pairs_removed": 1, "kept": {"judged": 4, "other_source": 0}}
    assert taken_back_in_words(done) == [
        "Filling 3 is taken back. 1 pair is gone.",
        "Stay: 4 pairs: somebody judged them.",
    ]
    assert taken_back_in_words({**done, "kept": {}})[1:] == []


def test_before_it_is_taken_back_it_says_what_would_go_and_stay() -> None:
    would = {"pairs_removed": 20, "leases": 1, "kept": {"judged": 2}}
    assert would_go_in_words(would) == [
        "20 pairs that only this filling brought go out of the pool.",
        "1 of them is on raters' screens right now.",
        "Stay: 2 pairs: somebody judged them.",
    ]


def test_a_finding_names_a_few_documents() -> None:
    finding = {
        "what": "What.", "why": "Why.", "fix": "Fix.", "count": 9,
        "ids": [f"d{n}" for n in range(9)],
    }  # fmt: skip
    assert in_sentences(finding) == [
        *("What.", "Why.", "Fix."),
        "For example d0, d1, d2, d3, d4 and others.",
    ]


def test_run_files_lie_once_and_under_their_names(filled_workspace: Workspace) -> None:
    dana = ensure_person(filled_workspace, "Dana")
    asked = [File("../../ours.trec", b"one"), File("ours.trec", b"one"), File("ours.trec", b"two")]
    first, again, other = keep_run_files(filled_workspace, dana, asked)
    assert first == again == filled_workspace.runs_folder / "uploaded" / "ours.trec"
    assert (first.read_bytes(), other.read_bytes()) == (b"one", b"two")
    assert other.parent == first.parent
    assert len(list(first.parent.iterdir())) == 2


def test_run_files_take_an_analyst(filled_workspace: Workspace) -> None:
    ravi = add_person(filled_workspace, "Ravi", "rater", None)
    with pytest.raises(NotAllowedError):
        keep_run_files(filled_workspace, ravi, [File("r", b"")])
    assert not Path(filled_workspace.runs_folder / "uploaded").exists()
