"""Brings in what adjudicators decided, out of a file of judgments.

A decision wins over all grades of its pair, so none comes in unseen: each is counted under the note
`adjudicated`, with the name of who decided. A file adds decisions where none stands; it neither
replaces nor takes back what is decided here.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby
from uuid import uuid4

from builder.importers.intake import Intake, note
from builder.importers.rows import FaultError, Row, shown
from builder.store.adjudications import (
    TAKEN_BACK,
    Decision,
    NewDecision,
    add_decision,
    decisions_of_pairs,
)
from builder.store.judgment_imports import IMPORTED, pair_ids_of
from builder.store.moments import now_text
from builder.store.people import Person, find_person
from builder.store.staging import StagedJudgment, staged_decisions_by_pair

PAIRS = 500
"""Pairs whose decisions are looked up together."""


def merge_decisions(intake: Intake) -> None:
    """Bring the staged decisions into the store; their people and pairs are there already."""
    merging = _Merging(intake)
    for chunk in _chunks(staged_decisions_by_pair(intake.connection)):
        merging.take(chunk)
    stand = {name: n for name, n in sorted(merging.by_person.items()) if n}
    if stand:
        note(intake.tally, "adjudicated", sum(stand.values()))
        told = [f"{name} decided {n} {'pair' if n == 1 else 'pairs'}" for name, n in stand.items()]
        intake.tally.named["adjudicated"] = told


class _Merging:
    """Counts what became of the rows."""

    def __init__(self, intake: Intake) -> None:
        self.by_person: Counter[str] = Counter()
        self._intake = intake
        self._batch = uuid4().hex
        self._number = 0
        self._people: dict[str, Person | None] = {}

    def take(self, chunk: Mapping[tuple[str, str], list[StagedJudgment]]) -> None:
        """Take the decisions of some pairs, each in the order of time."""
        connection = self._intake.connection
        pair_ids = pair_ids_of(connection, list(chunk))
        known = decisions_of_pairs(connection, list(pair_ids.values()))
        for pair, rows in chunk.items():
            pair_id = pair_ids[pair]
            people = [row for row in rows if self._is_person(row)]
            self._settle(pair_id, people, known.get(pair_id, []))

    def _settle(self, pair_id: int, rows: list[StagedJudgment], known: list[Decision]) -> None:
        """What the file says of one pair, beside all that was decided of it here."""
        here = next((decision for decision in known if decision.stands), None)
        latest = max((decision.decided_at for decision in known), default="")
        told = {(d.adjudicator, d.grade, d.decided_at) for d in known}
        new: list[StagedJudgment] = []
        for row in rows:
            timed = row._replace(judged_at=row.judged_at or now_text())
            moment = str(timed.judged_at)
            if row.outcome == TAKEN_BACK:
                self._take_back(timed, here, new)
            elif _knows(told, row):
                self._intake.tally.duplicate += 1
            elif here is not None and moment >= here.decided_at:
                self._refuse(row, here)
            elif moment <= latest:
                self._write(pair_id, timed, stands=False)
                note(self._intake.tally, "older", 1)
            else:
                new.append(timed)
            if row.grade is not None:
                told.add((str(row.rater), row.grade, moment))
        self._write_new(pair_id, new)

    def _take_back(
        self, row: StagedJudgment, here: Decision | None, new: list[StagedJudgment]
    ) -> None:
        """From this row on, nothing that the file said before stands."""
        if here is not None and str(row.judged_at) >= here.decided_at:
            self._refuse(row, here)
            return
        if new and new[-1].outcome != TAKEN_BACK:
            new.append(row)
            self._intake.tally.accepted += 1
        else:
            self._intake.tally.duplicate += 1

    def _write_new(self, pair_id: int, rows: list[StagedJudgment]) -> None:
        for place, row in enumerate(rows, start=1):
            if row.outcome != TAKEN_BACK:
                stands = place == len(rows)
                self._write(pair_id, row, stands=stands)
                self.by_person[str(row.rater)] += stands

    def _write(self, pair_id: int, row: StagedJudgment, *, stands: bool) -> None:
        person, grade = self._people[str(row.rater)], row.grade
        if person is None or grade is None:
            raise LookupError(f"line {row.line} of {row.file} was checked and is no decision")
        self._number += 1
        token = f"{IMPORTED}{self._batch}-d{self._number}"
        decision = NewDecision(
            pair_id,
            person.person_id,
            grade,
            row.reason,
            str(row.judged_at),
            token,
            row.milliseconds,
        )
        add_decision(self._intake.connection, decision, stands=stands)
        self._intake.tally.accepted += 1

    def _is_person(self, row: StagedJudgment) -> bool:
        """Whether the one who decided is a person here; else the row is refused."""
        name = str(row.rater)
        if name not in self._people:
            self._people[name] = find_person(self._intake.connection, name)
        person = self._people[name]
        if person is not None and person.kind == "human":
            return True
        fault = FaultError(
            "bad_adjudicator", f"{shown(name)} is no person here, and only people decide."
        )
        self._intake.refuse(_row(row), fault)
        return False

    def _refuse(self, row: StagedJudgment, here: Decision) -> None:
        fault = FaultError(
            "decided_here",
            f"Here the pair of query {shown(row.query_id)} and document {shown(row.doc_id)} is "
            f"decided: {here.grade}. A file does not change that. Take it back on the page "
            "Adjudicate first, or take this row out.",
        )
        self._intake.refuse(_row(row), fault)


def _knows(told: set[tuple[str, int, str]], row: StagedJudgment) -> bool:
    """Whether this was told already; of a row without a time it is enough that it was ever."""
    if row.judged_at is not None:
        return (str(row.rater), row.grade, row.judged_at) in told
    return (row.rater, row.grade) in {(name, grade) for name, grade, _ in told}


def _row(row: StagedJudgment) -> Row:
    return Row(row.file, row.line, row.raw)


def _chunks(
    rows: Iterator[StagedJudgment],
) -> Iterator[dict[tuple[str, str], list[StagedJudgment]]]:
    chunk: dict[tuple[str, str], list[StagedJudgment]] = {}
    for pair, of_pair in groupby(rows, key=lambda row: (row.query_id, row.doc_id)):
        chunk[pair] = list(of_pair)
        if len(chunk) == PAIRS:
            yield chunk
            chunk = {}
    if chunk:
        yield chunk
