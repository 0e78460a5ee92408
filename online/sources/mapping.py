"""What the columns of a foreign table mean: a file in TOML, read strictly.

ignore = ["ip"]                          # columns that are not kept at all

[fields]                                 # native key = column, or dotted path within one
timestamp = "event_time"
query = "search.term"
retrieved_doc_ids = { path = "docs", separator = "," }
click_rank = { path = "position", rank_base = 0 }
model_version = { path = "arm", values = { a = "bm25", b = "minilm" } }

[constants]                              # where a row itself says nothing
model_version = "bm25"

[clicks]                                 # where one row is one thing that happened
action = "event_name"
click = ["select_item"]
conversion = ["purchase"]
impression = ["view_item"]
search = ["search"]
doc_id = "item_id"
rank = "item_position"
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from online.events import OnlineError
from online.sources.shaping import NATIVE, SEPARATOR

LISTS = ("retrieved_doc_ids", "tags")
RANKS = ("click_rank", "rank")
KINDS = ("click", "conversion", "impression")
THING = {
    "doc_id": "the document",
    "rank": "its rank",
    "value": "what a conversion is worth",
    "dwell_s": "seconds on the document",
}
"""Keys of [clicks] that say where a part of the thing stands."""

_TOP = ("fields", "constants", "clicks", "ignore")
_RULE = ("path", "paths", "separator", "rank_base", "values", "format")
_COMPOSED = ("search_id", "session_id", "event_id")
_CLICKS = ("action", *KINDS, "search", *THING)


@dataclass(frozen=True, slots=True)
class Rule:
    """Where a value stands and how it is written there.

    Attributes:
        path: A column, or a dotted path into what it holds; "items[].id" takes each element.
        separator: What stands between the ids of a list that is one text.
        rank_base: 0 where the first result has rank 0.
        values: Word in the table -> word in the lake; other words stay.
        format: How a time is written, as `datetime.strptime` names it; None: ISO 8601 or epoch.
        more: Further columns of an id that several columns make together.
    """

    path: str
    separator: str = SEPARATOR
    rank_base: int = 1
    values: Mapping[str, str] = field(default_factory=dict)
    format: str | None = None
    more: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Things:
    """How rows that are one click, conversion or impression each are told and read.

    Attributes:
        action: The column that says what the row is; None: every row is a click.
        kinds: Value of that column -> "click", "conversion", "impression" or "search".
        parts: Part of a thing, of `THING` -> where it stands.
    """

    action: str | None = None
    kinds: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, Rule] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TableMap:
    """What the columns of a table mean.

    Attributes:
        fields: Key of the native line -> where its value stands.
        constants: Key of the native line -> its value where a row says nothing.
        things: How rows that are one thing each are read; None: each row is a search, or a later
            line of one.
        ignore: Columns and paths that are not kept.
        where: The file it was read from; None for one that column names gave.
    """

    fields: Mapping[str, Rule] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)
    things: Things | None = None
    ignore: tuple[str, ...] = ()
    where: str | None = None

    def paths(self) -> list[str]:
        """All columns and paths that are read."""
        things = self.things
        rules = [*self.fields.values(), *(things.parts.values() if things else ())]
        paths = [path for rule in rules for path in (rule.path, *rule.more)]
        return paths + ([things.action] if things and things.action else [])


def read_mapping(file: Path) -> TableMap:
    """The mapping in a file.

    Raises:
        OnlineError: There is no such file, it is no TOML, or holds a key that nothing reads.
    """
    try:
        return parse_mapping(file.read_text(encoding="utf-8-sig"), str(file))
    except OSError as error:
        raise OnlineError(
            f"cannot open the mapping: {error.strerror}",
            where=str(file),
            hint="goldsmith events map FILE --output mapping.toml proposes one",
        ) from error
    except UnicodeDecodeError as error:
        raise OnlineError("the mapping is no UTF-8 text", where=str(file)) from error


def parse_mapping(text: str, where: str) -> TableMap:
    """The mapping in this TOML text; `where` names it in messages.

    Raises:
        OnlineError: It is no TOML, or holds a key that nothing reads.
    """
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise OnlineError(f"the mapping is no TOML: {error}", where=where) from error
    check = _Checks(where)
    check.keys(said, _TOP, "the mapping")
    fields = check.table(said, "fields")
    check.keys(fields, NATIVE, "[fields]")
    constants = check.table(said, "constants")
    check.keys(constants, NATIVE, "[constants]")
    mapping = TableMap(
        fields={key: check.rule(f"fields.{key}", key, rule) for key, rule in fields.items()},
        constants=constants,
        things=check.things(check.table(said, "clicks")) if "clicks" in said else None,
        ignore=tuple(check.texts("ignore", said.get("ignore", []))),
        where=where,
    )
    if not mapping.fields:
        raise check.wrong("[fields]", "names no column; say at least timestamp and query")
    return mapping


@dataclass(frozen=True, slots=True)
class _Checks:
    """Each check says what is wrong, and where in the file."""

    where: str

    def wrong(self, key: str, what: str, hint: str | None = None) -> OnlineError:
        return OnlineError(f"{key} {what}", where=self.where, hint=hint)

    def keys(self, said: Mapping[str, Any], known: Iterable[str], place: str) -> None:
        for key in said:
            if key not in known:
                raise self.wrong(place, f"has no key {key!r}", suggestion(key, known))

    def table(self, said: Mapping[str, Any], key: str) -> dict[str, Any]:
        value = said.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(f"[{key}]", "is no table")
        return value

    def texts(self, key: str, value: Any) -> list[str]:
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
            raise self.wrong(key, "is no list of texts")
        return values

    def rule(self, place: str, key: str, said: Any) -> Rule:
        if isinstance(said, str):
            said = {"path": said}
        if not isinstance(said, dict):
            raise self.wrong(place, 'names no column; write "column" or { path = "column" }')
        self.keys(said, _RULE, place)
        if "paths" in said:
            return self._composed(place, key, said)
        if not isinstance(said.get("path"), str) or not said["path"]:
            raise self.wrong(place, "has no path; name the column")
        self._fits(place, key, said)
        values = self.table(said, "values")
        if not all(isinstance(word, str) for word in values.values()):
            raise self.wrong(f"{place}.values", "holds something that is no text")
        return Rule(**{**said, "values": values})

    def _composed(self, place: str, key: str, said: Mapping[str, Any]) -> Rule:
        """An id that several columns make together."""
        if key not in _COMPOSED:
            raise self.wrong(place, f"takes no paths; that is for {', '.join(_COMPOSED)}")
        paths = self.texts(f"{place}.paths", said["paths"])
        if len(paths) < 2 or len(said) > 1:
            raise self.wrong(place, "takes two columns or more as paths, and nothing beside")
        return Rule(paths[0], more=tuple(paths[1:]))

    def _fits(self, place: str, key: str, said: Mapping[str, Any]) -> None:
        for option, keys in (
            ("separator", LISTS),
            ("rank_base", RANKS),
            ("format", ("timestamp",)),
        ):
            if option in said and key not in keys:
                raise self.wrong(place, f"takes no {option}; that is for {' and '.join(keys)}")
        if not (isinstance(said.get("separator", "|"), str) and said.get("separator", "|")):
            raise self.wrong(f"{place}.separator", "is no text")
        if said.get("rank_base", 1) not in (0, 1):
            raise self.wrong(f"{place}.rank_base", "is neither 0 nor 1")
        if not isinstance(said.get("format", ""), str):
            raise self.wrong(f"{place}.format", "is no text")

    def things(self, said: Mapping[str, Any]) -> Things:
        self.keys(said, _CLICKS, "[clicks]")
        kinds: dict[str, str] = {}
        for kind in (*KINDS, "search"):
            for word in self.texts(f"clicks.{kind}", said.get(kind, [])):
                if word in kinds:
                    raise self.wrong("[clicks]", f"calls {word!r} both {kinds[word]} and {kind}")
                kinds[word] = kind
        action = said.get("action")
        if action is not None and not isinstance(action, str):
            raise self.wrong("clicks.action", "is no text")
        if kinds and action is None:
            raise self.wrong("[clicks]", "has no action; name the column that holds these words")
        parts = {
            part: self.rule(f"clicks.{part}", part, said[part]) for part in THING if part in said
        }
        return Things(action, kinds, parts)


def suggestion(word: str, known: Iterable[str]) -> str:
    """What may have been meant by a word that is not known."""
    names = list(known)
    near = get_close_matches(word.lower().replace("-", "_"), names, n=1, cutoff=0.6)
    return f"did you mean {near[0]!r}?" if near else f"known are {', '.join(names)}"
