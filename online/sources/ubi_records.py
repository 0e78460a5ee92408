"""What a record of OpenSearch User Behavior Insights (UBI) says, as a native line.

Source of the keys: https://github.com/o19s/ubi, schema 1.3.0, and what its producers write in
practice: the OpenSearch plugin, its JavaScript collectors, and older names of the same keys. UBI
leaves room where Goldsmith needs a word, so:

- `model_version` is that of `query_attributes`, else the experiment and its variant named there.
- `position.ordinal` is the rank; whether the first is 0 or 1 is not said (`online.sources.ubi`).
- `event_attributes.dwell_time` is no dwell time of a click. The collector fills it in with the time
  spent so far on the page on which the event happens (TimeMe.getTimeOnPageInSeconds), so with a
  click it says how long the user looked at the results before. It stays among the further keys.
- The value of a conversion is taken where it is named as one (value, revenue, total). The price of
  a product is none: nobody said how many were bought, or in which currency's smallest part.
- An empty list of results says nothing where the query asked for none (size 0, as requests for
  facets do): the results of such a record are not logged.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

Record: TypeAlias = dict[str, Any]
Kind: TypeAlias = Literal["click", "conversion", "impression", "other"]

CLICKS = (
    "click",
    "click_through",
    "item_click",
    "product_click",
    "result_click",
    "document_click",
    "search_click",
    "click_result",
)
"""Actions that are clicks on a result; `global_click`, a click anywhere on a page, is none."""

CONVERSIONS = (
    "add_to_cart",
    "add_to_basket",
    "add_to_wishlist",
    "purchase",
    "buy",
    "checkout",
    "order",
    "conversion",
)
IMPRESSIONS = ("impression", "product_impression", "item_impression", "result_impression")

NATIVE_KEYS = frozenset(
    [
        "timestamp",
        "query",
        "session_id",
        "user_id",
        "model_version",
        "retrieved_doc_ids",
        "offset",
        "clicked_doc_id",
        "click_rank",
        "clicks",
        "conversions",
        "impressions",
        "action",
        "search_id",
        "event_id",
        "tags",
        "total_hits",
        "latency_ms",
        "dwell_s",
        "results_logged",
    ]
)
"""A UBI key of one of these names is kept as "ubi_" and its name, unless it means the same."""

MODELS = ("model_version", "model")
EXPERIMENTS = ("experiment_id", "experiment", "experiment_name", "ab_test")
VARIANTS = ("variant", "ab_variant", "experiment_variant", "variant_id", "arm", "bucket")
RESULTS = (
    "query_response_hit_ids",
    "query_response_object_ids",
    "query_response_objects_ids",
    "query_response_hits_ids",
)
SIZES = ("size", "page_size", "per_page", "hits_per_page", "rows", "limit")
OFFSETS = ("from", "offset", "start")
VALUES = ("value", "revenue", "total")
LONGEST_NAME = 100
OF_A_QUERY = frozenset(("user_query", "query_response_id", "query_attributes", *RESULTS))

_ZONED = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)")
_NAIVE = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?")
_WHOLE = re.compile(r"-?\d{1,18}(\.0+)?")
_NUMBER = re.compile(r"-?\d{1,18}(\.\d+)?")


def actions(clicks: Iterable[str] = (), conversions: Iterable[str] = ()) -> dict[str, Kind]:
    """Action -> what it is to Goldsmith; any other is "other".

    Args:
        clicks: Further actions that are clicks on a result.
        conversions: Further actions that are conversions.
    """
    table: dict[str, Kind] = dict.fromkeys(CLICKS, "click")
    table |= dict.fromkeys(CONVERSIONS, "conversion")
    table |= dict.fromkeys(IMPRESSIONS, "impression")
    return table | dict.fromkeys(clicks, "click") | dict.fromkeys(conversions, "conversion")


def is_event(record: Record) -> bool:
    """Whether a record tells an event."""
    return "action_name" in record


def is_query(record: Record) -> bool:
    """Whether a record tells a query."""
    return not is_event(record) and not OF_A_QUERY.isdisjoint(record)


def application_of(record: Record) -> str | None:
    """The application that wrote a record, as `short`; None where it names none."""
    named = record.get("application") or part_of(record, "query_attributes").get("application")
    return short(str(named)) if isinstance(named, str | int) else None


def short(name: str) -> str:
    """A name of `LONGEST_NAME` characters at most, as UBI has them, and writable as UTF-8."""
    name = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
    return name if name.isascii() else name.encode(errors="backslashreplace").decode()


def query_line(record: Record, model_version: str) -> Record:
    """A query record as a native line that begins, or goes on with, a search.

    Args:
        record: It is not changed.
        model_version: What ranked the results.
    """
    attributes = part_of(record, "query_attributes")
    line = _common(record, attributes)
    line["query"] = "" if record.get("user_query") is None else record["user_query"]
    line["model_version"] = model_version
    request = _request(record)
    listed = next((record[key] for key in RESULTS if record.get(key) is not None), None)
    if listed is None or (listed == [] and request.get("size") == 0):
        line["results_logged"] = False
    else:
        line["retrieved_doc_ids"] = _ids(listed)
        if offset := _offset(attributes, request):
            line["offset"] = offset
    taken = {"user_query", "query_id", *RESULTS}
    return line | _further(record, taken | _taken_ids(record))


def event_line(record: Record, kind: Kind, rank_base: int) -> Record:
    """An event record as a native line of something that happened in a search.

    Args:
        record: It is not changed.
        kind: What its action is.
        rank_base: What the first rank is in `position.ordinal`, 0 or 1.
    """
    attributes = part_of(record, "event_attributes")
    line = _common(record, attributes)
    line["action"] = record["action_name"]
    taken = {"action_name", "query_id"} | _taken_ids(record)
    if isinstance(record.get("event_attributes"), dict):
        taken.add("event_attributes")
    happened, rest = _happened(attributes, rank_base)
    if kind == "click":
        line["clicks"] = [happened]
    elif kind == "impression" and "doc_id" in happened:
        line["impressions"] = [happened]
    elif kind == "conversion":
        value = _value(record)
        line["conversions"] = [happened if value is None else happened | {"value": value}]
    else:  # nothing of it has a native key
        rest = attributes
    if rest:
        line["event_attributes"] = rest
    return line | _further(record, taken)


def object_id_of(record: Record) -> str | None:
    """The document that an event is about, None where it names none."""
    found = _id(_object(part_of(record, "event_attributes")).get("object_id"))
    return found if isinstance(found, str) else None


def ordinal_of(record: Record) -> int | None:
    """The `position.ordinal` of an event as it was logged, None where there is no such number."""
    position = part_of(part_of(record, "event_attributes"), "position")
    found = _whole(position.get("ordinal"))
    return found if type(found) is int else None


def model_of(record: Record) -> tuple[str, str] | None:
    """The model that a query record names, and the key that does; None where none does.

    Of an experiment and its variant both are needed: two arms of one experiment are two models.
    """
    attributes = part_of(record, "query_attributes")
    if model := _first(attributes, MODELS):
        return model
    experiment, variant = _first(attributes, EXPERIMENTS), _first(attributes, VARIANTS)
    if experiment and variant:
        return f"{experiment[0]}:{variant[0]}", f"{experiment[1]}_and_{variant[1]}"
    return experiment or variant


def time_format(stamp: object) -> str:
    """What kind of timestamp this is, such as "iso_8601" or "epoch_milliseconds"."""
    if isinstance(stamp, str):
        if _ZONED.fullmatch(stamp):
            return "iso_8601"
        if _NAIVE.fullmatch(stamp):
            return "iso_8601_without_zone"
        if stamp.isdecimal() and stamp.isascii() and len(stamp) < 22:
            return _epoch(int(stamp))
    if isinstance(stamp, int | float) and not isinstance(stamp, bool):
        return _epoch(stamp)
    return "missing" if stamp is None else "other"


def part_of(record: Mapping[str, Any], key: str) -> Record:
    """An object within a record; {} where there is none."""
    found = record.get(key)
    return found if isinstance(found, dict) else {}


def _epoch(stamp: float) -> str:
    """By magnitude: today is about 1.8e9 in seconds."""
    for below, unit in ((1e11, ""), (1e14, "milli"), (1e17, "micro"), (1e20, "nano")):
        if 0 <= stamp < below:
            return f"epoch_{unit}seconds"
    return "other"


def _common(record: Record, attributes: Record) -> Record:
    """The keys that queries and events share; an id that is "" is none."""
    line = {"timestamp": record["timestamp"]} if record.get("timestamp") is not None else {}
    for key, place, name in (
        ("search_id", record, "query_id"),
        ("user_id", record, "user_id"),
        ("user_id", record, "client_id"),
        ("session_id", record, "session_id"),
        ("session_id", attributes, "session_id"),
        ("event_id", record, "event_id"),
    ):
        value = place.get(name)
        if value is not None and value != "" and key not in line:
            line[key] = str(value) if type(value) is int else value
    return line


def _taken_ids(record: Record) -> set[str]:
    """Which of the record's ids the line says already, or which say nothing."""
    if record.get("user_id") in (None, ""):
        return {"timestamp", "event_id", "session_id", "client_id", "user_id"}
    return {"timestamp", "event_id", "session_id", "user_id"}


def _happened(attributes: Record, rank_base: int) -> tuple[Record, Record]:
    """Document and rank of an event, and its attributes without them."""
    happened: Record = {}
    rest = dict(attributes)
    key = "object" if isinstance(attributes.get("object"), dict) else "data"
    thing = dict(part_of(attributes, key))
    if (doc_id := _id(thing.get("object_id"))) not in (None, ""):
        happened["doc_id"] = doc_id
        del thing["object_id"]
        rest[key] = thing
    position = dict(part_of(attributes, "position"))
    if (ordinal := _whole(position.get("ordinal"))) is not None:
        happened["rank"] = ordinal + 1 - rank_base if type(ordinal) is int else ordinal
        del position["ordinal"]
        rest["position"] = position
    return happened, {key: value for key, value in rest.items() if value not in ({}, None)}


def _further(record: Record, taken: Iterable[str]) -> Record:
    """What a record says beside the keys that are taken, under names of its own."""
    return {
        f"ubi_{key}" if key in NATIVE_KEYS else key: value
        for key, value in record.items()
        if key not in taken and value not in (None, {})
    }


def _value(record: Record) -> float | None:
    """The value that a conversion names for itself."""
    attributes = part_of(record, "event_attributes")
    thing = _object(attributes)
    for place in (record, attributes, thing, part_of(thing, "object_detail")):
        for key in VALUES:
            found = place.get(key)
            if isinstance(found, str) and _NUMBER.fullmatch(found):
                return float(found)
            if isinstance(found, int | float) and not isinstance(found, bool):
                return found
    return None


def _request(record: Record) -> Record:
    """The request that a query record quotes in its key `query`; {} where it is none that we read.

    Of it only the first and the number of results wanted matter.
    """
    quoted = record.get("query")
    if isinstance(quoted, str) and quoted.startswith("{"):
        try:
            quoted = json.loads(quoted)
        except (ValueError, RecursionError):
            return {}
    return quoted if isinstance(quoted, dict) else {}


def _offset(attributes: Record, request: Record) -> int:
    """How many results stand before the first listed; page 1 is the first."""
    pages = (part_of(attributes, "pagination"), attributes)
    for place in (*pages, request):
        if found := _first_whole(place, OFFSETS):
            return found
    page = next((n for place in pages if (n := _first_whole(place, ("page", "page_number")))), 0)
    sizes = (size for place in (*pages, request) if (size := _first_whole(place, SIZES)))
    return max(page - 1, 0) * next(sizes, 0)


def _first_whole(place: Mapping[str, Any], keys: Iterable[str]) -> int:
    """The first of these keys that holds a whole number above 0; 0 where none does."""
    for key in keys:
        found = _whole(place.get(key))
        if type(found) is int and found > 0:
            return found
    return 0


def _first(place: Mapping[str, Any], keys: Iterable[str]) -> tuple[str, str] | None:
    for key in keys:
        if isinstance(found := _id(place.get(key)), str) and found.strip():
            return found, key
    return None


def _object(attributes: Record) -> Record:
    """What an event is about; collectors before UBI 1.0 called it `data`."""
    return part_of(attributes, "object") or part_of(attributes, "data")


def _ids(listed: Any) -> Any:
    return [_id(doc_id) for doc_id in listed] if isinstance(listed, list) else listed


def _id(given: Any) -> Any:
    """An id as text, a whole number as its digits; anything else as it is, to be refused."""
    return str(given) if type(given) is int else given


def _whole(given: Any) -> Any:
    """A whole number, also written 3.0 or "3", as OpenSearch takes it; else as it is."""
    if type(given) is float and given.is_integer():
        return int(given)
    if isinstance(given, str) and _WHOLE.fullmatch(given):
        return int(given.partition(".")[0])
    return given
