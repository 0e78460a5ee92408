"""Whole columns of a table at once: rows that need no look of their own, as the import wants them.

A row is plain where all that it holds is mapped to keys of `plain_schema` and every value has the
right type already, or becomes it without a doubt. Any other row is left to `Translation.native`,
which is slower and knows more. Both ways give the same rows (tested).
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from online.sources.mapping import Rule
from online.sources.translation import Translation

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Mask: TypeAlias = npt.NDArray[np.bool_]

JOINED = "joined_doc_ids"
RESULTS = "retrieved_doc_ids"
_WHOLE = r"^\d{1,9}$"


class PlainColumns:
    """Splits chunks of a table into plain rows and the rest."""

    def __init__(self, translation: Translation, schema: "pa.Schema") -> None:
        self._translation = translation
        self._schema = schema
        mapping = translation.mapping
        self._rules = {key: rule for key, rule in mapping.fields.items() if key in schema.names}
        self._constants = {
            key: value
            for key, value in mapping.constants.items()
            if key in schema.names and isinstance(value, str)
        }
        self._ignored = {*mapping.ignore, *(rule.path for rule in self._rules.values())}
        self._never = (
            mapping.things is not None
            or self._constants != mapping.constants
            or (bool(self._constants) and "query" not in self._rules)
        )

    def split(
        self,
        lines: "npt.NDArray[np.int64]",
        batch: "pa.RecordBatch | None",
        faults: Mapping[int, str],
    ) -> "tuple[pa.RecordBatch | None, list[int]]":
        """The plain rows, and the places of all others.

        Args:
            lines: Numbers of the rows.
            batch: Their columns; None where the rows have none.
            faults: Places of rows that could not be read.
        """
        import numpy as np

        nothing = None, list(range(len(lines)))
        if batch is None or self._never or not _is_text_valid(batch):
            return nothing
        is_plain = self._holds_nothing_else(batch)
        is_plain[list(faults)] = False
        if not is_plain.any():
            return nothing
        columns = {key: self._column(key, batch, is_plain) for key in self._rules}
        self._settle(columns, is_plain)
        whole = self._assembled(lines, columns)
        if not is_plain.any() or _holds_nul(whole):
            return nothing
        return whole.filter(_boolean(is_plain)), np.flatnonzero(~is_plain).tolist()

    def _holds_nothing_else(self, batch: "pa.RecordBatch") -> "Mask":
        """Which rows hold nothing beside the columns that are read as a whole."""
        import numpy as np

        is_plain = np.ones(batch.num_rows, bool)
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            if name not in self._ignored:
                is_plain &= _nulls(column)
        return is_plain

    def _column(self, key: str, batch: "pa.RecordBatch", is_plain: "Mask") -> "pa.Array":
        """The values of a key; rows whose value needs a look of its own are plain no more."""
        import pyarrow as pa

        rule, kind = self._rules[key], self._schema.field(key).type
        if rule.path not in batch.schema.names:
            return pa.nulls(batch.num_rows, kind)
        values = batch.column(rule.path)
        column = None if rule.values or rule.format else _converted(values, key, kind, rule)
        if column is None:
            column = pa.nulls(batch.num_rows, kind)
        is_plain &= _nulls(values) | ~_nulls(column)
        return column

    def _settle(self, columns: "dict[str, pa.Array]", is_plain: "Mask") -> None:
        """Empty cells and constants, as `Translation.native` has them."""
        import pyarrow.compute as pc

        if self._translation.cells_are_text and {"query", RESULTS} <= columns.keys():
            query, results = columns["query"], columns[RESULTS]
            is_plain &= ~(_nulls(query) & ~_nulls(results))
            empty = _nulls(results) & ~_nulls(query)
            if empty.any():
                self._translation.notes["empty_results_cell"] += int((empty & is_plain).sum())
                columns[RESULTS] = pc.if_else(_boolean(empty), _no_ids(), results)
        for key, value in self._constants.items():
            self._assume(key, value, columns, is_plain)

    def _assume(
        self, key: str, value: str, columns: "dict[str, pa.Array]", is_plain: "Mask"
    ) -> None:
        """Put a constant where a search says nothing."""
        import pyarrow as pa
        import pyarrow.compute as pc

        searches = ~_nulls(columns["query"])
        given = columns.get(key, pa.nulls(len(searches), pa.string()))
        missing = searches & _nulls(given)
        columns[key] = pc.if_else(_boolean(missing), value, given)
        if key == "model_version":
            self._translation.notes["model_assumed"] += int((missing & is_plain).sum())

    def _assembled(
        self, lines: "npt.NDArray[np.int64]", columns: "dict[str, pa.Array]"
    ) -> "pa.RecordBatch":
        import pyarrow as pa
        import pyarrow.compute as pc

        every: dict[str, Any] = dict(columns) | {"line": pa.array(lines)}
        if RESULTS in columns:
            every[JOINED] = pc.binary_join(columns[RESULTS], "")
        return pa.record_batch(
            [
                every[field.name] if field.name in every else pa.nulls(len(lines), field.type)
                for field in self._schema
            ],
            schema=self._schema,
        )


def _converted(values: "pa.Array", key: str, kind: "pa.DataType", rule: Rule) -> "pa.Array | None":
    """The values as this type, null where they are not that without a doubt; None: all of them."""
    import pyarrow as pa

    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if pa.types.is_large_string(values.type) or pa.types.is_string_view(values.type):
        values = values.cast(pa.string())
    if key == "timestamp":
        return _times(values)
    if pa.types.is_string(kind):
        return _texts(values)
    if pa.types.is_int32(kind):
        return _wholes(values, rule.rank_base)
    return _ids(values, rule.separator) if pa.types.is_list(kind) else None


def _texts(values: "pa.Array") -> "pa.Array | None":
    import pyarrow as pa

    kind = values.type
    whole = pa.types.is_decimal(kind) and kind.scale == 0
    if pa.types.is_string(kind) or pa.types.is_integer(kind) or whole:
        return values.cast(pa.string())
    return None


def _times(values: "pa.Array") -> "pa.Array | None":
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_timestamp(values.type):
        zone = "UTC" if values.type.tz else None
        return values.cast(pa.timestamp("us", zone), safe=False).cast(pa.string())
    return pc.utf8_trim_whitespace(values) if pa.types.is_string(values.type) else None


def _wholes(values: "pa.Array", rank_base: int) -> "pa.Array | None":
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string(values.type):
        good = pc.match_substring_regex(values, _WHOLE)
    elif pa.types.is_integer(values.type) or pa.types.is_floating(values.type):
        good = pc.and_(pc.greater_equal(values, 0), pc.less(values, 10**9))
        if pa.types.is_floating(values.type):
            good = pc.and_(good, pc.equal(values, pc.floor(values)))
    else:
        return None
    numbers = pc.if_else(good, values, pa.scalar(None, values.type)).cast(pa.int32())
    return pc.add(numbers, pa.scalar(1, pa.int32())) if rank_base == 0 else numbers


def _ids(values: "pa.Array", separator: str) -> "pa.Array | None":
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string(values.type):
        if pc.any(pc.starts_with(values, "[")).as_py():
            return _json_lists(values)
        lists = pc.split_pattern(values, separator)
        trimmed = pc.utf8_trim_whitespace(lists.values)
        mask = _boolean(_nulls(lists))
        return _without_gaps(pa.ListArray.from_arrays(lists.offsets, trimmed, mask=mask))
    if not pa.types.is_list(values.type):
        return None
    ids = values.type.value_type
    if not (pa.types.is_string(ids) or pa.types.is_integer(ids)):
        return None
    return _without_gaps(values.cast(pa.list_(pa.string())))


def _json_lists(values: "pa.Array") -> "pa.Array | None":
    """Cells that are JSON arrays of texts; None where one of them is something else."""
    import pyarrow as pa
    from pyarrow import json

    cells = values.to_pylist()
    text = "\n".join('{"v":null}' if cell is None else f'{{"v":{cell}}}' for cell in cells)
    if text.count("\n") != len(cells) - 1 or "\\u0000" in text:
        return None
    raw = text.encode()
    schema = pa.schema([("v", pa.list_(pa.string()))])
    try:
        rows = json.read_json(
            pa.BufferReader(raw),
            read_options=json.ReadOptions(use_threads=False, block_size=len(raw) + 1),
            parse_options=json.ParseOptions(
                explicit_schema=schema, unexpected_field_behavior="error"
            ),
        )
    except pa.ArrowInvalid:
        return None
    return _without_gaps(rows["v"].combine_chunks()) if rows.num_rows == len(cells) else None


def _without_gaps(lists: "pa.Array") -> "pa.Array":
    """The lists, null where one holds an empty text or null."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = lists.flatten()
    bad = _filled(pc.equal(texts, ""), missing=True)
    if not bad.any():
        return lists
    where = np.unique(pc.list_parent_indices(lists).to_numpy()[bad])
    mask = _nulls(lists)
    mask[where] = True
    return pc.if_else(_boolean(~mask), lists, pa.scalar(None, lists.type))


def _nulls(values: "pa.Array") -> "Mask":
    return _filled(values.is_null(), missing=True)


def _filled(values: "pa.Array", *, missing: bool) -> "Mask":
    import pyarrow.compute as pc

    mask: Mask = pc.fill_null(values, missing).to_numpy(zero_copy_only=False).copy()
    return mask


def _boolean(mask: "Mask") -> "pa.Array":
    import pyarrow as pa

    return pa.array(mask)


def _no_ids() -> "pa.Scalar":
    import pyarrow as pa

    return pa.scalar([], pa.list_(pa.string()))


def _is_text_valid(batch: "pa.RecordBatch") -> bool:
    """Whether all texts are UTF-8."""
    import pyarrow as pa

    try:
        batch.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _holds_nul(batch: "pa.RecordBatch") -> bool:
    """Whether a text holds U+0000."""
    import pyarrow as pa

    texts = (column.flatten() if pa.types.is_list(column.type) else column for column in batch)
    return any(_has_zero_byte(text) for text in texts if pa.types.is_string(text.type))


def _has_zero_byte(texts: "pa.Array") -> bool:
    import numpy as np

    _, ends, octets = texts.buffers()
    if octets is None:
        return False
    within = np.frombuffer(ends, np.int32)[[texts.offset, texts.offset + len(texts)]]
    return not np.frombuffer(octets, np.uint8)[within[0] : within[1]].all()
