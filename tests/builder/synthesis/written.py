"""Puts queries into a workspace as if a model had written them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import insert

from builder.store import Connection
from builder.store.documents import get_document
from builder.store.syntheses import TaskFields, add_synthesis, add_tasks, note_state, waiting_tasks
from builder.store.synthesis_schema import llm_calls
from builder.store.synthetic_queries import add_candidates
from builder.store.synthetic_review import Wanted, waiting_ids
from builder.synthesis.plan import SynthPlan
from builder.synthesis.prompts import load_prompts
from builder.workspace import Workspace


class Answer(NamedTuple):
    """What a model wrote for a document.

    Attributes:
        doc_id: Of the corpus; its whole text is the passage.
        texts: The queries of one answer.
        prompt: The type.
        language: ISO 639-1 code.
        examples: (query_id, doc_id) that were shown.
        finish_reason: How the answer ended.
    """

    doc_id: str
    texts: Sequence[str]
    prompt: str = "question"
    language: str = "en"
    examples: tuple[tuple[str, str], ...] = ()
    finish_reason: str | None = "stop"


def write_synthesis(
    workspace: Workspace, answers: Sequence[Answer], per_call: int = 1, **plan: Any
) -> int:
    """A run that is done, with these answers; its synthesis_id."""
    parameters: Mapping[str, Any] = {
        "plan": SynthPlan(per_call=per_call, **plan).as_json(),
        "host": "localhost",
        "prompts": {name: prompt.as_json() for name, prompt in load_prompts().items()},
    }
    with workspace.store.write() as connection:
        synthesis_id = add_synthesis(connection, parameters, "ann", None)
        fields = [_task(connection, at, answer) for at, answer in enumerate(answers)]
        add_tasks(connection, synthesis_id, fields)
        tasks = waiting_tasks(connection, synthesis_id)
        for task, answer in zip(tasks, answers, strict=True):
            _answer(connection, task.task_id, answer)
        note_state(connection, synthesis_id, "done")
    return synthesis_id


def _task(connection: Connection, position: int, answer: Answer) -> TaskFields:
    document = get_document(connection, answer.doc_id)
    assert document is not None
    return TaskFields(
        position=position,
        doc_id=answer.doc_id,
        first_character=0,
        last_character=len(document.text),
        prompt=answer.prompt,
        prompt_hash="0" * 64,
        language=answer.language,
        stratum="all",
        seed=0,
        examples=answer.examples,
        request_hash=f"{position:064x}",
    )


def ids_waiting(workspace: Workspace) -> list[int]:
    """The candidate_ids that wait for a reviewer."""
    with workspace.store.read() as connection:
        return waiting_ids(connection, Wanted())


def _answer(connection: Connection, task_id: int, answer: Answer) -> None:
    call = {
        "task_id": task_id,
        "attempt": 1,
        "sent_at": "2026-11-30T20:00:00.000000Z",
        "rung": "json_schema",
        "outcome": "ok",
        "finish_reason": answer.finish_reason,
        "model_served": "tiny",
    }
    made = connection.execute(insert(llm_calls).values(call).returning(llm_calls.c.call_id))
    add_candidates(connection, int(made.scalar_one()), task_id, answer.texts)
