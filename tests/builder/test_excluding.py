"""Who is left out counts for nothing that others wait for; taken back, all is as before."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, func, select, update

from builder.errors import BuilderError, NotAllowedError
from builder.judging.queue import cannot_judge, next_pair, skip, submit_grade, undo_last
from builder.people import (
    change_role,
    deactivate,
    ensure_person,
    exclude_rater,
    find_exclusion,
    include_rater,
    pairs_that_would_lose,
)
from builder.store.activity import entries
from builder.store.grades import current_grades
from builder.store.judgments import ImportedJudgment, import_judgments_batch
from builder.store.people import add_person
from builder.store.quota import QuotaRule, apply_rule, note_change, queue_changes, set_query_state
from builder.store.schema import current_judgments, judgments, leases, pairs, people, queries
from builder.workspace import Workspace
from tests.builder.judging.conftest import filled, grade, grade_all, pair_for
from tests.thorough import examples

K = 2
RATERS = ("ann", "bob", "cy")


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """Two queries of two pairs each, which want two grades; ann is admin, bob and cy rate."""
    with filled(tmp_path / "w", n_queries=2, n_ranks=2) as opened:
        yield opened


def standing_counts(workspace: Workspace) -> dict[int, tuple[int, int]]:
    """pair_id -> (human_grades, open_slots)."""
    with workspace.store.read() as connection:
        chosen = select(pairs.c.pair_id, pairs.c.human_grades, pairs.c.open_slots)
        return {row[0]: (row[1], row[2]) for row in connection.execute(chosen)}


def counts_anew(workspace: Workspace) -> dict[int, tuple[int, int]]:
    """The same from the log: who is human, not left out, and says a grade."""
    with workspace.store.read() as connection:
        shared = select(pairs, queries.c.status, queries.c.set_aside)
        shared = shared.join(queries, queries.c.query_key == pairs.c.query_key)
        said = select(current_judgments.c.pair_id, current_judgments.c.outcome, people)
        said = said.join(people, people.c.person_id == current_judgments.c.rater_id)
        words = list(connection.execute(said))
        found = {}
        for pair in connection.execute(shared):
            of_pair = [word for word in words if word.pair_id == pair.pair_id]
            grades = sum(
                w.outcome == "grade" and w.kind == "human" and w.excluded_at is None
                for w in of_pair
            )
            gave_up = sum(w.outcome == "cannot_judge" and w.kind == "human" for w in of_pair)
            asked = pair.status == "active" and not pair.set_aside and gave_up < pair.patience
            found[pair.pair_id] = (grades, max(0, pair.quota - grades) if asked else 0)
        return found


def test_others_are_asked_instead(workspace: Workspace) -> None:
    graded = {pair.pair_id for pair in grade_all(workspace, "ann")}
    grade_all(workspace, "bob")
    assert next_pair(workspace, "cy") is None
    assert pairs_that_would_lose(workspace, "bob") == len(graded)
    assert exclude_rater(workspace, "bob", "guesses", None) == len(graded)
    assert {pair.pair_id for pair in grade_all(workspace, "cy")} == graded
    assert set(standing_counts(workspace).values()) == {(K, 0)}


def test_taken_back_all_is_as_before(workspace: Workspace) -> None:
    grade_all(workspace, "ann")
    grade(workspace, "bob", pair_for(workspace, "bob"))
    before = standing_counts(workspace)
    exclude_rater(workspace, "ann", "asleep", None)
    assert standing_counts(workspace) != before
    include_rater(workspace, "ann", None)
    assert standing_counts(workspace) == before
    assert find_exclusion(workspace, "ann") is None


def test_what_others_graded_meanwhile_stays(workspace: Workspace) -> None:
    grade_all(workspace, "ann")
    grade_all(workspace, "bob")
    exclude_rater(workspace, "bob", "guesses", None)
    grade_all(workspace, "cy")
    include_rater(workspace, "bob", None)
    assert set(standing_counts(workspace).values()) == {(K + 1, 0)}


def test_grades_stay_and_the_reason_is_kept(workspace: Workspace) -> None:
    grade_all(workspace, "bob")
    exclude_rater(workspace, "bob", "  all the same grade \n", ensure_person(workspace, "ann"))
    exclusion = find_exclusion(workspace, "bob")
    assert exclusion is not None
    assert (exclusion.by, exclusion.reason) == ("ann", "all the same grade")
    with workspace.store.read() as connection:
        assert {row.rater for row in current_grades(connection)} == {"bob"}
        told = entries(connection, limit=1)[0]
    assert (told.action, told.subject, told.actor) == ("rater.exclude", "bob", "ann")
    assert told.details == {"reason": "all the same grade", "pairs_asked_again": 4}


def test_excluding_again_changes_the_reason_and_no_count(workspace: Workspace) -> None:
    grade_all(workspace, "bob")
    exclude_rater(workspace, "bob", "one", None)
    after = standing_counts(workspace)
    assert exclude_rater(workspace, "bob", "two", None) == 0
    assert exclude_rater(workspace, "bob", "two", None) == 0
    assert standing_counts(workspace) == after
    exclusion = find_exclusion(workspace, "bob")
    assert exclusion is not None
    assert exclusion.reason == "two"
    with workspace.store.read() as connection:
        told = [entry.details["reason"] for entry in entries(connection, limit=9, prefix="rater.")]
    assert told == ["two", "one"]


def test_including_who_counts_changes_nothing(workspace: Workspace) -> None:
    grade_all(workspace, "bob")
    before = standing_counts(workspace)
    include_rater(workspace, "bob", None)
    assert standing_counts(workspace) == before
    with workspace.store.read() as connection:
        assert not entries(connection, limit=9, prefix="rater.")


def test_what_is_graded_while_left_out_fills_nothing(workspace: Workspace) -> None:
    exclude_rater(workspace, "bob", "in training", None)
    graded = grade_all(workspace, "bob")
    assert set(standing_counts(workspace).values()) == {(0, K)}
    undo_last(workspace, "bob")
    with workspace.store.write() as connection:
        bob = add_person(connection, "bob").person_id
        rows = [
            ImportedJudgment(f"q{query}", f"d{document}", bob, "grade", 3)
            for query in (0, 1)
            for document in (0, 1)
        ]
        import_judgments_batch(connection, rows)
    assert set(standing_counts(workspace).values()) == {(0, K)}
    include_rater(workspace, "bob", None)
    assert standing_counts(workspace) == counts_anew(workspace)
    assert sum(n for n, _ in standing_counts(workspace).values()) == len(graded)


def test_pairs_with_enough_grades_are_not_asked_again(workspace: Workspace) -> None:
    grade_all(workspace, "ann")
    grade_all(workspace, "bob")
    with workspace.store.write() as connection:
        apply_rule(connection, QuotaRule(1, 1.0))
    assert pairs_that_would_lose(workspace, "bob") == 0
    assert exclude_rater(workspace, "bob", "guesses", None) == 0
    assert pairs_that_would_lose(workspace, "bob") == 0
    assert pairs_that_would_lose(workspace, "ann") == 4
    with workspace.store.write() as connection:
        set_query_state(connection, 1, status="retired")
    assert pairs_that_would_lose(workspace, "ann") == 2


def test_what_cannot_be_judged_stays_given_up(workspace: Workspace) -> None:
    pair = pair_for(workspace, "ann")
    for rater in ("ann", "bob"):
        cannot_judge(workspace, rater, pair.pair_id, "in Greek", token=uuid4().hex)
    exclude_rater(workspace, "bob", "guesses", None)
    assert standing_counts(workspace)[pair.pair_id] == (0, 0)
    cannot_judge(workspace, "cy", pair.pair_id, "in Greek", token=uuid4().hex)
    assert standing_counts(workspace) == counts_anew(workspace)


def test_queues_hear_of_it(workspace: Workspace) -> None:
    seen = []
    for change in (
        lambda: exclude_rater(workspace, "bob", "guesses", None),
        lambda: include_rater(workspace, "bob", None),
    ):
        with workspace.store.read() as connection:
            before = queue_changes(connection)
        change()
        with workspace.store.read() as connection:
            seen.append(queue_changes(connection) > before)
    assert seen == [True, True]


def test_who_has_gone_can_be_left_out_too(workspace: Workspace) -> None:
    grade_all(workspace, "bob")
    deactivate(workspace, "bob", None)
    # Each wanted one more grade, and wants two now.
    assert exclude_rater(workspace, "bob", "guessed", None) == 4
    assert set(standing_counts(workspace).values()) == {(0, K)}


@pytest.mark.parametrize("reason", ["", " \n ", "x" * 501, "\ud800", "\x00"])
def test_a_reason_is_needed(workspace: Workspace, reason: str) -> None:
    with pytest.raises(BuilderError, match="reason"):
        exclude_rater(workspace, "bob", reason, None)
    assert find_exclusion(workspace, "bob") is None


def test_only_people_are_left_out_and_by_analysts(workspace: Workspace) -> None:
    with workspace.store.write() as connection:
        add_person(connection, "old.tsv", kind="import")
    ann, bob = ensure_person(workspace, "ann"), ensure_person(workspace, "bob")
    for name, actor in (("old.tsv", ann), ("cy", bob)):
        with pytest.raises(NotAllowedError):
            exclude_rater(workspace, name, "why", actor)
        with pytest.raises(NotAllowedError):
            include_rater(workspace, name, actor)
    with pytest.raises(BuilderError, match="Nobody is called zoe"):
        exclude_rater(workspace, "zoe", "why", ann)
    change_role(workspace, "bob", "analyst", ann)
    exclude_rater(workspace, "cy", "why", bob)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with filled(tmp_path_factory.mktemp("excluding") / "w", n_queries=2, n_ranks=2) as opened:
        yield opened


def forget_everything(workspace: Workspace) -> None:
    with workspace.store.write() as connection:
        for table in (leases, current_judgments, judgments):
            connection.execute(delete(table))
        nothing = {"human_grades": 0, "cannot_judges": 0, "open_slots": pairs.c.quota}
        connection.execute(update(pairs).values(nothing))
        connection.execute(update(people).values(excluded_at=None))
        connection.execute(update(queries).values(status="active"))
        note_change(connection)


_actions = st.sampled_from(
    [*["grade"] * 4, "skip", "cannot_judge", "undo", "exclude", "include", "import", "retire"]
)


def exclude(workspace: Workspace, rater: str, number: int) -> None:
    losing, before = pairs_that_would_lose(workspace, rater), standing_counts(workspace)
    assert exclude_rater(workspace, rater, f"reason {number}", None) == losing
    after = standing_counts(workspace)
    assert sum(after[pair][1] > before[pair][1] for pair in before) == losing


def change_store(workspace: Workspace, rater: str, action: str, number: int) -> None:
    with workspace.store.write() as connection:
        if action == "retire":
            set_query_state(connection, 1, status="retired" if number % 2 else "active")
        else:
            person_id = add_person(connection, rater).person_id
            row = ImportedJudgment("q0", "d1", person_id, "grade", number % 4)
            import_judgments_batch(connection, [row])


def say(workspace: Workspace, rater: str, action: str, number: int) -> None:
    token, pair = uuid4().hex, next_pair(workspace, rater)
    if pair is None:
        return
    if action == "grade":
        submit_grade(workspace, rater, pair.pair_id, number % 4, token=token)
    elif action == "skip":
        skip(workspace, rater, pair.pair_id, token=token)
    else:
        cannot_judge(workspace, rater, pair.pair_id, "why", token=token)


def step(workspace: Workspace, rater: str, action: str, number: int) -> None:
    match action:
        case "exclude":
            exclude(workspace, rater, number)
        case "include":
            include_rater(workspace, rater, None)
        case "undo":
            undo_last(workspace, rater)
        case "import" | "retire":
            change_store(workspace, rater, action, number)
        case _:
            say(workspace, rater, action, number)


@given(steps=st.lists(st.tuples(st.sampled_from(RATERS), _actions), max_size=40))
@settings(max_examples=examples(20, 100), deadline=None)
def test_pairs_always_want_what_the_log_leaves_them(
    small: Workspace, steps: list[tuple[str, str]]
) -> None:
    forget_everything(small)
    for number, (rater, action) in enumerate(steps):
        step(small, rater, action, number)
        assert standing_counts(small) == counts_anew(small)
    with small.store.read() as connection:
        left_out = select(people.c.name).where(people.c.excluded_at.is_not(None))
        names = set(connection.execute(left_out).scalars())
        longest = select(func.max(pairs.c.human_grades))
        assert (connection.execute(longest).scalar_one() or 0) <= len(RATERS) - len(names)
