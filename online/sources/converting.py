"""Columns of any type as columns of the native shape, whole columns at a time (pyarrow).

A value that is not what it should be without a doubt becomes null: a row where that happens is
looked at by itself.
"""

import json
from typing import TYPE_CHECKING, TypeAlias

from online.sources.mapping import Rule

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Mask: TypeAlias = npt.NDArray[np.bool_]

_WHOLE = r"^\d{1,9}$"
_NUMBER = r"^\d{1,15}(\.\d{1,15})?$"
_ESCAPED = r'["\\\x00-\x1f]'
"""What JSON writes otherwise than it is."""


def converted(values: "pa.Array", key: str, kind: "pa.DataType", rule: Rule) -> "pa.Array | None":
    """The values as this type, null where they are not that without a doubt; None: all of them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if pa.types.is_large_string(values.type) or pa.types.is_string_view(values.type):
        values = values.cast(pa.string())
    if key == "timestamp":
        return _times(values)
    if pa.types.is_string(kind):
        return _texts(values)
    if pa.types.is_integer(kind):
        numbers = _wholes(values, kind)
        is_moved = numbers is not None and rule.rank_base == 0
        return pc.add(numbers, pa.scalar(1, kind)) if is_moved else numbers
    if pa.types.is_floating(kind):
        return _numbers(values)
    if pa.types.is_boolean(kind):
        return values if pa.types.is_boolean(values.type) else None
    return _ids(values, rule.separator) if kind == pa.list_(pa.string()) else None


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
    if pa.types.is_integer(values.type):
        return values.cast(pa.string())
    return pc.utf8_trim_whitespace(values) if pa.types.is_string(values.type) else None


def _wholes(values: "pa.Array", kind: "pa.DataType") -> "pa.Array | None":
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
    return pc.if_else(good, values, pa.scalar(None, values.type)).cast(kind)


def _numbers(values: "pa.Array") -> "pa.Array | None":
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string(values.type):
        good = pc.match_substring_regex(values, _NUMBER)
    elif pa.types.is_floating(values.type):
        good = pc.is_finite(values)
    elif pa.types.is_integer(values.type):
        return values.cast(pa.float64(), safe=False)
    else:
        return None
    return pc.if_else(good, values, pa.scalar(None, values.type)).cast(pa.float64())


def _ids(values: "pa.Array", separator: str) -> "pa.Array | None":
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string(values.type):
        if pc.any(pc.starts_with(values, "[")).as_py():
            return _json_lists(values)
        lists = pc.split_pattern(values, separator)
        trimmed = pc.utf8_trim_whitespace(lists.values)
        mask = boolean(nulls(lists))
        return _without_gaps(pa.ListArray.from_arrays(lists.offsets, trimmed, mask=mask))
    if not pa.types.is_list(values.type):
        return None
    ids = values.type.value_type
    if not (pa.types.is_string(ids) or pa.types.is_integer(ids)):
        return None
    return _without_gaps(values.cast(pa.list_(pa.string())))


def as_members(name: str, values: "pa.Array") -> "pa.Array | None":
    """Each value as a member of a JSON object, such as "country":"DE", where nothing is escaped.

    Null stays null; None says that all values need a look.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    quote = "" if pa.types.is_integer(values.type) else '"'
    texts = _texts(values)
    if texts is None or pa.types.is_decimal(values.type):
        return None
    plain = pc.if_else(pc.match_substring_regex(texts, _ESCAPED), None, texts)
    begin = f"{json.dumps(name, ensure_ascii=False)}:{quote}"
    return pc.binary_join_element_wise(begin, plain, quote, "")


def as_objects(members: "list[pa.Array]") -> "pa.Array":
    """Members as one JSON object a row; null where it has none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    # In front stands an empty text: of a row of nulls alone pyarrow 26 would join nothing at all.
    front = pa.repeat("", len(members[0]))
    joined = pc.binary_join_element_wise(front, *members, ",", null_handling="skip")
    inside = pc.utf8_slice_codeunits(joined, 1)
    inside = pc.if_else(pc.equal(inside, ""), pa.scalar(None, pa.string()), inside)
    return pc.binary_join_element_wise("{", inside, "}", "")


def _json_lists(values: "pa.Array") -> "pa.Array | None":
    """Cells that are JSON arrays of texts; None where one of them is something else."""
    import pyarrow as pa
    from pyarrow import json as arrow

    cells = values.to_pylist()
    text = "\n".join('{"v":null}' if cell is None else f'{{"v":{cell}}}' for cell in cells)
    if text.count("\n") != len(cells) - 1 or "\\u0000" in text:
        return None
    raw = text.encode()
    schema = pa.schema([("v", pa.list_(pa.string()))])
    try:
        rows = arrow.read_json(
            pa.BufferReader(raw),
            read_options=arrow.ReadOptions(use_threads=False, block_size=len(raw) + 1),
            parse_options=arrow.ParseOptions(
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
    bad = filled(pc.equal(texts, ""), missing=True)
    if not bad.any():
        return lists
    where = np.unique(pc.list_parent_indices(lists).to_numpy()[bad])
    mask = nulls(lists)
    mask[where] = True
    return pc.if_else(boolean(~mask), lists, pa.scalar(None, lists.type))


def nulls(values: "pa.Array") -> "Mask":
    """Which values are null."""
    return filled(values.is_null(), missing=True)


def filled(values: "pa.Array", *, missing: bool) -> "Mask":
    """Truths as a mask; null counts as `missing`."""
    import pyarrow.compute as pc

    mask: Mask = pc.fill_null(values, missing).to_numpy(zero_copy_only=False).copy()
    return mask


def boolean(mask: "Mask") -> "pa.Array":
    """A mask as pyarrow takes it."""
    import pyarrow as pa

    return pa.array(mask)


def no_ids() -> "pa.Scalar":
    """The empty list."""
    import pyarrow as pa

    return pa.scalar([], pa.list_(pa.string()))


def is_text_valid(batch: "pa.RecordBatch") -> bool:
    """Whether all texts are UTF-8."""
    import pyarrow as pa

    try:
        batch.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def holds_nul(batch: "pa.RecordBatch") -> bool:
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
