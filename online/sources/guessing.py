"""What a column may mean, by its name and by its values: guesses, for a person to look at."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from online.events import ISO_8601
from online.sources.naming import bare
from online.sources.shaping import as_ids, as_number, as_text, as_whole, opened, plain, time_in

NAMES: dict[str, str] = {
    "timestamp": "timestamp ts time datetime eventtime eventtimestamp createdat occurredat "
    "loggedat requesttime searchtime searchedat clienttimestamp servertimestamp "
    "datehourminute datehour eventdate date at",
    "query": "query q searchterm searchquery searchstring userquery querytext querystring "
    "searchphrase searchtext searchkeyword term keyword keywords phrase terms",
    "session_id": "sessionid session sid gasessionid visitid visit sessionuuid sessionkey",
    "user_id": "userid user uid usertoken userpseudoid clientid visitorid customerid deviceid "
    "anonymousid fullvisitorid cookieid visitor client customer shopper memberid member accountid",
    "model_version": "modelversion model ranker variant arm abtestvariantid abvariant algorithm "
    "experimentvariant experiment experimentid bucket testgroup treatment algo",
    "retrieved_doc_ids": "retrieveddocids resultids docids docs documents results hits hitids "
    "productids items itemids shown displayed ranking serp queryresponsehitids objectids urls "
    "shownproducts shownitems showndocs shownids",
    "offset": "offset start skip from firstresult",
    "clicked_doc_id": "clickeddocid clickeddoc clickedid clickeddocument clickedproduct "
    "clickeditem clickedurl clickedobjectid clickedobject clickeditemid clickedproductid "
    "clickeddocumentid clickedsku clickedresult clickedresultid clickedhit clickedhitid clicked "
    "clickdocid productclicked targetid target",
    "click_rank": "clickrank clickposition clickedposition clickedrank position rank pos "
    "resultposition itemposition ordinal",
    "clicks": "clicks clickeditems",
    "conversions": "conversions purchases",
    "impressions": "impressions",
    "search_id": "searchid queryid requestid searchuuid serpid qid reqid correlationid",
    "event_id": "eventid insertid logid messageid uuid id",
    "tags": "tags labels",
    "total_hits": "totalhits nbhits totalresults numresults resultcount resultscount numhits "
    "hitcount numberofresults nresults total",
    "latency_ms": "latencyms latency tookms took responsetimems processingtimems querytimems "
    "durationms elapsedms",
    "dwell_s": "dwells dwell dwelltime dwellseconds timeonpage",
}
"""Native key -> how its column is called elsewhere, the surest names first."""

ACTIONS = "action eventname eventaction eventtype event type actionname kind"
PARTS = {
    "doc_id": "docid documentid itemid productid objectid sku docidentifier objectids resultid "
    "doc document item product contentid url clickeddocid clickedid articleid article listingid",
    "rank": "position rank pos itemposition positions resultposition ordinal clickrank index",
    "value": "value revenue purchaserevenue price amount",
    "dwell_s": NAMES["dwell_s"],
}

FORMS = (
    "%Y-%m-%d %H:%M:%S %Z", "%Y-%m-%d %H:%M:%S.%f %Z", "%d/%b/%Y:%H:%M:%S %z",
    "%Y/%m/%d %H:%M:%S", "%Y/%m/%d %H:%M", "%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M",
    "%d/%m/%Y %H:%M:%S", "%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M:%S", "%m/%d/%Y %H:%M",
    "%m/%d/%Y %I:%M:%S %p", "%m/%d/%Y %I:%M %p", "%a, %d %b %Y %H:%M:%S %Z",
    "%Y%m%d%H%M%S", "%Y%m%d%H%M", "%Y%m%d%H", "%Y%m%d", "%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y",
)  # fmt: skip
"""How times are written that are neither ISO 8601 nor epoch; where several fit, the first."""

DAYS_ONLY = ("%Y%m%d", "%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y")
EPOCHS = {10: "seconds", 13: "milliseconds", 16: "microseconds", 19: "nanoseconds"}
SEPARATORS = ("|", ",", ";", " ")
ENOUGH = 0.9
"""The share of values that must look like something for the column to be taken for it."""

_NAIVE = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?")
_LAST_PLACES = 3


@dataclass(slots=True)
class Column:
    """A column, or a path within one, with the values of the first rows that have some.

    Attributes:
        path: Its name, or dotted path.
        values: Its values that are not null.
        of: How many rows were looked at.
        rows: The row of each value; of a path within a list, the place of the object there.
    """

    path: str
    values: list[Any] = field(default_factory=list)
    of: int = 0
    rows: list[int] = field(default_factory=list)

    def add(self, value: Any, row: int) -> None:
        """Take up the value of a row."""
        self.values.append(value)
        self.rows.append(row)

    def names(self) -> list[str]:
        """What it may be called: all of its path, and its last parts."""
        parts = self.path.replace("[]", "").split(".")
        ends = [bare("".join(parts[-n:])) for n in range(1, min(_LAST_PLACES, len(parts)) + 1)]
        return list(dict.fromkeys([bare(self.path), *reversed(ends)]))


def columns_of(rows: Iterable[Mapping[str, Any]], names: Sequence[str]) -> list[Column]:
    """The columns of some rows, those inside of objects and of lists of objects too."""
    found: dict[str, Column] = {}
    n_rows = 0
    for row in rows:
        n_rows += 1
        for name, value in row.items():
            _collect(name, plain(value), found, n_rows)
    for column in found.values():
        column.of = n_rows
    empty = [Column(name, [], n_rows) for name in names if not _begun(name, found)]
    return [*found.values(), *empty]


def _begun(name: str, found: Iterable[str]) -> bool:
    return any(path == name or path.startswith((f"{name}.", f"{name}[]")) for path in found)


def _collect(path: str, value: Any, found: dict[str, Column], row: int) -> None:
    value = opened(value)
    if isinstance(value, dict):
        for name, part in value.items():
            _collect(f"{path}.{name}", part, found, row)
        return
    if value is None:
        return
    found.setdefault(path, Column(path)).add(value, row)
    if isinstance(value, list) and any(isinstance(part, dict) for part in value):
        for name, parts in _by_leaf(value).items():
            found.setdefault(f"{path}[].{name}", Column(f"{path}[].{name}")).add(parts, row)


def _by_leaf(parts: list[Any]) -> dict[str, list[Any]]:
    leaves: dict[str, Column] = {}
    for place, part in enumerate(parts):
        for name, value in part.items() if isinstance(part, dict) else ():
            _collect(name, value, leaves, place)
    return {name: column.values for name, column in leaves.items()}


def best(
    columns: Iterable[Column], key_names: str, fits: Callable[[Column], bool]
) -> Column | None:
    """The column with the surest name among those whose values fit."""
    order = {name: place for place, name in enumerate(key_names.split())}
    ranked = [
        (min(order[name] for name in column.names() if name in order), len(column.path), column)
        for column in columns
        if any(name in order for name in column.names()) and fits(column)
    ]
    return min(ranked, key=lambda found: found[:2])[2] if ranked else None


def share(column: Column, test: Callable[[Any], bool]) -> float:
    """The share of values that pass; 0 where there is none."""
    return sum(map(test, column.values)) / len(column.values) if column.values else 0.0


def is_list(column: Column) -> bool:
    """Whether its values are lists of ids, or texts that hold some."""
    if share(column, lambda value: isinstance(value, list)) >= ENOUGH:
        return share(column, _is_id_list) >= ENOUGH
    return share(column, lambda value: isinstance(value, str)) >= ENOUGH


def _is_id_list(value: list[Any]) -> bool:
    return not any(isinstance(part, dict | list) for part in value)


def is_things(column: Column) -> bool:
    """Whether its values are lists of objects that name documents."""
    return share(column, _names_documents) >= ENOUGH


def _names_documents(value: Any) -> bool:
    parts = value if isinstance(value, list) else []
    return all(isinstance(part, dict) and "doc_id" in part for part in parts)


def is_text(column: Column) -> bool:
    """Whether its values are single texts or numbers."""
    return share(column, lambda value: not isinstance(value, list | dict)) >= ENOUGH


def is_query(column: Column) -> bool:
    """Whether its values are texts, some of them with letters."""
    return (
        is_text(column) and share(column, lambda value: bool(re.search(r"[^\W\d]", str(value)))) > 0
    )


def is_whole(column: Column) -> bool:
    """Whether its values are whole numbers from 0."""
    return share(column, lambda value: _at_least_zero(as_whole(value))) >= ENOUGH


def _at_least_zero(value: Any) -> bool:
    return type(value) is int and value >= 0


def is_number(column: Column) -> bool:
    """Whether its values are numbers."""
    return share(column, lambda value: type(as_number(value)) in (int, float)) >= ENOUGH


def is_whole_or_list(column: Column) -> bool:
    """Whether its values are ranks, or lists of ranks."""
    flat = [
        part for value in column.values for part in (value if isinstance(value, list) else [value])
    ]
    return is_whole(Column(column.path, flat))


def is_time(column: Column) -> bool:
    """Whether its values are times in a form that is known."""
    return time_form(column) is not None


def time_form(column: Column) -> str | None:
    """How its times are written: "zoned", "naive", "seconds" … "nanoseconds", or one of `FORMS`."""
    texts = [str(as_text(value)) for value in column.values if not isinstance(value, list)]
    if not texts or len(texts) < len(column.values):
        return None
    tests: list[tuple[str, Callable[[str], bool]]] = [
        ("zoned", lambda text: bool(ISO_8601.fullmatch(text))),
        ("naive", lambda text: bool(_NAIVE.fullmatch(text))),
        *((name, _epoch(digits)) for digits, name in EPOCHS.items()),
        *((form, _in_form(form)) for form in FORMS),
    ]
    for form, test in tests:
        if sum(map(test, texts)) >= ENOUGH * len(texts):
            return form
    return None


def _epoch(digits: int) -> Callable[[str], bool]:
    """Whether a text is an epoch time of this unit, from 2001 to 2033: "2026113012" is a date."""
    return lambda text: bool(re.fullmatch(rf"1\d{{{digits - 1}}}(\.\d+)?", text))


def _in_form(form: str) -> Callable[[str], bool]:
    def test(text: str) -> bool:
        moment = time_in(text, form)
        return moment is not None and 1995 <= moment.year < 2100

    return test


def fits_form(column: Column, form: str) -> bool:
    """Whether all of its times can be read in a form of `datetime.strptime`."""
    return all(map(_in_form(form), map(str, column.values)))


def separator_of(column: Column) -> str:
    """What stands between ids in its texts: what cuts most of them, and into pieces of one kind."""
    texts = [value for value in column.values if isinstance(value, str) and value[:1] != "["]

    def cuts(separator: str) -> int:
        return sum(len(as_ids(text, separator)) > 1 for text in texts)

    return max(SEPARATORS, key=cuts) if any(map(cuts, SEPARATORS)) else SEPARATORS[0]
