"""Runs of a language model for tests: a corpus, plans, and sessions in processes of their own."""

import json
import multiprocessing
from collections.abc import Mapping
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from random import Random
from typing import Any

from builder.store.documents import insert_documents
from builder.synthesis.plan import SynthPlan
from builder.synthesis.running import resume_synthesis, synth
from builder.workspace import Workspace, init_workspace, open_workspace
from evals.records import Document
from tests.workspaces import copied

_TEXT = (
    "the pump of every boiler has a valve that opens when pressure rises above its limit and water "
    "flows through the pipe into a tank where heat is stored until someone in the house turns on a "
    "tap or radiator then the sensor reports temperature to a small controller which starts burner "
    "fan and ignition again after checking that gas supply chimney draft and safety switch are all "
    "in order so that nobody has to go down into the cellar during cold winter nights"
)


def document(number: int, words: int = 60) -> Document:
    """A text of English words in an order of its own."""
    chosen = Random(number).choices(_TEXT.split(), k=words)
    sentences = [" ".join(chosen[n : n + 12]).capitalize() for n in range(0, words, 12)]
    return Document(f"d{number:04}", f"Boiler {number}", ". ".join(sentences) + ".")


def _make(folder: Path, documents: int) -> Workspace:
    workspace = init_workspace(folder, "shop")
    with workspace.store.write() as connection:
        insert_documents(connection, map(document, range(documents)))
    return workspace


def workspace_of(folder: Path, documents: int) -> Workspace:
    """A workspace of so many documents, opened."""
    return copied(_make, folder, documents)


def plan_for(base_url: str, **more: Any) -> SynthPlan:
    """A plan that asks the server of the tests, without examples and round trip."""
    told: dict[str, Any] = {
        "base_url": base_url,
        "model": "test-model",
        "types": ("question",),
        "examples": 0,
        "retrievers": (),
    }
    return SynthPlan(**told | more)


def run_session(root: str, told: str) -> None:
    """What a process of its own does: begin the run of a plan, or go on with one."""
    asked = json.loads(told)
    with open_workspace(Path(root)) as workspace:
        if "plan" in asked:
            synth(workspace, SynthPlan.from_json(asked["plan"]), key=None, token=asked["token"])
        else:
            resume_synthesis(workspace, asked["synthesis_id"], key=None)


def started(workspace: Workspace, asked: Mapping[str, Any]) -> ForkServerProcess:
    """A session in a process of its own, which `kill()` ends as a kill -9 does.

    The processes are forked from one that has imported everything, so that a session begins within
    milliseconds.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["openai", "builder.synthesis.filtering", __name__])
    session = context.Process(
        target=run_session, args=(str(workspace.root), json.dumps(asked)), daemon=True
    )
    session.start()
    return session
