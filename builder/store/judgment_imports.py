"""Imports judgments in bulk: what is known already is a duplicate, what is old stays history."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar
from uuid import uuid4

from sqlalchemy import Connection, insert, select, tuple_

from builder.store.current import Current, set_current
from builder.store.documents import document_keys
from builder.store.moments import now_text
from builder.store.pool import Pair, add_pairs
from builder.store.queries import query_keys
from builder.store.schema import judgments, pairs

IMPORTED = "import-"
"""How the tokens of imported judgments begin: nobody pressed a key for them."""

CHUNK = 1000
"""How many values one statement asks for; SQLite takes 32,766."""

T = TypeVar("T")

Fate: TypeAlias = Literal["accepted", "duplicate", "older"]
Verdict: TypeAlias = tuple[str, int | None]
"""(outcome, grade)"""

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00")


class ImportedJudgment(NamedTuple):
    """One judgment out of a file.

    Attributes:
        query_id: A known query.
        doc_id: A known document.
        person_id: Who judged.
        outcome: grade, skip, cannot_judge, or undone (from then on nothing stands).
        grade: 0 to 3 with the outcome grade, else None.
        comment: What the rater wrote, "" if nothing.
        judged_at: As `moments.utc_text` writes it; None where the file does not say.
        reason: Why the rater skipped or cannot judge, "" if not said.
        milliseconds: How long the rater looked at the pair; None if unknown.
        recorded_at: Of one without judged_at: when it came into the store that wrote the file, from
            which it counts; written as judged_at. None: it counts from now.
    """

    query_id: str
    doc_id: str
    person_id: int
    outcome: str
    grade: int | None
    comment: str = ""
    judged_at: str | None = None
    reason: str = ""
    milliseconds: int | None = None
    recorded_at: str | None = None


_Key: TypeAlias = tuple[int, int]
"""(pair_id, rater_id)"""


@dataclass(slots=True)
class _History:
    """What one rater said of one pair so far: in the log, and in the file up to this row.

    Attributes:
        timed: How often the log says (moment, verdict), repetitions in a row counted once; a
            judgment without a time counts at the moment at which it was recorded.
        met: Likewise of the file up to this row.
        last: What was said last of a moment, in the log, then in the file.
        untimed: The verdicts without a time, in order.
        moment: The time of the judgment that stands; None if there is none.
        stands: What it says, as far as the log goes.
        logged: Whether the log holds anything.
        repeats: Whether the file's rows without a time say what the log's last ones say, or only
            what stands anyway.
        winner: The row of the file that stands now; None while none does.
    """

    timed: Counter[tuple[str, Verdict]] = field(default_factory=Counter)
    met: Counter[tuple[str, Verdict]] = field(default_factory=Counter)
    last: dict[str, Verdict] = field(default_factory=dict)
    untimed: list[Verdict] = field(default_factory=list)
    moment: str | None = None
    stands: Verdict | None = None
    logged: bool = False
    repeats: bool = False
    winner: dict[str, Any] | None = None

    def remember(self, verdict: Verdict, judged_at: str | None, recorded_at: str) -> None:
        """Take in a row of the log; rows come in the order of the log."""
        self.logged = True
        moment = judged_at or recorded_at
        if moment >= (self.moment or ""):
            self.moment, self.stands = moment, verdict
        if self.last.get(moment) != verdict:
            self.timed[moment, verdict] += 1
        self.last[moment] = verdict
        if judged_at is None:
            self.untimed.append(verdict)

    def recognise(self, coming: Iterable[Verdict]) -> None:
        """See whether the file's rows without a time are the end of the log's."""
        distinct = [verdict for verdict, _ in groupby(coming)]
        self.repeats = self.untimed[-len(distinct) :] == distinct or distinct == [self.stands]

    def begin(self) -> None:
        """The log is told; rows of the file follow."""
        self.last.clear()

    def enter(self, row: dict[str, Any], told_at: str | None) -> Fate:
        """Take in a row of the file and say what becomes of it.

        Args:
            row: As the log would hold it.
            told_at: The moment that the file gives it; None if none.
        """
        verdict = (row["outcome"], row["grade"])
        if self._knows(verdict, told_at):
            return "duplicate"
        if row["judged_at"] is None:
            self.untimed.append(verdict)
        moment = row["judged_at"] or row["recorded_at"]
        if self.moment is not None and moment < self.moment:
            return "older"
        self.moment, self.winner = moment, row
        return "accepted"

    def _knows(self, verdict: Verdict, moment: str | None) -> bool:
        if moment is None:
            return self.repeats or self.untimed[-1:] == [verdict]
        # At one moment somebody may grade, take it back, and grade the same again: the second
        # grade is a row of its own, and the same file once more is none.
        if self.last.get(moment) == verdict:
            return True
        self.last[moment] = verdict
        self.met[moment, verdict] += 1
        is_known = self.met[moment, verdict] <= self.timed[moment, verdict]
        return is_known and not self._is_overtaken(moment, verdict)

    def _is_overtaken(self, moment: str, verdict: Verdict) -> bool:
        """Whether a row of the file stands that said something else at this very moment.

        The file says it before this one, which therefore stands; in the log it would come after.
        """
        if self.winner is None or moment != self.moment:
            return False
        return (self.winner["outcome"], self.winner["grade"]) != verdict


def import_judgments_batch(connection: Connection, rows: Sequence[ImportedJudgment]) -> list[Fate]:
    """Write the judgments in the order of the file, and say what became of each.

    A row is a `duplicate` if this rater said the same of this pair at the same time (of a row
    without time: if it came in at the same time, where the file tells). Without times, it is one if
    it repeats what came last without a time, or if all such rows of this rater and pair repeat the
    end of what came before, or what stands: the same file imported twice changes nothing, and a
    file without times takes no time or comment away. A row that is `older` than what stands goes
    into the log and changes nothing else. Pairs outside the pool join it with the source `import`.

    Args:
        connection: Inside a writing transaction.
        rows: Any number of judgments; a pair and rater may come several times.

    Raises:
        LookupError: A query or document is unknown.
        ValueError: A time is not written as the store writes it.
        sqlalchemy.exc.IntegrityError: A rater is unknown, or a grade not 0 to 3.
    """
    logged = _as_logged(connection, rows)
    moments = [row.judged_at or row.recorded_at for row in rows]
    histories = _histories(connection, logged, moments)
    fates = [
        histories[row["pair_id"], row["rater_id"]].enter(row, moment)
        for row, moment in zip(logged, moments, strict=True)
    ]
    kept = [row for row, fate in zip(logged, fates, strict=True) if fate != "duplicate"]
    if kept:
        connection.execute(insert(judgments), kept)
        _set_winners(connection, histories)
    return fates


def _as_logged(connection: Connection, rows: Sequence[ImportedJudgment]) -> list[dict[str, Any]]:
    """The rows as the log holds them."""
    pair_ids = pair_ids_of(connection, list({(row.query_id, row.doc_id) for row in rows}))
    arrived, batch = now_text(), uuid4().hex
    return [
        {
            "pair_id": pair_ids[row.query_id, row.doc_id],
            "rater_id": row.person_id,
            "outcome": row.outcome,
            "grade": row.grade,
            "comment": row.comment,
            "reason": row.reason,
            "milliseconds": row.milliseconds,
            "judged_at": _checked(row.judged_at),
            "recorded_at": _checked(row.recorded_at) or arrived,
            "token": f"{IMPORTED}{batch}-{at}",
        }
        for at, row in enumerate(rows)
    ]


def _checked(judged_at: str | None) -> str | None:
    # Text order is time order only where all are written alike.
    if judged_at is not None and not _MOMENT.fullmatch(judged_at):
        raise ValueError(f"judged_at == {judged_at!r}, must be as 2026-11-30T12:00:00.000000+00:00")
    return judged_at


def pair_ids_of(connection: Connection, asked: Sequence[tuple[str, str]]) -> dict[Pair, int]:
    """(query_id, doc_id) -> pair_id; pairs outside the pool join it."""
    found: dict[Pair, int] = {}
    for chunk in _chunks(asked):
        found |= _known_pairs(connection, chunk)
        outside = [pair for pair in chunk if pair not in found]
        if outside:
            add_pairs(connection, outside, "import")
            found |= _known_pairs(connection, outside)
    return found


def _known_pairs(connection: Connection, asked: Sequence[Pair]) -> dict[Pair, int]:
    by_query = query_keys(connection, list({query_id for query_id, _ in asked}))
    by_document = document_keys(connection, list({doc_id for _, doc_id in asked}))
    names = {
        (by_query[pair[0]], by_document[pair[1]]): pair
        for pair in asked
        if pair[0] in by_query and pair[1] in by_document
    }
    chosen = select(pairs.c.pair_id, pairs.c.query_key, pairs.c.doc_key)
    chosen = chosen.where(tuple_(pairs.c.query_key, pairs.c.doc_key).in_(list(names)))
    return {names[row.query_key, row.doc_key]: row.pair_id for row in connection.execute(chosen)}


def _histories(
    connection: Connection, coming: Sequence[dict[str, Any]], moments: Sequence[str | None]
) -> defaultdict[_Key, _History]:
    """What the raters of the file have said of its pairs before."""
    histories: defaultdict[_Key, _History] = defaultdict(_History)
    raters = list({row["rater_id"] for row in coming})
    for chunk in _chunks(list({row["pair_id"] for row in coming})):
        log = select(judgments).order_by(judgments.c.judgment_id)
        log = log.where(judgments.c.pair_id.in_(chunk), judgments.c.rater_id.in_(raters))
        for old in connection.execute(log):
            history = histories[old.pair_id, old.rater_id]
            history.remember((old.outcome, old.grade), old.judged_at, old.recorded_at)
    for history in histories.values():
        history.begin()
    untimed: defaultdict[_Key, list[Verdict]] = defaultdict(list)
    for row, moment in zip(coming, moments, strict=True):
        if moment is None:
            untimed[row["pair_id"], row["rater_id"]].append((row["outcome"], row["grade"]))
    for key, verdicts in untimed.items():
        histories[key].recognise(verdicts)
    return histories


def _set_winners(connection: Connection, histories: Mapping[_Key, _History]) -> None:
    """Let the rows of the file stand that are the latest of their rater and pair."""
    won = {key: history.winner for key, history in histories.items() if history.winner}
    ids: dict[str, int] = {}
    for chunk in _chunks([row["token"] for row in won.values()]):
        written = select(judgments.c.token, judgments.c.judgment_id)
        written = written.where(judgments.c.token.in_(chunk))
        ids |= {row.token: row.judgment_id for row in connection.execute(written)}
    stands = [Current(*key, ids[row["token"]], row["outcome"]) for key, row in won.items()]
    set_current(
        connection,
        new=[one for one in stands if not histories[one.pair_id, one.rater_id].logged],
        changed=[one for one in stands if histories[one.pair_id, one.rater_id].logged],
    )


def _chunks(values: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(values), CHUNK):
        yield values[start : start + CHUNK]
