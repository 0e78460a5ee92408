"""The options of `goldsmith synth`."""

from collections.abc import Callable
from typing import Any

import click

from terminal.options import NUMBER, RecordNumber, together

_WHOLE, _SEVERAL = click.IntRange(0), click.IntRange(1)
_EVERY = 0
"""The number that stands for all runs, where naming one is optional."""

CAPS = ("max_calls", "max_total_tokens", "max_cost")

plan_options = together(
    click.option(
        "--documents",
        type=_SEVERAL,
        default=50,
        show_default=True,
        help="For how many documents queries are written.",
    ),
    click.option(
        "--per-document",
        type=_SEVERAL,
        default=1,
        show_default=True,
        help="How many calls for each document, each of another type.",
    ),
    click.option(
        "--per-call",
        type=_SEVERAL,
        default=1,
        show_default=True,
        help="How many queries each call asks for.",
    ),
    click.option(
        "--type",
        "types",
        multiple=True,
        metavar="T",
        help="keyword, question, technical, misspelt, conversational, or a prompt of the "
        "workspace; repeatable. All five by default.",
    ),
    click.option(
        "--by",
        default="random",
        show_default=True,
        metavar="HOW",
        help="How documents are chosen: random, cluster (of like content), length, or "
        "field:NAME, so many of each value.",
    ),
    click.option("--seed", type=_WHOLE, default=0, show_default=True, help="Of what is drawn."),
    click.option("--model", help="Which model; workspace.toml names one, too."),
    click.option(
        "--base-url",
        metavar="URL",
        help='Which server, such as http://localhost:8000/v1; "" is OpenAI\'s.',
    ),
    click.option(
        "--temperature", type=click.FloatRange(0, 2), help="Of the model; else workspace.toml's."
    ),
    click.option(
        "--answer-tokens",
        "max_tokens",
        type=click.IntRange(32),
        metavar="N",
        help="How long one answer may be; else workspace.toml's.",
    ),
    click.option(
        "--examples",
        type=click.IntRange(0, 10),
        default=3,
        show_default=True,
        help="How many pairs of your own the model is shown, never of the same document.",
    ),
    click.option(
        "--concurrency", type=click.IntRange(1, 64), help="Calls at once; else workspace.toml's."
    ),
    click.option(
        "--retriever",
        "retrievers",
        multiple=True,
        metavar="M",
        help="What looks whether a query finds its document, and with --validate names others; "
        "repeatable. bm25 and minilm by default.",
    ),
)
"""The options that make a SynthPlan, in the order in which the help shows them."""

cap_options = together(
    click.option(
        "--max-calls", type=_SEVERAL, metavar="N", help="At most so many calls, failed ones too."
    ),
    click.option(
        "--max-tokens",
        "max_total_tokens",
        type=_SEVERAL,
        metavar="N",
        help="At most so many tokens in all, sent and received.",
    ),
    click.option(
        "--max-cost",
        type=click.FloatRange(0, min_open=True),
        metavar="SUM",
        help="At most so much money, in the currency of the price table.",
    ),
)
"""Limits that no run passes, whatever it meets."""


def _of_run(name: str, what: str) -> Callable[..., Any]:
    """An option that names a run or, without a number, all of them."""
    return click.option(
        name,
        is_flag=False,
        flag_value=_EVERY,
        type=RecordNumber(_EVERY),
        metavar="[N]",
        help=f"{what}; with N of run N only.",
    )


deed_options = together(
    click.option("--dry-run", is_flag=True, help="Only say what would happen and cost."),
    click.option("--yes", is_flag=True, help="Do not ask whether texts may be sent."),
    click.option("--list", "listed", is_flag=True, help="Show all runs."),
    click.option("--resume", type=NUMBER, metavar="N", help="Go on with run N; limits may be new."),
    click.option(
        "--retry-failed", is_flag=True, help="With --resume: ask again for what was given up."
    ),
    click.option("--calls", type=NUMBER, metavar="N", help="Show every call of run N."),
    _of_run("--rejected", "Show what the filters rejected, and why"),
    _of_run("--accept-all", "Take all that the filters kept into the set, unseen"),
    click.option(
        "--only-unflagged",
        is_flag=True,
        help="With --accept-all: leave what a filter flagged to a reviewer.",
    ),
    click.option(
        "--take-back", type=NUMBER, metavar="N", help="Let the queries of run N go again."
    ),
    click.option(
        "--anyway",
        is_flag=True,
        help="With --take-back: also while queries stay that somebody has worked on.",
    ),
)
"""What is asked for instead of a new run, or beside it."""

validation_options = together(
    click.option(
        "--validate", is_flag=True, help="Draw accepted queries that experts then grade, blind."
    ),
    click.option(
        "--share",
        type=click.FloatRange(0, 1, min_open=True),
        default=0.25,
        show_default=True,
        help="With --validate: how many of them.",
    ),
    click.option(
        "--others",
        type=click.IntRange(0, 20),
        default=3,
        show_default=True,
        help="With --validate: how many other documents join each, so that nobody can guess.",
    ),
    click.option(
        "--validation", is_flag=True, help="Say how far experts agree, and what to conclude."
    ),
    click.option(
        "--take-back-validation",
        is_flag=True,
        help="Let the latest drawing stand no more; what is graded stays.",
    ),
)
