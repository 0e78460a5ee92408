"""Qrels files: every form is read, three forms are written.

Read: 3 columns (query, document, grade) or 4 (TREC: query, iteration, document, grade), TAB or
blanks, with or without a header line, CRLF, byte order mark, gzip; JSONL. Written: `.tsv` for beir
and Goldsmith, `.jsonl` for datasets and mteb, `.trec` for trec_eval, ir_measures and ranx, since
no single form satisfies all of them.
"""

import csv
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from evals.lines import id_text, json_rows, numbered_lines
from evals.records import EvalsError, Qrels

SPLIT_ORDER = ("test", "train", "dev")
WEAK_SPLIT = "weak_labels_from_clicks"
"""Labels made of clicks, which nobody judged: never read unless they are asked for by this name."""
FORMS = (".tsv", ".jsonl", ".trec")
ROOT_QRELS = "qrels.tsv"
HEADER = ("query-id", "corpus-id", "score")

QUERY_NAMES = ("query-id", "query_id", "queryid", "qid", "query", "topic")
DOC_NAMES = ("corpus-id", "corpus_id", "doc_id", "doc-id", "docid", "docno", "document_id", "doc")
GRADE_NAMES = ("score", "grade", "relevance", "rel", "label", "judgment", "rating")
GRADE_LIMIT = 2**31
"""Grades fit into 32 bits: mteb and `datasets` read them so."""

# A cell in CSV quotes, as beir, pandas and DuckDB read TSV, or a cell as it stands.
_CELL = re.compile(r'"((?:[^"]|"")*)"(?=\t|$)|([^\t]*)')
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)

Row: TypeAlias = tuple[int, str, str, int]
"""Line number, query_id, doc_id, grade."""


@dataclass(slots=True)
class QrelsFile:
    """What one qrels file says.

    Attributes:
        qrels: query_id -> doc_id -> grade.
        identical: Rows that repeat an earlier one; they count once.
        contradictory: Rows that give an earlier pair another grade; the last one holds.
        contradictions: A few of those, as "line 7: q1 d2 was 0, is 3".
    """

    qrels: dict[str, dict[str, int]] = field(default_factory=dict)
    identical: int = 0
    contradictory: int = 0
    contradictions: list[str] = field(default_factory=list)

    def add(self, row: Row) -> None:
        """Takes one row in; says nothing, counts repetitions."""
        number, query_id, doc_id, grade = row
        grades = self.qrels.setdefault(query_id, {})
        earlier = grades.get(doc_id)
        if earlier == grade:
            self.identical += 1
        elif earlier is not None:
            self.contradictory += 1
            if len(self.contradictions) < 3:
                self.contradictions.append(
                    f"line {number}: {query_id} {doc_id} was {earlier}, is {grade}"
                )
        grades[doc_id] = grade

    def warnings(self, path: Path) -> list[str]:
        """What a reader of the scores should know about repeated rows."""
        said = []
        if self.identical:
            said.append(f"{path.name}: {self.identical} identical rows count once")
        if self.contradictory:
            said.append(
                f"{path.name}: {self.contradictory} rows contradict an earlier row; the last one "
                f"holds ({'; '.join(self.contradictions)})"
            )
        return said


@dataclass(frozen=True, slots=True)
class _Columns:
    query: int
    doc: int
    grade: int


_BY_COUNT = {3: _Columns(0, 1, 2), 4: _Columns(0, 2, 3)}


def find_qrels(folder: Path) -> dict[str, Path]:
    """Split -> its qrels file, in the order in which splits are looked for.

    Of several forms of one split `.tsv` wins, then `.jsonl`, then `.trec`; a `qrels.tsv` at the
    root counts as `test` where there is no other.
    """
    found: dict[str, Path] = {}
    for form in (f"{form}{packed}" for form in FORMS for packed in ("", ".gz")):
        for path in sorted((folder / "qrels").glob(f"*{form}")):
            found.setdefault(path.name.removesuffix(form), path)
    root = folder / ROOT_QRELS
    if "test" not in found and not (set(found) & set(SPLIT_ORDER)) and root.is_file():
        found["test"] = root
    order = [*SPLIT_ORDER, *sorted(set(found) - set(SPLIT_ORDER))]
    return {split: found[split] for split in order if split in found}


def read_qrels(path: Path) -> QrelsFile:
    """The judgments of one file, whatever its form.

    Raises:
        EvalsError: A row cannot be read or its grade is no whole number (file and line are named),
            or the file holds no row.
    """
    rows = _json_judgments(path) if ".jsonl" in path.suffixes else _table_judgments(path)
    judgments = QrelsFile()
    for row in rows:
        judgments.add(row)
    if not judgments.qrels:
        raise EvalsError("no judgment in this file", where=str(path))
    return judgments


def grade_number(value: object, where: str) -> int:
    """A grade as a whole number: 3, "3" and 3.0 are 3; negative ones stay (gain 0).

    Raises:
        EvalsError: It is no number, or no whole one, or beyond 32 bits.
    """
    try:
        number = float(value) if isinstance(value, str | int | float) else None
    except (ValueError, OverflowError):
        number = None
    if number is None or isinstance(value, bool) or not number.is_integer():
        raise EvalsError(
            f"grade {json.dumps(value)} is no whole number",
            where=where,
            hint="Grades are whole numbers such as 0, 1, 2, 3; round or rescale them first.",
        )
    if abs(number) >= GRADE_LIMIT:
        raise EvalsError(f"grade {value} is beyond 32 bits", where=where)
    return int(number)


def _json_judgments(path: Path) -> Iterator[Row]:
    for number, row in json_rows(path):
        where = f"{path}:{number}"
        query, doc, grade = (
            next((row[name] for name in names if name in row), None)
            for names in (QUERY_NAMES, DOC_NAMES, GRADE_NAMES)
        )
        yield (
            number,
            id_text(query, "query-id", where),
            id_text(doc, "corpus-id", where),
            grade_number(grade, where),
        )


def _table_judgments(path: Path) -> Iterator[Row]:
    named: _Columns | None = None
    for position, (number, line) in enumerate(numbered_lines(path)):
        where = f"{path}:{number}"
        if position == 0 and (named := _header(line)):
            continue
        cells = _row_cells(line, named)
        if cells is None and line.startswith("#"):
            continue  # a comment, as trec_eval's own files have them
        query, doc, grade = cells if cells is not None else _refuse_row(line, where)
        yield (
            number,
            id_text(query, "query-id", where),
            id_text(doc, "corpus-id", where),
            grade_number(grade, where),
        )


def _header(line: str) -> _Columns | None:
    """Where the columns are, if this line names them (at least the query's)."""
    for cells in _readings(line):
        names = [cell.strip().lower() for cell in cells]
        query, doc, grade = (
            next((names.index(name) for name in known if name in names), None)
            for known in (QUERY_NAMES, DOC_NAMES, GRADE_NAMES)
        )
        if query is not None and doc is not None and grade is not None:
            return _Columns(query, doc, grade)
        if query is not None and len(cells) in _BY_COUNT and not _is_number(cells[-1]):
            return _BY_COUNT[len(cells)]
    return None


def _row_cells(line: str, named: _Columns | None) -> tuple[str, str, str] | None:
    """Query, document and grade, by the first reading of the line that makes sense."""
    for cells in _readings(line):
        columns = named if named else _BY_COUNT.get(len(cells))
        if columns is None or max(columns.query, columns.doc, columns.grade) >= len(cells):
            continue
        if _is_number(cells[columns.grade]):
            return cells[columns.query], cells[columns.doc], cells[columns.grade]
    return None


def _readings(line: str) -> Iterator[list[str]]:
    """The cells of a line, cut at TABs where it has any, then at blanks."""
    if "\t" in line:
        yield _tab_cells(line)
    yield line.split()


def _tab_cells(line: str) -> list[str]:
    if '"' not in line:
        return line.split("\t")
    cells, place = [], 0
    while place <= len(line):
        match = _CELL.match(line, place)
        if match is None:
            break
        quoted, plain = match.groups()
        cells.append(plain if quoted is None else quoted.replace('""', '"'))
        place = match.end() + 1
    return cells


def _is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None


def _refuse_row(line: str, where: str) -> tuple[str, str, str]:
    shown = line if len(line) <= 80 else f"{line[:77]}…"
    raise EvalsError(
        f"not a judgment: {shown!r}",
        where=where,
        hint="A row is query, document, grade (or TREC's query, 0, document, grade), parted by "
        "TABs or blanks; a header line may name query-id, corpus-id and score.",
    )


def write_qrels(folder: Path, split: str, qrels: Qrels, *, header: bool = True) -> list[str]:
    """Writes `<split>.jsonl`, `.tsv` and `.trec` into `folder`; gives back warnings.

    A form that cannot hold one of the ids is not written, with a warning: `.trec` where an id
    holds white space, `.tsv` where one holds a TAB or a line end. Ids that hold a quotation mark
    stand in CSV quotes in `.tsv`, as beir, pandas and Goldsmith read them.
    """
    _write_jsonl(folder / f"{split}.jsonl", qrels)
    warnings = []
    if unfit := _unfit_for_tsv(qrels, header=header):
        warnings.append(f"{split}.tsv is not written: {unfit} ids hold a TAB or a line end")
    else:
        _write_tsv(folder / f"{split}.tsv", qrels, header=header)
    if unfit := _unfit_for_trec(qrels):
        warnings.append(f"{split}.trec is not written: {unfit} ids hold white space")
    else:
        _write_trec(folder / f"{split}.trec", qrels)
    return warnings


def forms_of(qrels: Qrels, *, header: bool = True) -> frozenset[str]:
    """Which of `FORMS` `write_qrels` writes of these judgments."""
    fits_tsv = not _unfit_for_tsv(qrels, header=header)
    fits = {".jsonl": True, ".tsv": fits_tsv, ".trec": not _unfit_for_trec(qrels)}
    return frozenset(form for form in FORMS if fits[form])


def judgment_line(query_id: str, doc_id: str, grade: int) -> str:
    """One judgment as a JSON line, without its line end."""
    row = {"query-id": query_id, "corpus-id": doc_id, "score": grade}
    return json.dumps(row, ensure_ascii=False)


def _fits_trec(text: str) -> bool:
    # A byte order mark that opens the file would be taken for one.
    return text.split() == [text] and not text.startswith("\ufeff")


def _fits_tsv(text: str, *, header: bool) -> bool:
    return not re.search(r"[\t\r\n]", text) and (header or not text.startswith("\ufeff"))


def _unfit_for_tsv(qrels: Qrels, *, header: bool) -> int:
    return _count_ids(qrels, lambda text: _fits_tsv(text, header=header))


def _unfit_for_trec(qrels: Qrels) -> int:
    return _count_ids(qrels, _fits_trec)


def _count_ids(qrels: Qrels, fits: Callable[[str], bool]) -> int:
    """How many ids, of queries and documents, a form cannot hold."""
    queries = sum(not fits(query_id) for query_id in qrels)
    return queries + sum(not fits(doc_id) for grades in qrels.values() for doc_id in grades)


def _judgments(qrels: Qrels) -> Iterator[tuple[str, str, int]]:
    for query_id, grades in qrels.items():
        for doc_id, grade in grades.items():
            yield query_id, doc_id, grade


def _write_jsonl(path: Path, qrels: Qrels) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        stream.writelines(f"{judgment_line(*row)}\n" for row in _judgments(qrels))


def _write_tsv(path: Path, qrels: Qrels, *, header: bool) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, delimiter="\t", lineterminator="\n")
        if header:
            table.writerow(HEADER)
        table.writerows(_judgments(qrels))


def _write_trec(path: Path, qrels: Qrels) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        stream.writelines(
            f"{query_id} 0 {doc_id} {grade}\n" for query_id, doc_id, grade in _judgments(qrels)
        )
