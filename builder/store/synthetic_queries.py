"""What a language model wrote, query by query: kept, whatever is said of it.

A candidate is one text of one answer. Its text is untrusted and stays as the model wrote it; what
the filters found, and what a reviewer said, stands beside it.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Unpack

from sqlalchemy import (
    Connection,
    RowMapping,
    Select,
    bindparam,
    func,
    insert,
    null,
    or_,
    select,
    update,
)

from builder.store.batches import batches
from builder.store.deeds import json_text
from builder.store.schema import documents, queries
from builder.store.synthesis_schema import (
    llm_calls,
    syntheses,
    synthesis_tasks,
    synthetic_queries,
)
from builder.store.synthetic_records import (
    Candidate,
    CandidateCounts,
    Finding,
    Judged,
    KeptText,
    Wanted,
)
from builder.store.texts import storable

__all__ = [
    "Candidate",
    "CandidateCounts",
    "Finding",
    "Judged",
    "KeptText",
    "Wanted",
    "add_candidates",
    "candidates_by_id",
    "candidates_of",
    "candidates_that_became",
    "count_candidates",
    "find_candidate",
    "kept_texts",
    "note_judged",
    "texts_of",
]

BATCH = 1000


def add_candidates(
    connection: Connection, call_id: int, task_id: int, texts: Sequence[str]
) -> list[int]:
    """Write what an answer holds, in the transaction that records the answer.

    Args:
        connection: Inside a writing transaction.
        call_id: The answered call.
        task_id: Its task.
        texts: As the model wrote them, in their order; empty ones, too. What no store takes, U+0000
            and lone surrogates, becomes U+FFFD; the answer keeps it.

    Returns:
        The candidate_ids, in the order of the texts.
    """
    table = synthetic_queries
    added = []
    for ordinal, text in enumerate(texts):
        row = {"call_id": call_id, "task_id": task_id, "ordinal": ordinal, "text": storable(text)}
        made = connection.execute(insert(table).values(row).returning(table.c.candidate_id))
        added.append(int(made.scalar_one()))
    return added


def candidates_of(
    connection: Connection, synthesis_id: int | None = None, **wanted: Unpack[Wanted]
) -> list[Candidate]:
    """Candidates, in the order of their runs, tasks and answers.

    Args:
        connection: Inside a transaction.
        synthesis_id: Of this run, taken back or not; None: of all runs that stand.
        wanted: Which of them; all.
    """
    chosen = _chosen(synthesis_id)
    table = synthetic_queries.c
    for column, value, unset in (
        (table.verdict, wanted.get("verdict"), "unseen"),
        (table.review, wanted.get("review"), "waiting"),
    ):
        if value is not None:
            chosen = chosen.where(column.is_(None) if value == unset else column == value)
    chosen = chosen.limit(wanted.get("limit"))
    return [_candidate(row) for row in connection.execute(chosen).mappings()]


def find_candidate(connection: Connection, candidate_id: int) -> Candidate | None:
    """The candidate of this key, whatever became of its run; None if there is none."""
    chosen = _columns().where(synthetic_queries.c.candidate_id == candidate_id)
    row = connection.execute(chosen).mappings().one_or_none()
    return None if row is None else _candidate(row)


def candidates_by_id(connection: Connection, candidate_ids: Iterable[int]) -> dict[int, Candidate]:
    """Those of these that exist, whatever became of their runs, by their keys."""
    found: dict[int, Candidate] = {}
    for batch in batches(candidate_ids, BATCH):
        chosen = _columns().where(synthetic_queries.c.candidate_id.in_(batch))
        rows = connection.execute(chosen).mappings()
        found.update((row["candidate_id"], _candidate(row)) for row in rows)
    return found


def candidates_that_became(
    connection: Connection, query_ids: Iterable[str]
) -> dict[str, Candidate]:
    """query_id -> the candidate that it was, an accepted one before others, then the latest."""
    found: dict[str, Candidate] = {}
    for batch in batches(query_ids, BATCH):
        chosen = _columns().where(queries.c.query_id.in_(batch))
        for row in connection.execute(chosen).mappings():
            known = found.get(row["query_id"])
            if known is None or known.review != "accepted" or row["review"] == "accepted":
                found[row["query_id"]] = _candidate(row)
    return found


def count_candidates(connection: Connection, synthesis_id: int | None = None) -> CandidateCounts:
    """What became of what was written.

    Args:
        connection: Inside a transaction.
        synthesis_id: Of this run, taken back or not; None: of all runs that stand.
    """
    table = synthetic_queries.c
    chosen = _of_runs(select(table.verdict, table.reasons, table.flags, table.review), synthesis_id)
    rows = connection.execute(chosen).all()
    rejected: Counter[str] = Counter()
    flagged: Counter[str] = Counter()
    for row in rows:
        if row.verdict == "rejected":
            rejected[_findings(row.reasons)[0].filter] += 1
        elif row.verdict == "kept":
            flagged.update({one.filter for one in _findings(row.flags)})
    verdicts = Counter(row.verdict for row in rows)
    reviews = Counter(row.review for row in rows)
    waiting = sum(row.verdict == "kept" and row.review is None for row in rows)
    return CandidateCounts(
        generated=len(rows),
        kept=verdicts["kept"],
        rejected=dict(rejected.most_common()),
        flagged=dict(flagged.most_common()),
        unseen=verdicts[None],
        accepted=reviews["accepted"],
        refused=reviews["rejected"],
        waiting=waiting,
    )


def kept_texts(connection: Connection) -> list[KeptText]:
    """What the filters kept or a reviewer accepted, of all runs that stand, in their order."""
    query = synthetic_queries.c
    said = func.coalesce(query.edited_text, query.text).label("text")
    chosen = select(query.candidate_id, said, documents.c.doc_id, queries.c.query_id)
    joined = synthetic_queries.join(synthesis_tasks).join(syntheses).join(documents)
    joined = joined.outerjoin(queries, queries.c.query_key == query.query_key)
    chosen = chosen.select_from(joined).where(syntheses.c.taken_back_at.is_(None))
    chosen = chosen.where(or_(query.verdict == "kept", query.query_key.is_not(None)))
    ordered = chosen.order_by(
        synthesis_tasks.c.synthesis_id, synthesis_tasks.c.position, query.candidate_id
    )
    return [KeptText(*row) for row in connection.execute(ordered)]


def note_judged(connection: Connection, judged: Iterable[Judged]) -> None:
    """Write what the filters say; of what somebody has reviewed nothing changes.

    Args:
        connection: Inside a writing transaction.
        judged: One of each candidate.
    """
    table = synthetic_queries
    asked = update(table).where(
        table.c.candidate_id == bindparam("which"), table.c.review == null()
    )
    for batch in batches(map(_judged_row, judged), BATCH):
        connection.execute(asked, batch)


def texts_of(connection: Connection, query_ids: Iterable[str]) -> dict[str, str]:
    """query_id -> its text now, of those that exist."""
    found: dict[str, str] = {}
    for batch in batches(query_ids, BATCH):
        chosen = select(queries.c.query_id, queries.c.text).where(queries.c.query_id.in_(batch))
        found.update((row.query_id, row.text) for row in connection.execute(chosen))
    return found


def _judged_row(one: Judged) -> dict[str, Any]:
    return {
        "which": one.candidate_id,
        "verdict": "rejected" if one.reasons else "kept",
        "reasons": _findings_text(one.reasons),
        "flags": _findings_text(one.flags),
        "measured": json_text(dict(one.measured)),
    }


def _columns() -> Select[Any]:
    query, task, call = synthetic_queries.c, synthesis_tasks.c, llm_calls.c
    length = task.last_character - task.first_character
    columns = (
        *(query.candidate_id, task.synthesis_id, query.task_id, query.call_id, query.ordinal),
        *(query.text, query.verdict, query.reasons, query.flags, query.measured),
        *(query.review, query.reviewed_at, query.reviewed_by, query.edited_text),
        *(queries.c.query_id, documents.c.doc_id, documents.c.title),
        func.substr(documents.c.text, task.first_character + 1, length).label("passage"),
        *(task.first_character, task.last_character, task.prompt, task.prompt_hash),
        *(task.language, task.stratum, task.position, task.request_hash, task.examples),
        *(call.finish_reason, call.model_served.label("model")),
    )
    joined = synthetic_queries.join(synthesis_tasks).join(syntheses).join(documents)
    joined = joined.join(llm_calls, llm_calls.c.call_id == query.call_id)
    joined = joined.outerjoin(queries, queries.c.query_key == query.query_key)
    chosen = select(*columns).select_from(joined)
    return chosen.order_by(task.synthesis_id, task.position, query.candidate_id)


def _chosen(synthesis_id: int | None) -> Select[Any]:
    if synthesis_id is None:
        return _columns().where(syntheses.c.taken_back_at.is_(None))
    return _columns().where(synthesis_tasks.c.synthesis_id == synthesis_id)


def _of_runs(chosen: Select[Any], synthesis_id: int | None) -> Select[Any]:
    joined = synthetic_queries.join(synthesis_tasks).join(syntheses)
    chosen = chosen.select_from(joined)
    if synthesis_id is None:
        return chosen.where(syntheses.c.taken_back_at.is_(None))
    return chosen.where(syntheses.c.synthesis_id == synthesis_id)


def _candidate(row: RowMapping) -> Candidate:
    told = dict(row) | {
        "reasons": _findings(row["reasons"]),
        "flags": _findings(row["flags"]),
        "measured": json.loads(row["measured"]),
        "examples": tuple((query, doc) for query, doc in json.loads(row["examples"])),
    }
    return Candidate(**told)


def _findings(text: str) -> tuple[Finding, ...]:
    return tuple(Finding(one["filter"], one["detail"]) for one in json.loads(text))


def _findings_text(findings: Iterable[Finding]) -> str:
    return json_text([one._asdict() for one in findings])
