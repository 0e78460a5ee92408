"""The ledger of calls to language models: a row before each request, its outcome after."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, bindparam, func, insert, select, update

from builder.store.moments import now_text
from builder.store.schema import documents
from builder.store.synthesis_schema import (
    llm_calls,
    syntheses,
    synthesis_tasks,
    synthetic_queries,
)
from builder.store.texts import storable

UNREACHABLE = "unreachable"
"""The outcome of a call for which no connection was made."""


class Intent(NamedTuple):
    """A request that is about to be sent.

    Attributes:
        task_id: What it asks for.
        attempt: From 1; no two of a task are equal.
        rung: How an answer of our form is asked for.
        seed: For the model.
        request_bytes: What is sent, in bytes.
        max_tokens: How long the answer may be.
    """

    task_id: int
    attempt: int
    rung: str
    seed: int
    request_bytes: int
    max_tokens: int


class Answer(NamedTuple):
    """What came of a request; the fields are columns of the ledger.

    Attributes:
        outcome: One of the client's outcomes.
        message: Why it is not ok; untrusted, and without keys.
        status: The HTTP status.
        model_served: As the server says.
        finish_reason: As the server says.
        prompt_tokens: None where nothing is known of them, and they may have been paid for.
        completion_tokens: Likewise.
        cached_tokens: None where the server does not say.
        cost: None where price or tokens are unknown.
        milliseconds: How long it took.
        answer: What the server answered; untrusted.
    """

    outcome: str
    message: str
    status: int | None
    model_served: str | None
    finish_reason: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None
    cost: float | None
    milliseconds: int
    answer: str


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run has taken.

    Attributes:
        calls: HTTP requests.
        unknown: Of these, without an outcome.
        prompt_tokens: That servers told.
        completion_tokens: That servers told.
        most_prompt_tokens: As prompt_tokens, with the most that each other call can have taken.
        most_completion_tokens: Likewise.
        untold: Calls of which tokens are unknown, those without an outcome among them.
        cost: Of the calls whose cost is known.
        costed: How many these are.
        unsent: Calls for which no connection was made: no server has seen them.
    """

    calls: int
    unknown: int
    prompt_tokens: int
    completion_tokens: int
    most_prompt_tokens: int
    most_completion_tokens: int
    untold: int
    cost: float
    costed: int
    unsent: int = 0


class Measured(NamedTuple):
    """What earlier calls of a model took, of one prompt and language.

    Attributes:
        prompt_hash: Of the prompt.
        language: ISO 639-1 code of the passage.
        calls: How many.
        request_bytes: In sum.
        prompt_tokens: In sum.
        completion_tokens: In sum.
        milliseconds: In sum.
    """

    prompt_hash: str
    language: str
    calls: int
    request_bytes: int
    prompt_tokens: int
    completion_tokens: int
    milliseconds: int


def add_call(connection: Connection, intent: Intent) -> int:
    """Write that a request is about to be sent; its call_id.

    Raises:
        sqlalchemy.exc.IntegrityError: The task has such an attempt.
    """
    row = {**intent._asdict(), "sent_at": now_text()}
    return int(connection.execute(_ADD_CALL, row).scalar_one())


def finish_call(connection: Connection, call_id: int, answer: Answer) -> None:
    """Write what came of a request."""
    row = {
        name: storable(value) if isinstance(value, str) else value
        for name, value in answer._asdict().items()
    }
    row |= {"answered_at": now_text(), "call": call_id}
    connection.execute(_FINISH_CALL, row)


def last_attempts(connection: Connection, synthesis_id: int) -> dict[int, int]:
    """task_id -> its highest attempt, of tasks of a run that were asked for."""
    counted = select(llm_calls.c.task_id, func.max(llm_calls.c.attempt)).join(synthesis_tasks)
    mine = counted.where(synthesis_tasks.c.synthesis_id == synthesis_id)
    rows = connection.execute(mine.group_by(llm_calls.c.task_id))
    return {row[0]: row[1] for row in rows}


def spent_by(connection: Connection, synthesis_id: int) -> Spent:
    """What a run has taken so far."""
    row = connection.execute(_of_run(_SPENT, synthesis_id)).one()
    return Spent(*(number or 0 for number in row))


def count_outcomes(connection: Connection, synthesis_id: int) -> dict[str, int]:
    """Outcome -> calls of a run; those without an outcome are not among them."""
    counted = select(llm_calls.c.outcome, func.count()).where(llm_calls.c.outcome.is_not(None))
    rows = connection.execute(_of_run(counted, synthesis_id).group_by(llm_calls.c.outcome))
    return dict(sorted((row[0], row[1]) for row in rows))


def models_served(connection: Connection, synthesis_id: int) -> list[str]:
    """The models that answered calls of a run, as servers say, in alphabetical order."""
    named = select(llm_calls.c.model_served).where(llm_calls.c.model_served.is_not(None))
    return sorted(connection.execute(_of_run(named.distinct(), synthesis_id)).scalars())


def last_message(connection: Connection, synthesis_id: int, outcome: str | None = None) -> str:
    """What was said of the latest call that was not ok, or that had this outcome; "" if none."""
    wanted = llm_calls.c.outcome != "ok" if outcome is None else llm_calls.c.outcome == outcome
    said = _of_run(select(llm_calls.c.message).where(wanted), synthesis_id)
    said = said.order_by(llm_calls.c.call_id.desc()).limit(1)
    return connection.execute(said).scalar() or ""


def cost_calls(
    connection: Connection, synthesis_id: int, prompt_price: float, completion_price: float
) -> None:
    """Write the cost of calls of a run whose tokens are known and whose cost is not.

    Args:
        connection: Inside a writing transaction.
        synthesis_id: The run.
        prompt_price: Of one token of a request.
        completion_price: Of one token of an answer.
    """
    mine = _of_run(select(llm_calls.c.call_id), synthesis_id)
    tokens = (llm_calls.c.prompt_tokens, llm_calls.c.completion_tokens)
    costed = update(llm_calls).where(
        llm_calls.c.call_id.in_(mine),
        llm_calls.c.cost.is_(None),
        *(one.is_not(None) for one in tokens),
    )
    cost = tokens[0] * prompt_price + tokens[1] * completion_price
    connection.execute(costed.values(cost=cost))


def ledger_rows(connection: Connection, synthesis_id: int) -> Iterator[Mapping[str, Any]]:
    """Every call of a run in the order of sending, by the names of the ledger's columns.

    With what its task asks for: position, doc_id, passage, prompt, language and hashes.
    """
    task = synthesis_tasks.c
    asked = (
        *(task.position, documents.c.doc_id, task.first_character, task.last_character),
        *(task.prompt, task.prompt_hash, task.language, task.request_hash),
    )
    chosen = _of_run(select(llm_calls, *asked), synthesis_id)
    chosen = chosen.join(documents, documents.c.doc_key == task.doc_key)
    for row in connection.execute(chosen.order_by(llm_calls.c.call_id)):
        yield dict(row._mapping)  # noqa: SLF001 - public, so named to keep clear of columns


def call_of_candidate(connection: Connection, candidate_id: int) -> Mapping[str, Any] | None:
    """The call, the task and the run that a candidate came of, by the names of their columns."""
    task, call = synthesis_tasks.c, llm_calls.c
    chosen = (
        select(
            *(call.rung, call.attempt, call.seed, call.max_tokens, call.sent_at, call.answer),
            *(call.model_served, call.finish_reason, call.prompt_tokens, call.completion_tokens),
            *(call.cost, documents.c.doc_id, task.first_character, task.last_character),
            *(task.prompt, task.prompt_hash, task.language, task.examples, task.request_hash),
            *(syntheses.c.synthesis_id, syntheses.c.parameters),
        )
        .select_from(synthetic_queries)
        .join(llm_calls, call.call_id == synthetic_queries.c.call_id)
        .join(synthesis_tasks, task.task_id == call.task_id)
        .join(documents, documents.c.doc_key == task.doc_key)
        .join(syntheses, syntheses.c.synthesis_id == task.synthesis_id)
        .where(synthetic_queries.c.candidate_id == candidate_id)
    )
    row = connection.execute(chosen).one_or_none()
    return None if row is None else dict(row._mapping)  # noqa: SLF001 - public


def measured_by(connection: Connection, synthesis_ids: list[int]) -> list[Measured]:
    """What the answered calls of these runs took, by prompt and language."""
    told = (llm_calls.c.request_bytes, llm_calls.c.prompt_tokens, llm_calls.c.completion_tokens)
    by = (synthesis_tasks.c.prompt_hash, synthesis_tasks.c.language)
    sums = (func.sum(one) for one in (*told, llm_calls.c.milliseconds))
    chosen = select(*by, func.count(), *sums).select_from(llm_calls.join(synthesis_tasks))
    chosen = chosen.where(
        synthesis_tasks.c.synthesis_id.in_(synthesis_ids),
        llm_calls.c.outcome == "ok",
        *(one > 0 for one in told),
    ).group_by(*by)
    return [Measured(*row) for row in connection.execute(chosen)]


def went_out() -> ColumnElement[bool]:
    """Whether a call was sent, or may have been: nothing is recorded of one that was killed."""
    return llm_calls.c.outcome.is_(None) | (llm_calls.c.outcome != UNREACHABLE)


def _of_run(chosen: Select[Any], synthesis_id: int) -> Select[Any]:
    beside = synthesis_tasks.c.task_id == llm_calls.c.task_id
    return chosen.join(synthesis_tasks, beside).where(
        synthesis_tasks.c.synthesis_id == synthesis_id
    )


def _summed(column: ColumnElement[Any]) -> ColumnElement[Any]:
    return func.sum(func.coalesce(column, 0))


def _spent() -> Select[Any]:
    call = llm_calls.c
    is_told = call.prompt_tokens.is_not(None) & call.completion_tokens.is_not(None)
    return select(
        func.count(),
        func.count().filter(call.outcome.is_(None)),
        _summed(call.prompt_tokens),
        _summed(call.completion_tokens),
        func.sum(func.coalesce(call.prompt_tokens, call.request_bytes)),
        func.sum(func.coalesce(call.completion_tokens, call.max_tokens)),
        func.count().filter(~is_told),
        _summed(call.cost),
        func.count(call.cost),
        func.count().filter(~went_out()),
    ).select_from(llm_calls)


_SPENT = _spent()
_ADD_CALL = insert(llm_calls).returning(llm_calls.c.call_id)
_FINISH_CALL = (
    update(llm_calls)
    .where(llm_calls.c.call_id == bindparam("call"))
    .values({name: bindparam(name) for name in (*Answer._fields, "answered_at")})
)
