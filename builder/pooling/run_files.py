"""What run files name: rankings that were made elsewhere, with all that does not fit counted.

Ranks are those among the documents of the corpus: what it lacks takes no place.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from builder.errors import BuilderError
from builder.pooling.contributors import LONGEST_SOURCE, Candidates, Contributor
from builder.pooling.plan import PoolPlan
from evals.measures import ranked
from evals.records import Query
from evals.runfile import run_lines

SHOWN_LINES = 5
_SUFFIXES = (".gz", ".trec", ".run", ".txt", ".tsv")


@dataclass(slots=True)
class _Read:
    """A run file as far as it belongs here.

    Attributes:
        run: query_id -> doc_id -> score, of the queries that were asked for.
        rows: Rows of the file.
        broken: The numbers of the lines that are no rows.
        unknown_queries: Queries that the workspace lacks.
        other_queries: Queries that it has, and that were not asked for.
        unknown_documents: Rows whose document the corpus lacks.
        repeated: Rows that name a document once more for a query; the first one counts.
    """

    run: dict[str, dict[str, float]] = field(default_factory=dict)
    rows: int = 0
    broken: list[int] = field(default_factory=list)
    unknown_queries: set[str] = field(default_factory=set)
    other_queries: set[str] = field(default_factory=set)
    unknown_documents: int = 0
    repeated: int = 0


def run_contributors(
    plan: PoolPlan,
    queries: Sequence[Query],
    known: Mapping[str, str],
    doc_ids: Iterable[str],
    found: Candidates,
) -> list[Contributor]:
    """One contributor for each run file of the plan; what does not fit is noted in `found`.

    Args:
        plan: Names the files, and how deep they are read.
        queries: Those that were asked for.
        known: All query_ids of the workspace.
        doc_ids: All documents of the corpus.
        found: Where what is left out is counted.

    Raises:
        BuilderError: Two files have one name, or a file holds no row of a run.
        EvalsError: A file cannot be read.
    """
    if not plan.runs:
        return []
    asked, corpus = {query.query_id for query in queries}, frozenset(doc_ids)
    contributors: dict[str, Contributor] = {}
    for file in map(Path, plan.runs):
        source = run_source(file)
        if source in contributors:
            raise BuilderError(
                f"two run files are called {source.removeprefix('run:')}",
                where=str(file),
                hint="Give one of them another name: the pool notes who named a pair.",
            )
        read = _read(file, asked, known, corpus)
        _count(read, file, found)
        named = {query_id: ranked(scores) for query_id, scores in read.run.items()}
        contributors[source] = Contributor(source, _cut(named, plan.depth))
    return list(contributors.values())


def run_source(file: Path) -> str:
    """The source that the pool notes for a run file: "run:" and its name without endings."""
    name = file.name
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix) or name
    return f"run:{name}"[:LONGEST_SOURCE]


def _read(file: Path, asked: set[str], known: Mapping[str, str], corpus: frozenset[str]) -> _Read:
    read = _Read()
    for number, _, cells in run_lines(file):
        if cells is None:
            read.broken.append(number)
            continue
        read.rows += 1
        query_id, doc_id, score = cells[0], cells[2], float(cells[4])
        if query_id not in asked:
            (read.other_queries if query_id in known else read.unknown_queries).add(query_id)
        elif doc_id not in corpus:
            read.unknown_documents += 1
        elif doc_id in read.run.setdefault(query_id, {}):
            read.repeated += 1
        else:
            read.run[query_id][doc_id] = score
    if not read.rows:
        raise BuilderError(
            "no row in this run file",
            where=str(file),
            hint="A row is query, Q0, document, rank, score, tag.",
        )
    return read


def _cut(named: Mapping[str, list[str]], depth: int) -> dict[str, list[str]]:
    return {query_id: found[:depth] for query_id, found in named.items()}


def _count(read: _Read, file: Path, found: Candidates) -> None:
    counts = {
        "run_lines_broken": len(read.broken),
        "run_queries_unknown": len(read.unknown_queries),
        "run_queries_not_asked": len(read.other_queries),
        "run_documents_unknown": read.unknown_documents,
        "run_rows_repeated": read.repeated,
    }
    found.dropped.update({reason: n for reason, n in counts.items() if n})
    if read.broken:
        lines = ", ".join(map(str, read.broken[:SHOWN_LINES]))
        more = f" and {len(read.broken) - SHOWN_LINES:,} more" if read.broken[SHOWN_LINES:] else ""
        found.warnings.append(f"{file.name}: no rows of a run in lines {lines}{more}")
    if not read.run:
        found.warnings.append(f"{file.name}: it names nothing for any of these queries")
