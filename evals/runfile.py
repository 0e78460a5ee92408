"""Run files in TREC's form: query, Q0, document, rank, score, tag."""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from evals.lines import numbered_lines
from evals.measures import ranked
from evals.records import Document, EvalsError, Progress, Query, Run

_UNFIT = re.compile(r"[\t\r\n]")
_SCORE = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?", re.ASCII | re.I)


def read_run(path: Path) -> tuple[dict[str, dict[str, float]], str]:
    """The run of a file, and its tag ("" where it is empty).

    Ranks are not read: as in trec_eval, scores and then doc_ids decide the order. Columns are
    parted by TABs (ids may then hold blanks) or white space; a line that begins with "#" and is no
    row is a comment.

    Raises:
        EvalsError: A line has not six columns or no score, or a document comes twice for a query
            (trec_eval refuses that too); file and line are named.
    """
    run: dict[str, dict[str, float]] = {}
    tag = ""
    for number, line, cells in run_lines(path):
        if cells is None:
            _refuse(line, f"{path}:{number}")
            continue
        query_id, _, doc_id, _, score, tag = cells
        found = run.setdefault(query_id, {})
        if doc_id in found:
            raise EvalsError(
                f"document {doc_id!r} comes twice for query {query_id!r}",
                where=f"{path}:{number}",
                hint="A run names each document once for a query; remove one of the two rows.",
            )
        found[doc_id] = float(score)
    if not run:
        raise EvalsError("no row in this run file", where=str(path))
    return run, tag.strip()


def run_lines(path: Path) -> Iterator[tuple[int, str, list[str] | None]]:
    """Each line but comments and blank ones: its number, its text, and its six cells.

    The cells are query, Q0, document, rank, score and tag; None where the line is no row of a run.

    Raises:
        EvalsError: The file is absent, no UTF-8, or broken gzip.
    """
    for number, line in numbered_lines(path):
        cells = _cells(line)
        if cells is not None or not line.startswith("#"):
            yield number, line, cells


def write_run(path: Path, run: Run, tag: str) -> None:
    """Writes the run in trec_eval's order, TABs between columns, ranks from 1.

    Raises:
        EvalsError: An id holds a TAB or a line end.
    """
    tag = re.sub(r"\s+", "_", tag) or "goldsmith"
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for query_id, scores in run.items():
            _refuse_unfit([query_id, *scores])
            for rank, doc_id in enumerate(ranked(scores), start=1):
                # repr: the shortest digits that give the same number back
                stream.write(f"{query_id}\tQ0\t{doc_id}\t{rank}\t{scores[doc_id]!r}\t{tag}\n")


def _refuse_unfit(ids: Sequence[str]) -> None:
    unfit = next((text for text in ids if _UNFIT.search(text)), None)
    if unfit is not None:
        raise EvalsError(f"id {unfit!r} holds a TAB or a line end, which no run file can hold")


@dataclass
class RunFile:
    """A retriever whose search was done elsewhere.

    Attributes:
        path: The run file.
        name: How to call the model; without it the run's tag, else the file's name.
    """

    path: Path
    name: str = ""

    def __post_init__(self) -> None:
        self.name = self.name or self.content[1] or self.path.stem

    @cached_property
    def content(self) -> tuple[dict[str, dict[str, float]], str]:
        """The run and its tag."""
        return read_run(self.path)

    @cached_property
    def key(self) -> str:
        """Hash of the file's content, as JSON."""
        content = hashlib.sha256(self.path.read_bytes()).hexdigest()
        return json.dumps({"run": self.path.name, "sha256": content})

    @property
    def notes(self) -> list[str]:
        """Nothing: what does not join is found when it is scored."""
        return []

    def search(
        self,
        documents: Sequence[Document],  # noqa: ARG002
        queries: Sequence[Query],
        depth: int,
        progress: Progress | None = None,  # noqa: ARG002
    ) -> Run:
        """The part of the run that belongs to these queries, at most `depth` documents each."""
        run = self.content[0]
        asked = [query.query_id for query in queries if query.query_id in run]
        return {query_id: _cut(run[query_id], depth) for query_id in asked}


def _cut(scores: dict[str, float], depth: int) -> dict[str, float]:
    if len(scores) <= depth:
        return scores
    return {doc_id: scores[doc_id] for doc_id in ranked(scores)[:depth]}


def _cells(line: str) -> list[str] | None:
    """The six columns: parted by TABs, else by white space, where more may stand behind the tag."""
    for cells in (line.split("\t"), line.split()):
        if len(cells) == 6 and _SCORE.fullmatch(cells[4].strip()):
            return cells
    # trec_eval reads no further than the tag. With a blank inside an id the columns would shift;
    # a rank that is no number, or a number in the place of the tag, gives that away.
    if len(cells) > 6 and cells[3].isdecimal() and _SCORE.fullmatch(cells[4]):
        return None if _SCORE.fullmatch(cells[5]) else cells[:6]
    return None


def _refuse(line: str, where: str) -> None:
    shown = line if len(line) <= 80 else f"{line[:77]}…"
    cells = line.split("\t") if line.count("\t") == 5 else line.split()
    what = f"{len(cells)} columns"
    if len(cells) == 6:
        what = f"score {cells[4]!r} is no number"
    raise EvalsError(
        f"not a row of a run ({what}): {shown!r}",
        where=where,
        hint="A row is query, Q0, document, rank, score, tag; ids with blanks need TABs between.",
    )
