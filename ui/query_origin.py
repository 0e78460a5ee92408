"""Where a synthetic query comes from: the call, the passage and the answer behind it, folded."""

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

import streamlit as st

from builder.synthesis.origins import origin_of_query
from builder.workspace import Workspace
from ui.frame import muted
from ui.guidelines import local_time
from ui.numbers import MISSING, count, count_of
from ui.synthesis.words import money
from ui.tables import Column, Html, table
from ui.text import block, clean, inline

TITLE = "Where it comes from"
_COLUMNS = [Column("what"), Column("of this query")]
_UNTOLD = "not told"
_HASH = 12
"""Digits of a hash that are shown; the whole stands under the mouse."""

Origin = Mapping[str, Any]


def show_origin(workspace: Workspace, query_id: str) -> None:
    """Run, model, prompt and passage that a synthetic query came of, and the whole answer."""
    with st.expander(TITLE, icon=":material/conversion_path:"):
        origin = origin_of_query(workspace, query_id)
        if origin is None:
            muted("A language model wrote it elsewhere; nothing more is known here.")
        else:
            st.html(origin_html(origin, workspace.settings.timezone))


def origin_html(origin: Origin, zone: str) -> str:
    """Safe HTML: what is known of a query's call as a table, then passage and answer, folded."""
    rows = [[name, value] for name, value in _rows(origin, zone)]
    passage = _folded("The passage that the model saw", origin["passage"])
    answer = _folded("The answer, as the server gave it", origin["answer"] or "")
    return f'<div class="gs-origin">{table(_COLUMNS, rows)}{passage}{answer}</div>'


def _rows(origin: Origin, zone: str) -> Iterator[tuple[str, str]]:
    run = f"{count(origin['synthesis_id'])}, {local_time(origin['sent_at'], zone)}"
    yield "run", run if origin["attempt"] == 1 else f"{run}, attempt {count(origin['attempt'])}"
    asked, served = (inline(origin[name] or _UNTOLD) for name in ("model_asked", "model_served"))
    host = inline(origin["host"])
    yield "model", Html(f"asked: {asked} at {host}<br>answered: {served}")
    yield "prompt", Html(f"{inline(origin['prompt'])} {_hash(origin['prompt_hash'])}")
    yield "language", origin["language"]
    yield "examples shown", _examples(origin["examples"])
    yield "parameters", _parameters(origin)
    yield "request", _hash(origin["request_hash"])
    yield "document", Html(_document(origin))
    yield "tokens", _tokens(origin)
    yield "cost of the call", money(origin["cost"], origin["currency"])
    yield "reviewed", Html(_review(origin, zone))


def _parameters(origin: Origin) -> str:
    said = [
        "" if origin["temperature"] is None else f"temperature {origin['temperature']}",
        f"at most {count_of(origin['max_tokens'], 'token')}" if origin["max_tokens"] else "",
        f"seed {origin['seed']}",
        f"asked by {origin['rung']}",
    ]
    return ", ".join(filter(None, said))


def _document(origin: Origin) -> str:
    title = f" {inline(origin['title'])}" if origin["title"] else ""
    first, last = count(origin["first_character"] + 1), count(origin["last_character"])
    return f"{inline(origin['doc_id'])}{title}<br>characters {first} to {last}"


def _examples(examples: list[list[str]]) -> str:
    return ", ".join(query_id for query_id, _ in examples) or "none"


def _tokens(origin: Origin) -> str:
    sent, received = origin["prompt_tokens"], origin["completion_tokens"]
    told = f"{_number(sent)} sent, {_number(received)} received"
    ending = origin["finish_reason"]
    return f"{told}; ended by {ending}" if ending else told


def _review(origin: Origin, zone: str) -> str:
    by = origin["reviewed_by"]
    said = f"by {inline(by)}, {local_time(origin['reviewed_at'], zone)}" if by else "taken back"
    return f"{said}<br>edited from: {inline(origin['written'])}" if origin["edited"] else said


def _number(n: int | None) -> str:
    return MISSING if n is None else count(n)


def _hash(digits: str) -> Html:
    return Html(f'<code title="{escape(digits)}">{escape(digits[:_HASH])}</code>')


def _folded(title: str, text: str) -> str:
    return (
        f'<details class="gs-whole"><summary>{title} ({count_of(len(text), "character")})'
        f"</summary>{block(escape(clean(text)))}</details>"
    )
