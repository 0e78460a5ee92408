"""What imports say, in the words of the page: no codes, no options of commands, no server paths."""

import re
from pathlib import Path

from online.events import OnlineError
from ui.numbers import in_words

REASONS: dict[str, str] = {
    "bad_action": "rows name what happened by something that is no text",
    "bad_click": "rows have a click that is no document",
    "bad_conversion": "rows have a conversion that cannot be read",
    "bad_csv": "rows are broken as a table",
    "bad_dwell": "rows have a dwell time that is no number of seconds",
    "bad_event_id": "rows have an event_id that is no text",
    "bad_export": "rows are of an export that was changed",
    "bad_impression": "rows have an impression that cannot be read",
    "bad_json": "rows are no JSON, or are cut off",
    "bad_latency": "rows have a latency that is no number",
    "bad_model_version": "rows have a model version that is no text",
    "bad_offset": "rows have an offset that is no whole number",
    "bad_query": "rows have a query that is no text",
    "bad_rank": "rows have a rank that is no whole number from 1",
    "bad_results": "rows have results that are no list of ids",
    "bad_results_logged": "rows do not say by true or false whether results are logged",
    "bad_search_id": "rows have a search_id that is no text",
    "bad_session": "rows have a session that is no text",
    "bad_tags": "rows have tags that are no list of texts",
    "bad_timestamp": "rows have a time that cannot be read",
    "bad_total_hits": "rows have a number of hits that is no whole number",
    "bad_user": "rows have a user that is no text",
    "bad_utf8": "rows hold bytes that are no UTF-8",
    "bad_value": "rows have a value that is no number",
    "beyond_retention": "rows are older than this workspace keeps events",
    "conflict": "rows have the event_id of another event",
    "duplicate_key": "rows name a key twice",
    "lone_surrogate": "rows hold half of a character",
    "missing_model_version": "rows do not name what ranked the results",
    "missing_query": "rows have no query",
    "missing_results": "rows do not list the results",
    "missing_timestamp": "rows have no time",
    "naive_timestamp": "rows have a time without a zone",
    "not_an_object": "rows are no JSON objects",
    "nothing_happened": "rows name a search, but nothing that happened in it",
    "nul_character": "rows hold NUL bytes",
    "rank_without_click": "rows have a rank, but no click",
}
"""Reason of the quarantine -> a sentence that follows a number: rows, a verb of `_OF_ONE`, …"""

_OF_ONE = {"are": "is", "do": "does", "have": "has", "hold": "holds", "name": "names"}

_ON_THE_PAGE = (
    (r"say which with --timezone \S+", "choose the time zone above and import the file again"),
    (r"say --rank-base 0", 'choose "from 0" as the first rank above'),
    (r"goldsmith events undo takes it back", "take that import back"),
    (r"name what ranked the results: --model-version NAME", "write the model version above"),
    (r"name one by --table NAME", "export the table that is meant, and import that"),
)
_OF_A_COMMAND = re.compile(r"(^|\s)--[a-z]|goldsmith [a-z]")


def reason_in_words(code: str, n: int) -> str:
    """Why so many rows of a log are in quarantine."""
    if code not in REASONS:
        return f"{n:,} {in_words(code)}"
    _, verb, rest = REASONS[code].split(" ", 2)
    return f"1 row {_OF_ONE[verb]} {rest}" if n == 1 else f"{n:,} {REASONS[code]}"


def on_the_page(words: str) -> str:
    """Advice for the terminal as advice for the page, without what only commands can do."""
    for said, instead in _ON_THE_PAGE:
        words = re.sub(said, instead, words)
    return "; ".join(part for part in words.split("; ") if not _OF_A_COMMAND.search(part))


def error_on_the_page(error: OnlineError) -> OnlineError:
    """The same error: files by their names, advice as `on_the_page`."""
    where = place_on_the_page(error.where or "")
    return OnlineError(error.message, where=where, hint=on_the_page(error.hint or ""))


def place_on_the_page(where: str) -> str:
    """A place in a file, without the folders of the server."""
    return Path(where).name if where.startswith("/") else where
