"""What reviewers say of generated queries: what waits for them, and what was said of it.

A candidate waits while `review` is null; those of syntheses that were taken back, and those that no
filter has seen, wait for nobody.
"""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    case,
    func,
    select,
    update,
)

from builder.store.batches import batches
from builder.store.grades import is_of_no_model
from builder.store.moments import now_text
from builder.store.schema import (
    adjudications,
    current_judgments,
    documents,
    pairs,
    people,
    query_outcomes,
)
from builder.store.synthesis_schema import (
    syntheses,
    synthesis_tasks,
    synthetic_queries,
    validation_queries,
    validations,
)

BATCH = 500
_MINE = synthetic_queries.c
_CANDIDATES = synthetic_queries.join(
    synthesis_tasks, synthesis_tasks.c.task_id == _MINE.task_id
).join(syntheses, syntheses.c.synthesis_id == synthesis_tasks.c.synthesis_id)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which candidates a reviewer wants to see.

    Attributes:
        synthesis_id: Only of this run; None: of all that stand.
        prompt: Only of this type; None: of all.
        flagged: True: only what a filter flagged; False: only what none did; None: both.
        verdict: kept, or rejected: what the filters rejected and a reviewer may rescue.
    """

    synthesis_id: int | None = None
    prompt: str | None = None
    flagged: bool | None = None
    verdict: str = "kept"


@dataclass(frozen=True, slots=True)
class ReviewProgress:
    """How far the review is, of the candidates that somebody wants to see.

    Attributes:
        total: All of them.
        accepted: Of these.
        rejected: Of these.
        unflagged: Waiting ones that no filter flagged.
    """

    total: int = 0
    accepted: int = 0
    rejected: int = 0
    unflagged: int = 0

    @property
    def waiting(self) -> int:
        """How many wait for a reviewer."""
        return self.total - self.accepted - self.rejected


class Kind(NamedTuple):
    """So many candidates of one run and type, with one verdict of the filters."""

    synthesis_id: int
    prompt: str
    verdict: str
    candidates: int


def waiting_ids(connection: Connection, wanted: Wanted) -> list[int]:
    """The candidate_ids that wait for a reviewer, of those that are wanted.

    By run, document and place in it, so that a passage is read once, then as they were written.
    """
    task = synthesis_tasks.c
    chosen = select(_MINE.candidate_id).select_from(_CANDIDATES)
    chosen = chosen.where(_is_wanted(wanted), _MINE.review.is_(None))
    chosen = chosen.order_by(task.synthesis_id, task.doc_key, task.position, _MINE.candidate_id)
    return list(connection.execute(chosen).scalars())


def still_waiting(connection: Connection, candidate_ids: Collection[int]) -> list[int]:
    """Those of these (some hundred) that wait for a reviewer now and that the filters kept."""
    chosen = select(_MINE.candidate_id).select_from(_CANDIDATES).where(
        _MINE.candidate_id.in_(candidate_ids), _is_wanted(Wanted()), _MINE.review.is_(None)
    )  # fmt: skip
    waiting = set(connection.execute(chosen).scalars())
    return [one for one in candidate_ids if one in waiting]


def count_reviewed(connection: Connection, wanted: Wanted) -> ReviewProgress:
    """How far the review is."""
    waits = and_(_MINE.review.is_(None), ~_is_flagged())
    counted = select(
        func.count(),
        *(func.sum(case((_MINE.review == said, 1), else_=0)) for said in ("accepted", "rejected")),
        func.sum(case((waits, 1), else_=0)),
    )
    chosen = counted.select_from(_CANDIDATES).where(_is_wanted(wanted))
    total, accepted, rejected, unflagged = connection.execute(chosen).one()
    return ReviewProgress(total, accepted or 0, rejected or 0, unflagged or 0)


def kinds_to_review(connection: Connection) -> list[Kind]:
    """Which runs, types and verdicts there are among the candidates of standing syntheses."""
    columns = (synthesis_tasks.c.synthesis_id, synthesis_tasks.c.prompt, _MINE.verdict)
    counted = select(*columns, func.count()).select_from(_CANDIDATES)
    counted = counted.where(syntheses.c.taken_back_at.is_(None), _MINE.verdict.is_not(None))
    counted = counted.group_by(*columns).order_by(*columns)
    return [Kind(*row) for row in connection.execute(counted)]


def latest_reviewed(connection: Connection, by: str) -> int | None:
    """The candidate of which this reviewer said last what stands; None if nothing does."""
    chosen = select(_MINE.candidate_id).select_from(_CANDIDATES)
    chosen = chosen.where(
        syntheses.c.taken_back_at.is_(None), _MINE.review.is_not(None), _MINE.reviewed_by == by
    ).order_by(_MINE.reviewed_at.desc(), _MINE.candidate_id.desc())
    return connection.execute(chosen.limit(1)).scalar_one_or_none()


def note_accepted(
    connection: Connection, candidate_id: int, by: str, query_key: int, edited_text: str | None
) -> None:
    """Write that a candidate became this query, inside the transaction that made it one."""
    _note(connection, candidate_id, "accepted", by, query_key=query_key, edited_text=edited_text)


def note_rejected(connection: Connection, candidate_id: int, by: str) -> None:
    """Write that a candidate becomes nothing."""
    _note(connection, candidate_id, "rejected", by)


def note_waiting(connection: Connection, candidate_id: int) -> None:
    """Write that a candidate waits again; which query it was stays on record."""
    mine = update(synthetic_queries).where(_MINE.candidate_id == candidate_id)
    waits = dict.fromkeys(("review", "reviewed_at", "reviewed_by", "edited_text"))
    connection.execute(mine.values(waits))


def synthesis_stands(connection: Connection, synthesis_id: int) -> bool | None:
    """Whether there is such a synthesis that was not taken back; None: there is none."""
    chosen = select(syntheses.c.taken_back_at).where(syntheses.c.synthesis_id == synthesis_id)
    row = connection.execute(chosen).one_or_none()
    return None if row is None else row.taken_back_at is None


def model_asked(connection: Connection, synthesis_id: int) -> str | None:
    """Which model the synthesis asked; None where its plan does not say."""
    chosen = select(syntheses.c.parameters).where(syntheses.c.synthesis_id == synthesis_id)
    parameters: dict[str, Any] = json.loads(connection.execute(chosen).scalar_one())
    model: str | None = parameters.get("plan", {}).get("model")
    return model or None


def worked_on(connection: Connection, query_keys: Iterable[int]) -> dict[int, str]:
    """What people did with queries, of each the first that is so; without those with nothing.

    Returns:
        query_key -> judged: a grade, or "can't judge", of a person or an import stands; decided: an
        analyst's decision; discussed: a rater's word about the whole query; in_drawing: a
        validation that stands could draw it, whether it did or not.
    """
    found: dict[int, str] = {}
    for batch in batches(query_keys, BATCH):
        for reason, (query_key, chosen) in _WORK.items():
            for key in connection.execute(chosen.where(query_key.in_(batch))).scalars():
                found.setdefault(key, reason)
    return found


def pairs_of_queries(
    connection: Connection, query_keys: Collection[int]
) -> dict[tuple[int, str], int]:
    """(query_key, doc_id) -> pair_id, of these queries (some hundred)."""
    chosen = select(pairs.c.query_key, documents.c.doc_id, pairs.c.pair_id)
    chosen = chosen.join(documents, documents.c.doc_key == pairs.c.doc_key)
    rows = connection.execute(chosen.where(pairs.c.query_key.in_(query_keys)))
    return {(row.query_key, row.doc_id): row.pair_id for row in rows}


def synthetic_grades(connection: Connection, query_key: int) -> list[tuple[int, int]]:
    """(pair_id, rater_id) of the grades of this query that stand for a language model."""
    chosen = select(current_judgments.c.pair_id, current_judgments.c.rater_id)
    chosen = chosen.join(pairs, pairs.c.pair_id == current_judgments.c.pair_id)
    chosen = chosen.join(people, people.c.person_id == current_judgments.c.rater_id)
    chosen = chosen.where(
        pairs.c.query_key == query_key,
        people.c.kind == "synthetic",
        current_judgments.c.outcome == "grade",
    )
    return [(row.pair_id, row.rater_id) for row in connection.execute(chosen)]


def _work() -> dict[str, tuple[ColumnElement[int], Select[int]]]:
    """Reason -> column of the query, and the queries of which it is so."""
    of_pair, said, drawn = pairs.c.query_key, query_outcomes.c.query_key, validation_queries.c
    judged = select(of_pair).join(current_judgments, current_judgments.c.pair_id == pairs.c.pair_id)
    decided = select(of_pair).join(adjudications, adjudications.c.pair_id == pairs.c.pair_id)
    validated = select(drawn.query_key).join(
        validations, validations.c.validation_id == drawn.validation_id
    )
    is_said = current_judgments.c.outcome.in_(("grade", "cannot_judge"))
    return {
        "judged": (of_pair, judged.where(is_said, is_of_no_model())),
        "decided": (of_pair, decided.where(adjudications.c.standing == 1)),
        "discussed": (said, select(said).where(query_outcomes.c.standing == 1)),
        "in_drawing": (drawn.query_key, validated.where(validations.c.taken_back_at.is_(None))),
    }


def _note(
    connection: Connection,
    candidate_id: int,
    review: str,
    by: str,
    *,
    query_key: int | None = None,
    edited_text: str | None = None,
) -> None:
    said: dict[str, Any] = {"review": review, "reviewed_at": now_text(), "reviewed_by": by}
    if query_key is not None:
        said |= {"query_key": query_key, "edited_text": edited_text}
    mine = update(synthetic_queries).where(_MINE.candidate_id == candidate_id)
    connection.execute(mine.values(said))


def _is_flagged() -> ColumnElement[bool]:
    return _MINE.flags != "[]"


def _is_wanted(wanted: Wanted) -> ColumnElement[bool]:
    conditions = [syntheses.c.taken_back_at.is_(None), _MINE.verdict == wanted.verdict]
    if wanted.synthesis_id is not None:
        conditions.append(syntheses.c.synthesis_id == wanted.synthesis_id)
    if wanted.prompt is not None:
        conditions.append(synthesis_tasks.c.prompt == wanted.prompt)
    if wanted.flagged is not None:
        conditions.append(_is_flagged() if wanted.flagged else ~_is_flagged())
    return and_(*conditions)


_WORK = _work()
