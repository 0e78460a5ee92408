"""Whole columns of a table at once: rows that need no look of their own, as the import wants them.

A row is plain where all that it holds is mapped to keys of `plain_schema` and every value has the
right type already, or becomes it without a doubt. Any other row is left to `Translation.native`,
which is slower and knows more. Both ways give the same rows (tested).
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from online.sources.converting import (
    as_members,
    as_objects,
    boolean,
    converted,
    filled,
    holds_nul,
    is_text_valid,
    no_ids,
    nulls,
)
from online.sources.shaping import NATIVE
from online.sources.translation import CLASHING, Translation

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Mask: TypeAlias = npt.NDArray[np.bool_]

JOINED = "joined_doc_ids"
RESULTS = "retrieved_doc_ids"
FURTHER = "further"


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
            if key in schema.names and _is_of(schema.field(key).type, value)
        }
        self._ignored = {*mapping.ignore, *(rule.path for rule in self._rules.values())}
        self._looked_into = {path.split(".")[0].removesuffix("[]") for path in mapping.paths()}
        self._never = (
            mapping.things is not None
            or any(rule.more for rule in mapping.fields.values())
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
        if batch is None or self._never or not is_text_valid(batch):
            return nothing
        is_plain = np.ones(len(lines), bool)
        is_plain[list(faults)] = False
        further = self._further(batch, is_plain)
        if not is_plain.any():
            return nothing
        columns = {key: self._column(key, batch, is_plain) for key in self._rules}
        self._settle(columns, is_plain)
        whole = self._assembled(lines, columns | further)
        if not is_plain.any() or holds_nul(whole):
            return nothing
        return whole.filter(boolean(is_plain)), np.flatnonzero(~is_plain).tolist()

    def _further(self, batch: "pa.RecordBatch", is_plain: "Mask") -> "dict[str, pa.Array]":
        """Columns without a meaning as JSON; rows that need escapes are plain no more."""
        members = []
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            if name in self._ignored or column.null_count == len(column):
                continue
            key = CLASHING + name if name in NATIVE else name
            member = None if name in self._looked_into else as_members(key, column)
            if member is None:
                is_plain &= nulls(column)
                continue
            is_plain &= nulls(column) | ~nulls(member)
            self._translation.kept.add(name)
            members.append(member)
        return {FURTHER: as_objects(members)} if members else {}

    def _column(self, key: str, batch: "pa.RecordBatch", is_plain: "Mask") -> "pa.Array":
        """The values of a key; rows whose value needs a look of its own are plain no more."""
        import pyarrow as pa

        rule, kind = self._rules[key], self._schema.field(key).type
        if rule.path not in batch.schema.names:
            return pa.nulls(batch.num_rows, kind)
        values = batch.column(rule.path)
        column = None if rule.values or rule.format else converted(values, key, kind, rule)
        if column is None:
            column = pa.nulls(batch.num_rows, kind)
        is_plain &= nulls(values) | ~nulls(column)
        return column

    def _settle(self, columns: "dict[str, pa.Array]", is_plain: "Mask") -> None:
        """Empty cells and constants, as `Translation.native` has them."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if {"query", RESULTS} <= columns.keys():
            query, results = columns["query"], columns[RESULTS]
            asked = ~nulls(query) & self._absent("action", columns, len(query))
            empty = nulls(results) & asked
            zero = empty & ~self._absent("total_hits", columns, len(query))
            if zero.any():
                zero &= filled(pc.equal(columns["total_hits"], 0), missing=False)
            if self._translation.cells_are_text:
                is_plain &= ~(nulls(query) & ~nulls(results))
                self._translation.notes["empty_results_cell"] += int(
                    (empty & ~zero & is_plain).sum()
                )
            else:
                empty = zero
            columns[RESULTS] = pc.if_else(boolean(empty), no_ids(), results)
        for key, value in self._constants.items():
            self._assume(key, pa.scalar(value, self._schema.field(key).type), columns, is_plain)

    def _absent(self, key: str, columns: "dict[str, pa.Array]", n: int) -> "Mask":
        """Which rows do not say this."""
        import numpy as np

        return nulls(columns[key]) if key in columns else np.ones(n, bool)

    def _assume(
        self, key: str, value: "pa.Scalar", columns: "dict[str, pa.Array]", is_plain: "Mask"
    ) -> None:
        """Put a constant where a search says nothing."""
        import pyarrow as pa
        import pyarrow.compute as pc

        searches = ~nulls(columns["query"])
        given = columns.get(key, pa.nulls(len(searches), value.type))
        missing = searches & nulls(given)
        columns[key] = pc.if_else(boolean(missing), value, given)
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


def _is_of(kind: "pa.DataType", value: object) -> bool:
    """Whether a constant is of this type, a text or a truth."""
    import pyarrow as pa

    return (
        pa.types.is_string(kind)
        if isinstance(value, str)
        else (pa.types.is_boolean(kind) and isinstance(value, bool))
    )
