"""Proposes a mapping for a table that nobody has explained, from its names and first rows."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from online.events import OnlineError
from online.sources import guessing as guess
from online.sources.clicked import (
    clicked_column,
    n_alone,
    named_like_a_document,
    search_of_clicks,
    stands_beside,
)
from online.sources.guessing import Column
from online.sources.proposed import Proposal
from online.sources.recognise import open_rows
from online.sources.shaping import SEPARATOR, as_whole
from online.sources.tables import Table

LOOKED_AT = 1000
"""Rows from which a mapping is proposed."""

MOST_WORDS = 40
"""A column of more different words does not say what kind of thing each row is."""

MODEL = "unknown"

HALF = 0.5
"""The share of rows that must name a query for clicks among them to be known by it."""

_FITS: dict[str, Callable[[Column], bool]] = {
    "timestamp": guess.is_time,
    "query": guess.is_query,
    "retrieved_doc_ids": guess.is_list,
    "tags": guess.is_list,
    "clicks": guess.is_things,
    "conversions": guess.is_things,
    "impressions": guess.is_things,
    "offset": guess.is_whole,
    "click_rank": guess.is_whole,
    "total_hits": guess.is_whole,
    "latency_ms": guess.is_number,
    "dwell_s": guess.is_number,
}
_PART_FITS: dict[str, Callable[[Column], bool]] = {
    "doc_id": lambda column: bool(column.values),
    "rank": guess.is_whole_or_list,
    "value": guess.is_number,
    "dwell_s": guess.is_number,
}
_KINDS = (
    ("click", r"click|select_(item|content)|\btap\b|open_result|visit_result"),
    ("conversion", r"purchase|conver|add.?to.?(cart|basket)|\bbuy|order|checkout|download|booking"),
    ("search", r"search|query"),
    ("impression", r"impression|view_item_list|\bshown?\b|^view$|\bviewed\b"),
)
"""Kind of row -> words that tell it, the first that fits."""


def propose_mapping(
    file: Path,
    *,
    format: str | None = None,  # noqa: A002 - the name of the command's option
    table: str | None = None,
) -> Proposal:
    """Guess from the first rows of a table what its columns mean; see `open_source` for arguments.

    Raises:
        OnlineError: The file cannot be read as a table, or holds no row.
    """
    opened = open_rows(file, format=format, table=table)
    try:
        rows = list(islice(_rows(opened), LOOKED_AT))
        columns = guess.columns_of(rows, opened.columns)
    finally:
        opened.close()
    if not rows:
        raise OnlineError("the file holds no row to learn from", where=str(file))
    return _Guesses(Proposal(file, len(rows)), columns).proposal()


def _rows(table: Table) -> Iterator[Mapping[str, Any]]:
    for chunk in table.chunks():
        for place in range(len(chunk.lines)):
            if place not in chunk.faults:
                with suppress(ValueError):  # a cell that Python cannot hold: other rows will do
                    yield chunk.row(place)


@dataclass(slots=True)
class _Guesses:
    """Columns that wait for a meaning; each gets one at most."""

    found: Proposal
    columns: list[Column]

    def proposal(self) -> Proposal:
        """All guesses, the surest first, so that a column is not taken for something lesser."""
        for key in ("timestamp", "query", "search_id", "session_id", "user_id"):
            self._take(key)
        self._take_by_values()
        self._read_actions()
        self._take("retrieved_doc_ids")
        flat = not self.found.parts
        for key in ("clicks", "conversions", "impressions", "clicked_doc_id") if flat else ():
            self._take(key)
        if flat:
            self._take_clicks()
        for key in ("model_version", "tags", "total_hits", "latency_ms", "offset", "event_id"):
            self._take(key)
        if flat:
            self._take("dwell_s")
        self._look_closer()
        self._fill_in()
        self.found.left = [column for column in self.columns if not self._is_inside_used(column)]
        return self.found

    def _take(self, key: str) -> None:
        fits = _FITS.get(key, guess.is_text)
        column = guess.best(self.columns, guess.NAMES[key], fits)
        if key == "retrieved_doc_ids":
            column = column or self._ids_of_items()
        if column is not None:
            self.found.fields[key] = column
            self.columns.remove(column)

    def _ids_of_items(self) -> Column | None:
        """Ids inside of a list of objects, such as results.items[].document.id."""
        inside = [column for column in self.columns if "[]." in column.path]
        return guess.best(inside, f"{guess.PARTS['doc_id']} id", guess.is_list)

    def _take_by_values(self) -> None:
        """A column of times, whatever it is called."""
        if "timestamp" in self.found.fields:
            return
        times = [column for column in self.columns if guess.is_time(column)]
        if times:
            self.found.fields["timestamp"] = times[0]
            self.columns.remove(times[0])
            self.found.unsure.append(f"timestamp: {times[0].path!r} was chosen by its values alone")

    def _read_actions(self) -> None:
        """Whether rows are one click each: by a column of words, or by ids of documents alone."""
        action = max(self._actions(), key=_n_told, default=None)
        if action is not None:
            self.found.action, self.found.kinds = action, _kinds_of(action)
            self.columns.remove(action)
            other = {str(word) for word in action.values}.difference(*self.found.kinds.values())
            if other:
                self._doubt(
                    f"rows whose {action.path!r} is {_some(other)} are kept as other things"
                )
        elif not self._is_a_click_table():
            return
        for part, names in guess.PARTS.items():
            column = guess.best(self.columns, names, _PART_FITS[part])
            if column is not None:
                self.found.parts[part] = column
                self.columns.remove(column)
        self._doubt_clicks()

    def _actions(self) -> list[Column]:
        """Columns whose words say what rows are, those with the surest names first."""
        left = [column for column in self.columns if _is_of_few_words(column)]
        found = []
        while column := guess.best(left, guess.ACTIONS, _tells_things):
            found.append(column)
            left.remove(column)
        return found

    def _is_a_click_table(self) -> bool:
        """Whether rows name a document, results are not listed, and searches have several rows."""
        fields = self.found.fields
        if "search_id" not in fields or self._lists_results():
            return False
        named = guess.best(self.columns, guess.PARTS["doc_id"], guess.is_text)
        return named is not None and guess.share(named, bool) == 1.0 and "query" not in fields

    def _lists_results(self) -> bool:
        names = guess.NAMES["retrieved_doc_ids"]
        return guess.best(self.columns, names, guess.is_list) is not None

    def _doubt_clicks(self) -> None:
        if "search_id" not in self.found.fields:
            self._compose_search_id()
        if "rank" not in self.found.parts:
            self._doubt("no column looks like the rank of a click")

    def _compose_search_id(self) -> None:
        """Session and query together stand for the search, where rows that are clicks name both."""
        fields = self.found.fields
        session, query = fields.get("session_id") or fields.get("user_id"), fields.get("query")
        if session is None or query is None or len(query.values) < HALF * query.of:
            self._doubt(
                "no column names the search of a click: clicks are kept, but belong to no search"
            )
            return
        fields["search_id"] = session
        self.found.options["search_id"] = {"paths": [session.path, query.path]}
        self._doubt(
            "search_id: no column names the search of a click; session and query together stand "
            "for it, and a query that is repeated in a session is one search"
        )

    def _take_clicks(self) -> None:
        """The clicked document under a common name, its rank, and searches told once a click."""
        fields = self.found.fields
        rank = guess.best(self.columns, guess.NAMES["click_rank"], guess.is_whole)
        if "clicked_doc_id" not in fields and "clicks" not in fields:
            self._take_clicked(rank)
        if rank is not None and rank in self.columns:
            self._take_rank(rank)
        if "search_id" not in fields and (paths := search_of_clicks(fields)):
            fields["search_id"] = fields.get("session_id") or fields["user_id"]
            self.found.options["search_id"] = {"paths": paths}
            self._doubt(
                "search_id: rows tell a search again for each of its clicks; "
                f"{' and '.join(map(repr, paths))} together are taken to stand for one search"
            )

    def _take_clicked(self, rank: Column | None) -> None:
        fields = self.found.fields
        column = clicked_column(self.columns, rank, fields.get("retrieved_doc_ids"))
        if column is not None:
            fields["clicked_doc_id"] = column
            self.columns.remove(column)
            self._doubt(f"clicked_doc_id: {column.path!r} is taken to name what was clicked")
        elif "query" in fields and (column := named_like_a_document(self.columns)):
            self._doubt(
                f"{column.path!r} may name what was clicked; if it does, add "
                f"clicked_doc_id = {json.dumps(column.path)} to [fields]"
            )

    def _take_rank(self, rank: Column) -> None:
        """A rank is one of a click only where a clicked document stands beside it."""
        clicked = self.found.fields.get("clicked_doc_id")
        if clicked is None or not stands_beside(clicked, rank):
            self._doubt(
                f"{rank.path!r} looks like the rank of a click, but most of its rows name no "
                "clicked document; it is left without a meaning"
            )
            return
        self.found.fields["click_rank"] = rank
        self.columns.remove(rank)
        if alone := n_alone(rank, clicked):
            self._doubt(
                f"click_rank: {alone:,} of the first rows have a rank and no clicked document; "
                "they will be quarantined"
            )

    def _look_closer(self) -> None:
        """Forms of times, separators of lists, and where ranks begin."""
        fields, options = self.found.fields, self.found.options
        if "timestamp" in fields:
            self._look_at_time(fields["timestamp"])
        for key in ("retrieved_doc_ids", "tags"):
            if key in fields and (separator := guess.separator_of(fields[key])) != SEPARATOR:
                options[key] = {"separator": separator}
        for key, column in (
            ("click_rank", fields.get("click_rank")),
            ("rank", self.found.parts.get("rank")),
        ):
            ranks = [as_whole(value) for value in _flat(column.values)] if column else []
            if 0 in ranks:
                options[key] = {"rank_base": 0}
                self._doubt(f"{key}: the smallest is 0, so the first result is taken to be 0")

    def _look_at_time(self, column: Column) -> None:
        form = guess.time_form(column) or ""
        self.found.zone_needed = form == "naive" or ("%" in form and "%z" not in form.lower())
        if form in guess.EPOCHS.values():
            self._doubt(f"timestamp: taken as {form} since 1970")
        if "%" not in form:
            return
        self.found.options["timestamp"] = {"format": form}
        rival = form.replace("%d/%m", "%m/%d")
        if rival != form and guess.fits_form(column, rival):
            self._doubt(f"timestamp: day or month first? It could be {rival!r} as well")
        if form in guess.DAYS_ONLY:
            self._doubt("timestamp: days without a time; all searches of a day are at 00:00")

    def _fill_in(self) -> None:
        """What every search needs, where no column says it."""
        found = self.found
        if "timestamp" not in found.fields:
            self._doubt("no column looks like a time; without one nothing can be imported")
        if "query" not in found.fields:
            if "search_id" not in found.fields and found.action is None:
                self._doubt("no column looks like the query; without one nothing can be imported")
            return
        if "model_version" not in found.fields:
            found.constants["model_version"] = MODEL
            self._doubt("no column names what ranked the results: write its name as model_version")
        if not {"retrieved_doc_ids"} & found.fields.keys():
            found.constants["results_logged"] = False
            self._doubt("no column lists the results: rates of no results and ranks stay unknown")

    def _is_inside_used(self, column: Column) -> bool:
        """Whether it is a list of objects with a part that is used, or a part of a used list."""
        used = [*self.found.fields.values(), *self.found.parts.values()]
        return any(
            one.path.startswith(f"{column.path}[].") or column.path.startswith(f"{one.path}[].")
            for one in used
        )

    def _doubt(self, sentence: str) -> None:
        self.found.unsure.append(sentence)


def _is_of_few_words(column: Column) -> bool:
    return guess.is_text(column) and len({str(value) for value in column.values}) <= MOST_WORDS


def _tells_things(column: Column) -> bool:
    return bool({"click", "conversion", "impression"} & _kinds_of(column).keys())


def _n_told(action: Column) -> int:
    """How many rows the words of a column tell what they are."""
    known = {word for words in _kinds_of(action).values() for word in words}
    return sum(str(value) in known for value in action.values)


def _kinds_of(action: Column) -> dict[str, list[str]]:
    """Kind -> the words of a column that tell it, the most frequent first."""
    kinds: dict[str, list[str]] = {}
    for word, _ in Counter(str(value) for value in action.values).most_common():
        kind = next((kind for kind, words in _KINDS if re.search(words, word.lower())), None)
        if kind:
            kinds.setdefault(kind, []).append(word)
    return kinds


def _flat(values: list[Any]) -> Iterator[Any]:
    for value in values:
        yield from value if isinstance(value, list) else [value]


def _some(words: set[str]) -> str:
    shown = sorted(words)[:3]
    return ", ".join(map(repr, shown)) + (" …" if len(words) > len(shown) else "")
