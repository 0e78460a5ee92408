"""A mapping in TOML, changed line by line for whoever would rather choose than write.

The text stays what counts: what a person wrote into it stays, and a change that the text does not
take as meant is not made.
"""

import re
from pathlib import Path
from typing import Any

from online.events import OnlineError
from online.sources import guessing as guess
from online.sources.guessing import Column
from online.sources.mapping import TableMap, parse_mapping
from online.sources.proposed import Proposal
from online.sources.shaping import SEPARATOR

CHOICES: dict[str, str] = {
    "timestamp": "Time",
    "query": "Query",
    "model_version": "Model version",
    "retrieved_doc_ids": "Results",
    "clicked_doc_id": "Clicked document",
    "click_rank": "Its rank",
    "session_id": "Session",
    "user_id": "User",
}
"""Key that can be chosen -> what it is called."""

MEANINGS: dict[str, str] = {
    "timestamp": "when it happened; every row needs one",
    "query": "what was searched for; every search needs one",
    "model_version": "what ranked the results: the arms of an A/B test",
    "retrieved_doc_ids": "ids of the documents that were shown, best first",
    "results_logged": "false where the log does not tell the results (under [constants])",
    "offset": "how many results came before the first that is listed",
    "clicked_doc_id": "the document that was clicked; empty where none was",
    "click_rank": "the place of the click, 1 for the first result",
    "clicks": "several clicks as objects with doc_id, rank, timestamp and dwell_s",
    "conversions": "purchases and the like as objects with doc_id and value",
    "impressions": "documents that were seen, as objects with doc_id and rank",
    "session_id": "the visit of a user",
    "user_id": "who searched; of use where users were assigned to the arms",
    "search_id": "what joins a click that is logged by itself to its search",
    "event_id": "the row's own id, by which it is found again",
    "tags": "words to filter by, such as the platform",
    "total_hits": "how many documents matched in all",
    "latency_ms": "milliseconds until the answer",
    "dwell_s": "seconds on the clicked document",
    "action": "the name of another thing that happened",
}
"""Key of [fields] -> what it means, in a line."""

_OF_CLICKS = {"clicked_doc_id": "doc_id", "click_rank": "rank"}
"""Where each row is one thing that happened, [clicks] holds these, by other names."""

_WHERE = "the mapping"


def chosen_columns(text: str) -> dict[str, str | None]:
    """Key of `CHOICES` -> the column it is read from; None where the mapping names none.

    Raises:
        OnlineError: The text is no mapping.
    """
    mapping = parse_mapping(text, _WHERE)
    found: dict[str, str | None] = {}
    for key in CHOICES:
        section, name = _place(mapping, key)
        things = mapping.things.parts if mapping.things else {}
        rule = (things if section == "clicks" else mapping.fields).get(name)
        found[key] = " + ".join((rule.path, *rule.more)) if rule else None
    return found


def choose_column(text: str, key: str, column: Column | None) -> str:
    """The mapping with another column for a key of `CHOICES`, or with none.

    How the column writes times, lists and ranks is guessed from its values.

    Raises:
        OnlineError: The text is no mapping, or cannot be changed by a line.
    """
    section, name = _place(parse_mapping(text, _WHERE), key)
    line = _line(section, name, column) if column else None
    changed = _with_line(text, section, name, line)
    if key == "retrieved_doc_ids" and column:
        changed = _with_line(changed, "constants", "results_logged", None)
    if chosen_columns(changed)[key] != (column.path if column else None):
        raise OnlineError(f"the line of {name} cannot be changed here", hint="Change the text.")
    return changed


def _place(mapping: TableMap, key: str) -> tuple[str, str]:
    """The section that holds a key, and its name there."""
    if mapping.things is not None and key in _OF_CLICKS and key not in mapping.fields:
        return "clicks", _OF_CLICKS[key]
    return "fields", key


def _line(section: str, name: str, column: Column) -> str:
    said = _options(name, column)
    proposal = Proposal(Path(), 1, options={name: said} if said else {})
    (proposal.parts if section == "clicks" else proposal.fields)[name] = column
    lines = proposal.toml().splitlines()
    return next(line for line in lines if line.startswith(f"{name} ="))


def _options(name: str, column: Column) -> dict[str, Any]:
    if name == "timestamp":
        form = guess.time_form(column) or ""
        return {"format": form} if "%" in form else {}
    if name == "retrieved_doc_ids":
        separator = guess.separator_of(column)
        return {"separator": separator} if separator != SEPARATOR else {}
    if name in ("click_rank", "rank") and any(str(value) == "0" for value in column.values):
        return {"rank_base": 0}
    return {}


def _with_line(text: str, section: str, name: str, line: str | None) -> str:
    """The text with one line of a section replaced, added, or (None) taken out."""
    lines = text.splitlines()
    if f"[{section}]" not in (header.strip() for header in lines):
        if line is None:
            return text
        lines += ["", f"[{section}]"]
    first = next(n for n, said in enumerate(lines) if said.strip() == f"[{section}]") + 1
    rest = (n for n in range(first, len(lines)) if lines[n].lstrip().startswith("["))
    last = next(rest, len(lines))
    at = next((n for n in range(first, last) if re.match(rf'\s*"?{name}"?\s*=', lines[n])), None)
    new = [] if line is None else [line]
    lines[first if at is None else at : first if at is None else at + 1] = new
    return "\n".join(lines) + "\n"
