"""One row of a foreign table -> one native line."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from online.sources.mapping import LISTS, THING, Rule, TableMap, Things
from online.sources.shaping import NATIVE, PARTS, Shape, as_ids, as_text, as_time_of, opened, plain

Getter: TypeAlias = Callable[[Mapping[str, Any]], Any]
Tree: TypeAlias = dict[str, "Tree"]

COMPOSED = " / "
"""Stands between the values of an id that several columns make together."""

CLASHING = "source_"
"""Begins the name of a kept column that is called as a native key it is not mapped to."""


class Translation:
    """What a mapping makes of rows.

    Attributes:
        mapping: The mapping.
        cells_are_text: Whether the table knows no types: see `native`.
        notes: Code -> rows that needed a guess.
        kept: Columns without a meaning in the mapping that held something; they go to `extra`.
    """

    def __init__(self, mapping: TableMap, *, cells_are_text: bool) -> None:
        self.mapping = mapping
        self.cells_are_text = cells_are_text
        self.notes: Counter[str] = Counter()
        self.kept: set[str] = set()
        self._getters = {key: getter(key, rule) for key, rule in mapping.fields.items()}
        self._constants = {key: plain(value) for key, value in mapping.constants.items()}
        self._used = tree_of([*mapping.paths(), *mapping.ignore])
        self._whole = {name for name, used in self._used.items() if not used}
        self._things = _ThingReader(mapping.things) if mapping.things else None

    @property
    def names(self) -> dict[str, str]:
        """Native key -> the column or path that it is read from, those of a click too."""
        things = self.mapping.things.parts if self.mapping.things else {}
        of_clicks = {"doc_id": "clicked_doc_id", "rank": "click_rank"}
        parts = {of_clicks.get(part, part): rule.path for part, rule in things.items()}
        return parts | {key: rule.path for key, rule in self.mapping.fields.items()}

    def native(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The native line of a row.

        Where cells are text, an empty list cell of a search means that nothing was found, and an
        empty query of a row with results that nothing was typed.
        """
        line = {}
        for key, value_of in self._getters.items():
            value = value_of(row)
            if value is not None:
                line[key] = value
        unused = {}
        if self._things:
            unused = self._things.put(row, line)
        self._settle(line)
        if "query" in line:
            for key, value in self._constants.items():
                self._assume(line, key, value)
        return self._further(row, unused) | line

    def _settle(self, line: dict[str, Any]) -> None:
        if line.get("retrieved_doc_ids") or "action" in line:
            if self.cells_are_text and line.get("retrieved_doc_ids") and "action" not in line:
                line.setdefault("query", "")
        elif "query" in line and "retrieved_doc_ids" in self._getters:
            if line.get("total_hits") == 0:
                line.setdefault("retrieved_doc_ids", [])
            elif self.cells_are_text and "retrieved_doc_ids" not in line:
                line["retrieved_doc_ids"] = []
                self.notes["empty_results_cell"] += 1

    def _assume(self, line: dict[str, Any], key: str, value: Any) -> None:
        if key not in line:
            line[key] = value
            if key == "model_version":
                self.notes["model_assumed"] += 1

    def _further(self, row: Mapping[str, Any], unused: dict[str, Any]) -> dict[str, Any]:
        further = dict(unused)
        for name, value in row.items():
            if name in self._whole or value is None:
                continue
            used = self._used.get(name)
            left = plain(value) if used is None else pruned(opened(plain(value)), used)
            if left is not None:
                self.kept.add(name)
                further[CLASHING + name if name in NATIVE else name] = left
        return further


class _ThingReader:
    """Rows that are one click, conversion or impression each."""

    def __init__(self, things: Things) -> None:
        self._kinds = things.kinds
        self._action = getter("action", Rule(things.action)) if things.action else None
        self._parts = {part: getter(part, rule) for part, rule in things.parts.items()}

    def put(self, row: Mapping[str, Any], line: dict[str, Any]) -> dict[str, Any]:
        """Put what the row is into the line; what then has no place in the line comes back."""
        word = self._action(row) if self._action else "click"
        kind = self._kinds.get(str(word)) if self._action else "click"
        if word is None or kind == "search":
            return {}
        if kind is None:
            line["action"] = str(word)
            return self._without_search(line)
        things = self._several(row)
        if kind == "conversion":
            things = [thing | {"action": str(word)} for thing in things]
        if "search_id" not in line or not all("doc_id" in thing for thing in things):
            line["action"] = str(word)  # the native line asks for it where either is missing
        line[f"{kind}s"] = things
        return self._without_search(line)

    def _several(self, row: Mapping[str, Any]) -> list[dict[str, Any]]:
        """What happened: one thing, or several where documents and ranks are parallel lists."""
        said = {part: value_of(row) for part, value_of in self._parts.items()}
        documents = said.get("doc_id")
        if not isinstance(documents, list):
            return [{part: value for part, value in said.items() if value is not None}]
        things = []
        for place in range(len(documents)):
            parts = {part: _at(value, place) for part, value in said.items()}
            things.append({part: value for part, value in parts.items() if value is not None})
        return things

    def _without_search(self, line: dict[str, Any]) -> dict[str, Any]:
        """A query without results is that of an earlier row: with it, this would be a search."""
        if "query" in line and not line.get("retrieved_doc_ids"):
            return {f"{CLASHING}query": line.pop("query")}
        return {}


def getter(key: str, rule: Rule) -> Getter:
    """How the value of a native key is fetched from a row and shaped; None where there is none."""
    if rule.more:
        return _composed([getter(key, Rule(path)) for path in (rule.path, *rule.more)])
    shape = _shape_of(key, rule)
    steps = [step.removesuffix("[]") for step in rule.path.split(".")]

    def value_of(row: Mapping[str, Any]) -> Any:
        value = row.get(rule.path)
        if value is None and len(steps) > 1:
            value = pick(row, steps)
        return None if value is None else shape(value)

    return value_of


def _composed(parts: Sequence[Getter]) -> Getter:
    """An id of several values; None where one of them is missing."""

    def value_of(row: Mapping[str, Any]) -> Any:
        values = [part(row) for part in parts]
        return None if None in values else COMPOSED.join(map(str, values))

    return value_of


def _shape_of(key: str, rule: Rule) -> Shape:
    shape = NATIVE.get(key) or PARTS[key]
    if key in LISTS:
        shape = partial(as_ids, separator=rule.separator)
    if rule.format is not None:
        shape = as_time_of(rule.format)
    if rule.values:
        shape = partial(_in_other_words, words=rule.values, shape=shape)
    if rule.rank_base == 0:
        shape = partial(_from_one, shape=shape)
    return partial(_each, shape=shape) if key in THING else shape


def _in_other_words(value: Any, words: Mapping[str, str], shape: Shape) -> Any:
    return shape(words.get(str(as_text(value)), value))


def _from_one(value: Any, shape: Shape) -> Any:
    rank = shape(value)
    return rank + 1 if type(rank) is int else rank


def _each(value: Any, shape: Shape) -> Any:
    return [shape(part) for part in value] if isinstance(value, list) else shape(value)


def _at(value: Any, place: int) -> Any:
    """The part of a list at this place, None behind its end; what is no list is the same at all."""
    if not isinstance(value, list):
        return value
    return value[place] if place < len(value) else None


def pick(value: Any, steps: Sequence[str]) -> Any:
    """What lies at the end of a path; through a list, the list of what lies in its elements.

    >>> pick({"items": [{"id": 1}, {"id": 2}]}, ["items", "id"])
    [1, 2]
    """
    if not steps:
        return value
    if isinstance(value, list):
        found = [pick(part, steps) for part in value]
        return None if all(part is None for part in found) and found else found
    value = opened(value)
    if not isinstance(value, Mapping):
        return None
    for length in range(len(steps), 0, -1):  # a key may hold dots of its own
        name = ".".join(steps[:length])
        if name in value:
            return pick(value[name], steps[length:])
    return None


def tree_of(paths: Sequence[str]) -> Tree:
    """The paths as a tree of names whose leaves, {}, are used whole.

    >>> tree_of(["a.b[]", "c"]) == {"a": {"b": {}}, "c": {}, "a.b[]": {}}
    True
    """
    tree: Tree = {}
    for path in sorted(paths, key=len, reverse=True):  # a whole column wins over a part of it
        steps = [step.removesuffix("[]") for step in path.split(".")]
        node = tree
        for step in steps[:-1]:
            node = node.setdefault(step, {})
        node[steps[-1]] = {}
        tree[path] = {}
    return tree


def pruned(value: Any, used: Tree) -> Any:
    """What is left of a value without the used paths; None where that is nothing."""
    if not used:
        return None
    if isinstance(value, dict):
        left = {
            key: pruned(part, used[key]) if key in used else part for key, part in value.items()
        }
        return {key: part for key, part in left.items() if part is not None} or None
    if isinstance(value, list):
        parts = [pruned(part, used) for part in value]
        return parts if any(part is not None for part in parts) else None
    return value
