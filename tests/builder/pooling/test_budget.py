"""What grading costs, and how a budget is spent."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select, update

from builder.errors import BuilderError
from builder.pooling.budget import Pace, budget_in_pairs, spent, team_pace
from builder.pooling.plan import PoolPlan
from builder.settings import Settings
from builder.store.documents import insert_documents
from builder.store.judgments import IMPORTED, NewJudgment, record_judgment
from builder.store.people import add_person
from builder.store.pool import add_pairs
from builder.store.queries import insert_queries
from builder.store.schema import judgments, pairs
from builder.workspace import Workspace, init_workspace
from evals.records import Document, Query

NOON = datetime(2026, 6, 2, 12, tzinfo=UTC)


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(st.text("abc", min_size=1, max_size=2), st.integers(0, 6), max_size=6),
    st.none() | st.integers(1, 40),
    st.integers(0, 3),
)
def test_a_budget_is_spent_evenly_and_whole(
    lengths: dict[str, int], budget: int | None, seed: int
) -> None:
    sequences = {query_id: list(range(n)) for query_id, n in lengths.items()}
    paid = spent(sequences, budget, seed)
    assert paid.keys() == sequences.keys()
    total = sum(lengths.values())
    assert sum(map(len, paid.values())) == (total if budget is None else min(budget, total))
    for query_id, found in paid.items():
        assert found == sequences[query_id][: len(found)]  # a beginning
        if len(found) < lengths[query_id]:  # cut: nobody else got more than one more
            assert all(len(other) <= len(found) + 1 for other in paid.values())


def test_who_is_served_first_is_drawn_and_not_by_the_alphabet() -> None:
    sequences = {f"q{n:02}": [0] for n in range(20)}
    served = [{q for q, found in spent(sequences, 5, seed).items() if found} for seed in range(4)]
    assert spent(sequences, 5, 0) == spent(dict(reversed(sequences.items())), 5, 0)
    assert len(set(map(frozenset, served))) == 4
    assert {"q00", "q01", "q02", "q03", "q04"} not in served


def test_hours_are_pairs_at_the_pace_and_quota() -> None:
    # 20 s a grade, 1.5 grades a pair: 30 s a pair, 120 pairs an hour.
    pace = Pace(20.0, 0, 0, 1.5)
    assert budget_in_pairs(PoolPlan(hours=1), pace) == 120
    assert budget_in_pairs(PoolPlan(hours=0.5), pace) == 60
    assert budget_in_pairs(PoolPlan(budget=7), pace) == 7
    assert budget_in_pairs(PoolPlan(), pace) is None
    assert pace.cost(120)["hours"] == pytest.approx(1)
    assert pace.cost(3)["grades"] == 4  # 4.5, halves to even
    with pytest.raises(BuilderError, match="too few for one pair"):
        budget_in_pairs(PoolPlan(hours=0.008), pace)


def _judged(workspace: Workspace, name: str, moments: list[float], imported: bool = False) -> None:
    """Judgments of a person, so many seconds after noon."""
    with workspace.store.write() as connection:
        rater = add_person(connection, name).person_id
        pair_id = connection.execute(select(pairs.c.pair_id)).scalars().first()
        assert pair_id is not None
        for n, seconds in enumerate(moments):
            token = f"{IMPORTED if imported else ''}{name}-{n}"
            judged = NewJudgment(pair_id, rater, "skip", token)
            written = record_judgment(connection, judged).judgment_id
            moment = (NOON + timedelta(seconds=seconds)).isoformat(timespec="microseconds")
            mine = update(judgments).where(judgments.c.judgment_id == written)
            connection.execute(mine.values(recorded_at=moment))


def test_the_pace_is_the_median_between_judgments_of_a_sitting(tmp_path: Path) -> None:
    with init_workspace(tmp_path / "w") as workspace:
        with workspace.store.write() as connection:
            insert_documents(connection, [Document("d", "", "x")])
            insert_queries(connection, [Query("q", "x")])
            add_pairs(connection, [("q", "d")], "bm25")

        def pace() -> Pace:
            with workspace.store.read() as connection:
                return team_pace(workspace, connection)

        assert (pace().seconds_a_grade, pace().measured) == (20.0, 0)
        assert pace().cost(10) | {"why": ""} == {
            "pairs": 10,
            "grades": 20,  # two people each, the default
            "seconds_a_grade": 20.0,
            "measured": False,
            "hours": pytest.approx(400 / 3600),
            "grades_a_pair": 2.0,
            "why": "",
        }
        # ann: 7 gaps of 10 s, a pause of an hour, one of 10 s; bob: 4 gaps of 30 s.
        ann = [10.0 * n for n in range(8)]
        _judged(workspace, "ann", [*ann, 4000, 4010])
        _judged(workspace, "bob", [30.0 * n for n in range(5)])
        _judged(workspace, "cy", [1.0 * n for n in range(99)], imported=True)
        found = pace()
        assert (found.seconds_a_grade, found.measured, found.raters) == (10.0, 12, 2)
        assert found.cost(1)["measured"] is True
        assert isinstance(workspace.settings, Settings)
