"""A workspace with generated queries for the screenshots: a copy of the demo's, after one run.

No model is at hand where screenshots are taken, so the scripted server of the tests answers, with
queries written by hand for documents of the demo.
"""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from builder.synthesis.plan import SynthPlan
from builder.synthesis.running import synth
from builder.workspace import SETTINGS_FILE, open_workspace
from tests.llm_server import LLMServer, queries_of

MODEL = "scripted"
_QUERIES = {
    "redirect_request": "how does urllib decide whether to follow a redirect",
    "hashlib.new": "sha256 by name",
    "math.isinf": "check for infinity",
    "filter_traces": "leave files out of a tracemalloc snapshot",
    "ssl.MemoryBIO": "tls without socket",
    "AsyncMock": "mock awaited in order",
    "getmodule": "which module does a class come from",
    "smtplib.SMTPException": "catch all mail errors",
    "locate_file": "where is a file of an installed package",
    "zipfile.ZipFile.getinfo": "size of one entry of a zip archive",
    "guess_type": "content type of an upload by its name",
    "popitem": "drop oldest entry of a dict",
    "get_close_matches": "did you mean suggestions",
    "code_info": "what a compiled function consists of",
    "non-exit exceptions": "what do all errors derive from",
    "Future.cancel": "why can a running future not be stopped",
}


@contextmanager
def generated_workspace(demo: Path, scratch: Path) -> Iterator[Path]:
    """A copy of the demo's workspace with a run of the scripted model, which is still there."""
    root = scratch / "generated"
    shutil.copytree(demo, root)
    with LLMServer(answer=_answer) as server:
        with (root / SETTINGS_FILE).open("a", encoding="utf-8") as settings:
            price = f'[prices."{MODEL}"]\ninput = 0.25\noutput = 2.0\n'
            settings.write(f'\n[llm]\nbase_url = "{server.base_url}"\nmodel = "{MODEL}"\n\n{price}')
        with open_workspace(root) as workspace:
            synth(workspace, SynthPlan(documents=16, types=("question", "keyword")), key=None)
        yield root


def _answer(body: Mapping[str, Any]) -> str:
    """A query for the document whose title the request holds; of others words of the document."""
    asked = str(body["messages"][-1]["content"])
    for name, query in _QUERIES.items():
        if name in asked:
            return json.dumps({"queries": [query]})
    return queries_of(body)
