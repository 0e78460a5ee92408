"""Sources, plans and reasons of the pool, as a person reads them."""

from collections.abc import Mapping
from typing import Any

from ui.numbers import count, count_of, in_words

RUN = "run:"
"""How the names of sources begin that are run files."""

SOURCES = {
    "clicks": "clicked by users",
    "skipped": "skipped by users",
    "random": "random documents",
    "holes": "holes of an evaluation",
    "import": "imported grades",
    "rater": "added by raters",
    "synthetic": "documents that queries were written for",
    "validation": "drawn for validation",
}

DROPPED = {
    "hopeless": "skipped or random {pairs} more than the balance allows",
    "clicks_not_in_corpus": "clicked {documents} that this corpus does not have",
    "skipped_not_in_corpus": "skipped {documents} that this corpus does not have",
    "skipped_unsure": "{documents} passed over too seldom to be sure that users do not want them",
    "queries_retired_meanwhile": "{queries} that were retired meanwhile",
    "run_lines_broken": "unreadable {lines} of run files",
    "run_queries_unknown": "unknown {queries} of run files",
    "run_queries_not_asked": "{queries} of run files beside those chosen here",
    "run_documents_unknown": "{lines} of run files with an unknown document",
    "run_rows_repeated": "repeated {lines} of run files",
    "query_unknown": "{pairs} of queries that this workspace does not have",
    "query_retired": "{pairs} of retired queries",
    "document_unknown": "{pairs} of documents that this corpus does not have",
    "nobody_asked": "{pairs} that were given up or set aside",
}
"""Why something did not join the pool, behind a number."""

_ONE = {"pairs": "pair", "documents": "document", "queries": "query", "lines": "line"}
_SEVERAL = {name: name for name in _ONE}

KEPT = {
    "judged": "somebody judged them",
    "decided": "an analyst decided on them",
    "query_words": "raters said something of their query",
    "rechecked": "they are asked once more",
    "other_pooling": "another filling names them too",
    "other_source": "another source names them too",
    "there_before": "they were in the pool before",
}
"""Why pairs stay when a filling is taken back."""


def source_name(source: str) -> str:
    """A source as it is called on screen; untrusted where it is a run file or a model."""
    if source.startswith(RUN):
        return f"run file {source.removeprefix(RUN)}"
    return SOURCES.get(source, source)


def plan_in_words(parameters: Mapping[str, Any]) -> str:
    """What a filling was asked for, in a line; untrusted."""
    if parameters.get("kind") == "holes":
        task, k = parameters.get("task") or "the newest release", parameters.get("k", 10)
        return f"unjudged documents in the models' top {k} on {task}"
    if parameters.get("kind") == "validation":
        return f"synthetic queries drawn for validation {parameters.get('validation_id', '')}"
    return " \u00b7 ".join([*_sources(parameters), *_queries(parameters), *_limits(parameters)])


def _sources(told: Mapping[str, Any]) -> list[str]:
    searches = [*told.get("retrievers", ()), *map(_file_name, told.get("runs", ()))]
    said = [f"{' and '.join(searches)} to rank {told.get('depth', 10)}"] if searches else []
    for name, what in (("clicks", "clicked"), ("skipped", "skipped"), ("random", "random")):
        if told.get(name):
            said.append(f"{told[name]} {what} each")
    return said


def _queries(told: Mapping[str, Any]) -> list[str]:
    said = []
    if told.get("tag"):
        said.append(f"queries with the tag {told['tag']}")
    if told.get("source"):
        said.append(f"queries of the source {told['source']}")
    if told.get("only_new"):
        said.append("only queries without a pair")
    return said


def _limits(told: Mapping[str, Any]) -> list[str]:
    if told.get("budget"):
        return [f"at most {count_of(told['budget'], 'pair')}"]
    if told.get("hours"):
        return [f"at most {hours(told['hours'])} of grading"]
    return []


def _file_name(path: object) -> str:
    return str(path).replace("\\", "/").rpartition("/")[2]


def dropped_in_words(reasons: Mapping[str, int]) -> str:
    """How much did not join the pool, and why; "" where there is nothing."""
    told = ((reason, n) for reason, n in reasons.items() if n)
    return "; ".join(f"{count(n)} {_why(reason, n)}" for reason, n in told)


def _why(reason: str, n: int) -> str:
    return DROPPED.get(reason, in_words(reason)).format(**(_ONE if n == 1 else _SEVERAL))


def kept_in_words(reasons: Mapping[str, int]) -> str:
    """How many pairs stay when a filling is taken back, and why; "" where none does."""
    parts = [
        f"{count_of(n, 'pair')}: {KEPT.get(reason, in_words(reason))}"
        for reason, n in reasons.items()
        if n
    ]
    return "; ".join(parts)


def hours(value: float) -> str:
    """Hours of work, so that small numbers are minutes."""
    if value < 1:
        minutes = round(60 * value)
        return "less than a minute" if value and not minutes else count_of(minutes, "minute")
    if f"{value:.1f}" == "1.0":
        return "1 hour"
    return f"{value:,.1f} hours" if value < 100 else f"{count(round(value))} hours"
