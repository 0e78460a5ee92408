"""Raw judgments as tables and lines, and TREC's qrels with one grade a pair."""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection
from itertools import groupby
from typing import IO

from builder.errors import BuilderError
from builder.export.judgment_source import OWN_GRADES, JudgmentSource, Tally
from builder.export.synthetic import without_synthetic
from builder.judging.aggregation import is_decision, settle_pairs
from builder.spreadsheets import BOM, GUARD_COLUMN, GUARD_MARK, LONGEST_CELL, csv_line, guarded
from builder.store.adjudications import excluded_raters, grades_and_decisions
from builder.store.judgment_rows import JudgmentRow
from builder.store.judgments import GradeRow

COLUMNS = (
    *("query-id", "corpus-id", "rater", "grade", "outcome", "comment", "timestamp"),
    *("reason", "milliseconds", "guidelines_version", "kind", "recorded"),
)
_TEXTS = ("query-id", "corpus-id", "rater", "comment", "reason")
"""Columns that hold what people wrote; the others are ours."""

_WHITE = re.compile(r"\s")
_encode = json.JSONEncoder(ensure_ascii=False).encode


def cells_of(row: JudgmentRow) -> dict[str, str | int | None]:
    """Column -> value."""
    return dict(
        zip(
            COLUMNS,
            (
                *(row.query_id, row.doc_id, row.rater, row.grade, row.outcome, row.comment),
                *(row.moment, row.reason, row.milliseconds, row.guidelines_version, row.kind),
                row.recorded,
            ),
            strict=True,
        )
    )


def write_tsv(stream: IO[str], source: JudgmentSource) -> None:
    """A table parted by TABs; cells that hold TABs, line ends or quotation marks are quoted."""
    _write_table(stream, source, "\t")


def write_csv(stream: IO[str], source: JudgmentSource) -> None:
    """A table parted by commas."""
    _write_table(stream, source, ",")


def write_jsonl(stream: IO[str], source: JudgmentSource) -> None:
    """One JSON object a line."""
    _each(source, lambda row: stream.write(_encode(cells_of(row)) + "\n"))


def write_trec(stream: IO[str], source: JudgmentSource) -> None:
    """Qrels: query, 0, document and its one grade: what was decided, else what the rule makes.

    Grades of models stay behind and are counted: a line of qrels cannot say what it rests on.

    Raises:
        BuilderError: An id holds white space, which parts the columns.
    """
    rule, tally = source.asked.rule, source.tally
    excluded = excluded_raters(source.connection)
    for (query_id, doc_id), of_pair in groupby(grades_and_decisions(source.connection), _pair):
        rows = list(of_pair)
        _count_left_out(rows, tally, excluded)
        for settled in settle_pairs(without_synthetic(rows), rule, excluded=excluded):
            _refuse_white(query_id, doc_id)
            tally.written += 1
            tally.pairs += 1
            stream.write(f"{query_id} 0 {doc_id} {settled.grade}\n")


def _write_table(stream: IO[str], source: JudgmentSource, delimiter: str) -> None:
    if not source.asked.excel:
        stream.write(csv_line(COLUMNS, delimiter=delimiter, end="\n"))
        _each(
            source,
            lambda row: stream.write(
                csv_line(cells_of(row).values(), delimiter=delimiter, end="\n")
            ),
        )
        return
    too_long: Counter[str] = Counter()

    def write(row: JudgmentRow) -> object:
        cells = cells_of(row)
        for name in _TEXTS:
            cells[name] = text = guarded(str(cells[name]))
            too_long[name] += len(text) > LONGEST_CELL
        return stream.write(csv_line([*cells.values(), GUARD_MARK], delimiter=delimiter))

    stream.write(BOM + csv_line([*COLUMNS, GUARD_COLUMN], delimiter=delimiter))
    _each(source, write)
    source.tally.warnings += [
        f"{n} cells of {name} are longer than {LONGEST_CELL:,} characters, where Excel cuts"
        for name, n in too_long.items()
        if n
    ]


def _each(source: JudgmentSource, write: Callable[[JudgmentRow], object]) -> None:
    last = None
    for row in source.rows():
        write(row)
        source.tally.take(row)
        source.tally.pairs += (row.query_id, row.doc_id) != last
        last = (row.query_id, row.doc_id)


def _pair(row: GradeRow) -> tuple[str, str]:
    return row.query_id, row.doc_id


def _count_left_out(rows: list[GradeRow], tally: Tally, excluded: Collection[str]) -> None:
    for row in rows:
        if is_decision(row):
            continue
        if row.grade is None:
            tally.left_out[row.outcome] += 1
        elif row.rater in excluded:
            tally.left_out["excluded"] += 1
        elif row.kind not in OWN_GRADES:
            tally.left_out[row.kind] += 1


def _refuse_white(query_id: str, doc_id: str) -> None:
    bad = next((key for key in (query_id, doc_id) if _WHITE.search(key)), None)
    if bad is not None:
        raise BuilderError(
            f"TREC parts its columns at blanks, and the id {bad[:80]!r} holds one.",
            hint="Take tsv, csv or jsonl.",
        )
