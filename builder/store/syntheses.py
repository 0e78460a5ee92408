"""Runs of a language model in the store, and what each asks for, task by task."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, bindparam, func, insert, select, update

from builder.store.batches import batches
from builder.store.deeds import Deed, json_text, new_deed, read_deed, taken_back
from builder.store.documents import document_keys
from builder.store.schema import documents, queries
from builder.store.synthesis_schema import syntheses, synthesis_tasks, synthetic_queries

BATCH = 1000


@dataclass(frozen=True, slots=True)
class SynthesisRow(Deed):
    """One run.

    Attributes:
        synthesis_id: Its key.
        token: Made by whoever started it.
        state: ready, running, stopped or done, as it was last noted: a killed run says "running".
        reason: Why it stopped, a word of ours; "" else.
    """

    synthesis_id: int
    token: str | None
    state: str
    reason: str


class TaskFields(NamedTuple):
    """What a task asks for.

    Attributes:
        position: Its place in the run, from 0.
        doc_id: A document of the corpus.
        first_character: Where its passage begins.
        last_character: The character after its last.
        prompt: The prompt's name.
        prompt_hash: Of the prompt as it was.
        language: ISO 639-1 code.
        stratum: Which part of the corpus the document stands for.
        seed: For the model.
        examples: (query_id, doc_id) of what is shown.
        request_hash: Of all that the answer may depend on.
    """

    position: int
    doc_id: str
    first_character: int
    last_character: int
    prompt: str
    prompt_hash: str
    language: str
    stratum: str
    seed: int
    examples: tuple[tuple[str, str], ...]
    request_hash: str


class TaskRow(NamedTuple):
    """One task of a run: its key, and what it asks for."""

    task_id: int
    fields: TaskFields


def add_synthesis(
    connection: Connection, parameters: Mapping[str, Any], actor: str, token: str | None
) -> int:
    """Write a run that begins now; its synthesis_id.

    Raises:
        sqlalchemy.exc.IntegrityError: The token is known.
    """
    row = {**new_deed(parameters, {}, actor), "token": token, "state": "running"}
    made = insert(syntheses).values(row).returning(syntheses.c.synthesis_id)
    return int(connection.execute(made).scalar_one())


def add_tasks(connection: Connection, synthesis_id: int, tasks: Iterable[TaskFields]) -> None:
    """Write what a run asks for.

    Raises:
        LookupError: A document is unknown.
    """
    for batch in batches(tasks, BATCH):
        keys = document_keys(connection, list({one.doc_id for one in batch}))
        if missing := [one.doc_id for one in batch if one.doc_id not in keys]:
            raise LookupError(f"there is no document {missing[0]}")
        rows = [
            {"synthesis_id": synthesis_id, "doc_key": keys[one.doc_id], **_task_columns(one)}
            for one in batch
        ]
        connection.execute(insert(synthesis_tasks), rows)


def all_syntheses(connection: Connection) -> list[SynthesisRow]:
    """Every run, the latest first."""
    chosen = select(syntheses).order_by(syntheses.c.synthesis_id.desc())
    return [read_deed(SynthesisRow, row) for row in connection.execute(chosen)]


def find_synthesis(connection: Connection, synthesis_id: int) -> SynthesisRow | None:
    """The run of this number; None if there is none."""
    return _one(connection, select(syntheses).where(syntheses.c.synthesis_id == synthesis_id))


def find_by_token(connection: Connection, token: str) -> SynthesisRow | None:
    """The run that was started with this token; None if there is none."""
    return _one(connection, select(syntheses).where(syntheses.c.token == token))


def note_state(connection: Connection, synthesis_id: int, state: str, reason: str = "") -> None:
    """Note that a run is running, stopped (for this reason) or done."""
    connection.execute(_change(synthesis_id).values(state=state, reason=reason))


def note_dead(connection: Connection, reason: str) -> None:
    """Note that runs that say they are running have stopped; for whoever knows that none is."""
    dead = update(syntheses).where(syntheses.c.state == "running")
    connection.execute(dead.values(state="stopped", reason=reason))


def keep_parameters(
    connection: Connection, synthesis_id: int, parameters: Mapping[str, Any]
) -> None:
    """Write what is asked of a run from now on."""
    connection.execute(_change(synthesis_id).values(parameters=json_text(dict(parameters))))


def keep_outcome(connection: Connection, synthesis_id: int, outcome: Mapping[str, Any]) -> None:
    """Write what came of a run so far."""
    connection.execute(_change(synthesis_id).values(outcome=json_text(dict(outcome))))


def note_taken_back(connection: Connection, synthesis_id: int, by: str) -> None:
    """Note that a run was taken back now."""
    connection.execute(_change(synthesis_id).values(taken_back(by)))


def waiting_tasks(connection: Connection, synthesis_id: int) -> list[TaskRow]:
    """The tasks of a run that wait for an answer, by position."""
    chosen = select(synthesis_tasks, documents.c.doc_id).join(documents)
    chosen = chosen.where(
        synthesis_tasks.c.synthesis_id == synthesis_id, synthesis_tasks.c.state == "waiting"
    )
    return [
        _task_row(row) for row in connection.execute(chosen.order_by(synthesis_tasks.c.position))
    ]


def note_task(connection: Connection, task_id: int, state: str) -> None:
    """Note that a task is waiting, answered or failed."""
    connection.execute(_NOTE_TASK, {"task": task_id, "now": state})


def reopen_failed(connection: Connection, synthesis_id: int) -> int:
    """Let the failed tasks of a run wait again; how many."""
    mine = update(synthesis_tasks).where(
        synthesis_tasks.c.synthesis_id == synthesis_id, synthesis_tasks.c.state == "failed"
    )
    return connection.execute(mine.values(state="waiting")).rowcount


def shorten_task(connection: Connection, task_id: int, fields: TaskFields) -> None:
    """Let a task ask of another passage of its document."""
    changed = update(synthesis_tasks).where(synthesis_tasks.c.task_id == task_id)
    connection.execute(
        changed.values(
            first_character=fields.first_character,
            last_character=fields.last_character,
            request_hash=fields.request_hash,
        )
    )


def count_tasks(connection: Connection, synthesis_id: int) -> dict[str, int]:
    """State -> tasks of a run; states without any are absent."""
    counted = select(synthesis_tasks.c.state, func.count()).group_by(synthesis_tasks.c.state)
    mine = counted.where(synthesis_tasks.c.synthesis_id == synthesis_id)
    return {row[0]: row[1] for row in connection.execute(mine)}


def count_task_documents(connection: Connection, synthesis_id: int) -> int:
    """How many documents a run asks of."""
    counted = select(func.count(synthesis_tasks.c.doc_key.distinct()))
    mine = counted.where(synthesis_tasks.c.synthesis_id == synthesis_id)
    return int(connection.execute(mine).scalar_one())


def active_queries_of(connection: Connection, synthesis_id: int) -> list[int]:
    """The query_keys of the queries that candidates of a run became and that are asked for."""
    joined = synthetic_queries.join(synthesis_tasks).join(queries)
    chosen = select(queries.c.query_key).distinct().select_from(joined)
    mine = chosen.where(
        synthesis_tasks.c.synthesis_id == synthesis_id, queries.c.status == "active"
    )
    return list(connection.execute(mine.order_by(queries.c.query_key)).scalars())


def documents_with_queries(connection: Connection) -> set[str]:
    """The documents for which a model wrote queries that are active, of whichever run."""
    joined = synthetic_queries.join(synthesis_tasks).join(documents)
    joined = joined.join(queries, queries.c.query_key == synthetic_queries.c.query_key)
    chosen = select(documents.c.doc_id).distinct().select_from(joined)
    return set(connection.execute(chosen.where(queries.c.status == "active")).scalars())


_NOTE_TASK = (
    update(synthesis_tasks)
    .where(synthesis_tasks.c.task_id == bindparam("task"))
    .values(state=bindparam("now"))
)


def _change(synthesis_id: int) -> Any:
    return update(syntheses).where(syntheses.c.synthesis_id == synthesis_id)


def _one(connection: Connection, chosen: Select[Any]) -> SynthesisRow | None:
    row = connection.execute(chosen).one_or_none()
    return None if row is None else read_deed(SynthesisRow, row)


def _task_columns(task: TaskFields) -> dict[str, Any]:
    columns = task._asdict()
    del columns["doc_id"]
    return columns | {"examples": json_text([list(pair) for pair in task.examples])}


def _task_row(row: Row[Any]) -> TaskRow:
    told = {name: getattr(row, name) for name in TaskFields._fields}
    examples = tuple((query_id, doc_id) for query_id, doc_id in json.loads(row.examples))
    return TaskRow(row.task_id, TaskFields(**told | {"examples": examples}))
