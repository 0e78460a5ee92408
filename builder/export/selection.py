"""What goes into a task folder: which queries, which pairs, and what is left out and counted."""

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby
from typing import IO, Any

from builder.errors import BuilderError
from builder.export.synthetic import (
    NONE,
    SOURCE,
    VALIDATED,
    Counting,
    check_mode,
    resting_on_models,
)
from builder.judging.adjudication import REASONS
from builder.judging.aggregation import find_rule, is_decision, settle_pairs
from builder.store import Connection
from builder.store.adjudications import excluded_raters, grades_and_decisions
from builder.store.judgments import GradeRow
from builder.store.people import all_people
from builder.store.task_rows import active_queries, count_retired_queries
from evals.records import Query

OTHER = "other"
"""How a release calls a reason that somebody typed: it may name people."""

# One encoder for all rows: json.dumps with an option makes a new one for each.
_encode = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True, slots=True)
class Selection:
    """What is asked for.

    Attributes:
        tag: Only queries with this tag; None: all.
        source: Only queries from this source; None: all.
        min_raters: Pairs with fewer grades that count are left out, unless they are adjudicated.
        rule: How grades of one pair become one: majority, median or mean.
        keep_no_relevant: Whether queries whose grades are all 0 stay; mteb scores them 0.
        synthetic: Which synthetic queries: none, validated or accepted, as
            `builder.export.synthetic.MODES` says.
    """

    tag: str | None = None
    source: str | None = None
    min_raters: int = 1
    rule: str = "majority"
    keep_no_relevant: bool = False
    synthetic: str = VALIDATED

    def __post_init__(self) -> None:
        find_rule(self.rule)
        check_mode(self.synthetic)
        if (self.source, self.synthetic) == (SOURCE, NONE):
            raise BuilderError(
                "synthetic queries alone are asked for, and none of them",
                hint="Leave out --synthetic none, or name another --source.",
            )
        if self.min_raters < 1:
            raise BuilderError(f"min_raters is {self.min_raters}, must be at least 1")

    def takes(self, query: Query) -> bool:
        """Whether the query is one of those asked for."""
        return self.names(query) and not (self.synthetic == NONE and query.source == SOURCE)

    def names(self, query: Query) -> bool:
        """Whether it has the tag and the source that are asked for."""
        has_tag = self.tag is None or self.tag in query.tags
        return has_tag and (self.source is None or self.source == query.source)

    def as_json(self) -> dict[str, Any]:
        """The fields by name."""
        return asdict(self)


@dataclass(slots=True)
class Selected:
    """What was selected.

    Attributes:
        selection: What was asked for.
        qrels: query_id -> doc_id -> grade, ordered by both ids.
        dropped: unjudged and no_relevant: queries that were asked for and are left out;
            unvalidated: synthetic ones without a grade that counts; rewritten: those that were
            drawn for experts and say something else since; synthetic: those that nobody wants,
            where none are.
        retired: Retired queries; nobody asks for them.
        asked: Queries that were asked for.
        below_min_raters: Graded pairs of these queries with too few grades.
        raters_per_pair: Number of grades that count, those of models left out -> pairs of the
            qrels.
        grades_by_kind: Kind of rater -> grades on the selected queries, counted or not.
        counting_by_kind: The same without the grades of raters who are left out.
        adjudicated: Usual reason, or `other` -> pairs of the qrels whose grade was decided for it.
        excluded: Name -> why this rater's grades do not count.
        left_out: Name -> grades on the queries asked for that do not count for that.
        counting: Which grades that came with synthetic queries count.
        on_models: Query of the qrels -> its pairs whose grade came with it from a model.
        validated: Of the synthetic queries of the qrels whether all their grades are people's.
    """

    selection: Selection
    qrels: dict[str, dict[str, int]] = field(default_factory=dict)
    dropped: Counter[str] = field(default_factory=Counter)
    retired: int = 0
    asked: int = 0
    below_min_raters: int = 0
    raters_per_pair: Counter[int] = field(default_factory=Counter)
    grades_by_kind: Counter[str] = field(default_factory=Counter)
    counting_by_kind: Counter[str] = field(default_factory=Counter)
    adjudicated: Counter[str] = field(default_factory=Counter)
    excluded: Mapping[str, str] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    counting: Counting = field(default_factory=Counting)
    on_models: Counter[str] = field(default_factory=Counter)
    validated: dict[str, bool] = field(default_factory=dict)

    def told(self, query: Query) -> Query:
        """The query with what is known of its validation, if it is a synthetic one of the qrels."""
        validated = self.validated.get(query.query_id)
        if validated is None:
            return query
        drawn = self.counting.drawn.get(query.query_id)
        return replace(query, validated=validated, validation=drawn)

    @property
    def n_judgments(self) -> int:
        """Pairs in the qrels."""
        return sum(map(len, self.qrels.values()))

    @property
    def n_relevant(self) -> int:
        """Pairs in the qrels with a grade of 1 or more."""
        return sum(grade > 0 for grades in self.qrels.values() for grade in grades.values())


@dataclass(slots=True)
class RawGrades:
    """Writes judgments.jsonl: every grade and decision, so that anyone can aggregate anew.

    Comments stay at home, and reasons that somebody typed: they may name people. A decision is a
    row of the kind `adjudicator` and the outcome `adjudicated`, its rater the one who decided.

    Attributes:
        stream: Where the rows go, one JSON object a line.
        pseudonyms: Name -> pseudonym.
        content: SHA-256 of the rows without their times: grading the same again is no change.
    """

    stream: IO[str]
    pseudonyms: Mapping[str, str]
    content: "hashlib._Hash" = field(default_factory=hashlib.sha256)

    def write(self, rows: Iterable[GradeRow]) -> None:
        """Write the rows in their order."""
        for row in rows:
            raw = {
                "query-id": row.query_id,
                "corpus-id": row.doc_id,
                "rater": self.pseudonyms[row.rater],
                "kind": row.kind,
                "outcome": row.outcome,
                "grade": row.grade,
            }
            if is_decision(row):
                raw["reason"] = row.comment if row.comment in REASONS else ""
            line = _encode(raw)
            self.content.update(line.encode())
            self.stream.write(f'{line[:-1]}, "timestamp": {_encode(row.judged_at)}}}\n')


def select_judged(
    connection: Connection, selection: Selection, raw: RawGrades | None = None
) -> Selected:
    """The qrels of the queries that are asked for, and what is left out.

    Args:
        connection: Reads one consistent moment.
        selection: What is asked for.
        raw: Where the raw grades of the selected queries are written; None: nowhere.

    Raises:
        BuilderError: No query is left.
    """
    selected = Selected(
        selection,
        retired=count_retired_queries(connection),
        excluded=excluded_raters(connection),
    )
    sources = _asked_for(connection, selected)
    if SOURCE in sources.values():
        selected.counting = Counting.of(connection, selection.synthetic)
    judged = _take_queries(connection, sources, selected, raw)
    for query_id in sources.keys() - judged:
        selected.dropped[_why_unjudged(query_id, sources, selected.counting)] += 1
    selected.validated = {
        query_id: query_id not in selected.on_models
        for query_id in selected.qrels
        if sources[query_id] == SOURCE
    }
    if not selected.qrels:
        raise _nothing_left(connection, selected)
    return selected


def _why_unjudged(query_id: str, sources: Mapping[str, str], counting: Counting) -> str:
    if sources[query_id] != SOURCE:
        return "unjudged"
    return "rewritten" if query_id in counting.rewritten else "unvalidated"


def pseudonyms_of(connection: Connection) -> dict[str, str]:
    """Name -> rater-01 …: people are never removed, so each keeps the number for ever."""
    people = all_people(connection)
    return {person.name: f"rater-{number:02d}" for number, person in enumerate(people, start=1)}


def _asked_for(connection: Connection, selected: Selected) -> dict[str, str]:
    """query_id -> source of the queries asked for; synthetic ones that nobody wants are counted."""
    sources = {}
    for query in active_queries(connection):
        if selected.selection.takes(query):
            sources[query.query_id] = query.source
        elif selected.selection.names(query):
            selected.dropped["synthetic"] += 1
    selected.asked = len(sources)
    return sources


def _take_queries(
    connection: Connection, asked: Collection[str], selected: Selected, raw: RawGrades | None
) -> set[str]:
    """Put all queries that are asked for into the selection; those that were judged at all."""
    judged = set()
    for query_id, of_query in groupby(grades_and_decisions(connection), lambda row: row.query_id):
        if query_id not in asked:
            continue
        rows = list(of_query)
        counting = selected.counting.rows(rows, selected.excluded)
        if _take_query(query_id, counting, selected):
            judged.add(query_id)
        if query_id in selected.qrels:
            _count(rows, counting, selected)
            if raw is not None:
                raw.write(counting)
    return judged


def _take_query(query_id: str, rows: Sequence[GradeRow], selected: Selected) -> bool:
    """Put the query's settled pairs into the selection; whether it was judged at all.

    A pair that rests on the grade of a model has no rater, and so none too few.
    """
    selection = selected.selection
    selected.left_out.update(row.rater for row in rows if _is_left_out(row, selected))
    pairs = list(settle_pairs(rows, selection.rule, excluded=selected.excluded))
    of_models = resting_on_models(rows)
    kept = [p for p in pairs if p.has(selection.min_raters) or p.doc_id in of_models]
    selected.below_min_raters += len(pairs) - len(kept)
    if not kept:
        return False
    grades = {pair.doc_id: pair.grade for pair in kept}
    if not any(grades.values()) and not selection.keep_no_relevant:
        selected.dropped["no_relevant"] += 1
        return True
    selected.qrels[query_id] = grades
    selected.raters_per_pair.update(
        0 if pair.doc_id in of_models else pair.n_grades for pair in kept
    )
    if of_models:
        selected.on_models[query_id] = len(of_models)
    return True


def _count(rows: Iterable[GradeRow], counting: Iterable[GradeRow], selected: Selected) -> None:
    """Count the grades of a selected query by kind, and its decisions by reason."""
    for row in rows:
        if is_decision(row):
            selected.adjudicated[row.comment if row.comment in REASONS else OTHER] += 1
        elif row.grade is not None:
            selected.grades_by_kind[row.kind] += 1
    for row in counting:
        if row.grade is not None and row.rater not in selected.excluded and not is_decision(row):
            selected.counting_by_kind[row.kind] += 1


def _is_left_out(row: GradeRow, selected: Selected) -> bool:
    return row.rater in selected.excluded and row.grade is not None and not is_decision(row)


def _nothing_left(connection: Connection, selected: Selected) -> BuilderError:
    """Why no query is left, in the words of what was asked for."""
    selection = selected.selection
    if not selected.asked:
        tags = sorted({tag for query in active_queries(connection) for tag in query.tags})
        sources = sorted({query.source for query in active_queries(connection)})
        there = f"tags: {_listed(tags)}; sources: {_listed(sources)}"
        wanted = (("tag", selection.tag), ("source", selection.source))
        told = [f"{what} {name!r}" for what, name in wanted if name is not None]
        told += ["another source than synthetic"] * bool(selected.dropped["synthetic"])
        asked = " and ".join(told)
        message = f"no query is asked for: none has {asked}" if sources else "there are no queries"
        return BuilderError(message, hint=f"In this workspace there are {there}.")
    reasons = ", ".join(f"{n} {reason}" for reason, n in sorted(selected.dropped.items()) if n)
    if selected.below_min_raters:
        reasons += f"; {selected.below_min_raters} pairs have too few raters"
    if left_out := selected.left_out.total():
        reasons += f"; {left_out} grades are of raters who are left out"
    return BuilderError(
        f"none of the {selected.asked} queries can go into a task folder: {reasons}",
        hint=" ".join(_ways_out(selected)),
    )


def _ways_out(selected: Selected) -> Iterator[str]:
    """What helps against each of the reasons why no query is left; at least one sentence."""
    if selected.dropped["unvalidated"]:
        yield (
            "Of synthetic queries those go in that people graded: `goldsmith synth --validate` "
            "draws some for them, and --synthetic accepted takes the strata that they confirm."
        )
    if selected.dropped["no_relevant"]:
        yield "`goldsmith export --keep-no-relevant` keeps queries whose grades are all 0."
    if selected.dropped["rewritten"]:
        yield "`goldsmith synth --validate` draws anew among queries as they are now."
    if selected.below_min_raters:
        yield "Ask for fewer raters (--min-raters), or have more people grade these pairs."
    if selected.left_out:
        yield "Take back a rater who is left out, on the page Raters."
    elif not selected.below_min_raters and selected.dropped["unjudged"]:
        yield "Grade pairs first."


def _listed(names: list[str], at_most: int = 10) -> str:
    shown = ", ".join(names[:at_most]) or "none"
    return f"{shown}, …" if len(names) > at_most else shown
