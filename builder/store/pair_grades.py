"""Pairs with all that people gave them: query, document, and each grade with comment and time."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, select

from builder.store.current import effective_time
from builder.store.schema import current_judgments, documents, judgments, pairs, people, queries

BATCH = 500


class GivenGrade(NamedTuple):
    """A grade that stands, and who gave it.

    Attributes:
        rater: The rater's name; untrusted, as all texts here.
        grade: 0 to 3.
        comment: What the rater wrote, "" if nothing.
        moment: When, ISO 8601 in UTC.
        excluded: Whether this rater is left out of aggregation and agreement.
    """

    rater: str
    grade: int
    comment: str
    moment: str
    excluded: bool


@dataclass(frozen=True, slots=True)
class GradedPair:
    """A pair and what people gave it.

    Attributes:
        pair_id: The pair.
        query_id: The query.
        query: Its text.
        tags: Its tags.
        doc_id: The document.
        title: Its title, "" if it has none.
        grades: The grades of people that stand, the lowest first, then by the raters' names.
    """

    pair_id: int
    query_id: str
    query: str
    tags: tuple[str, ...]
    doc_id: str
    title: str
    grades: tuple[GivenGrade, ...]


def graded_pairs(connection: Connection, pair_ids: Sequence[int]) -> list[GradedPair]:
    """The pairs in the order of `pair_ids` (some hundred); unknown ones are left out."""
    grades: defaultdict[int, list[GivenGrade]] = defaultdict(list)
    for row in connection.execute(_GRADES.where(current_judgments.c.pair_id.in_(pair_ids))):
        said = (row.name, row.grade, row.comment, row.moment, row.excluded_at is not None)
        grades[row.pair_id].append(GivenGrade(*said))
    texts = {row.pair_id: row for row in connection.execute(_TEXTS.where(_among(pair_ids)))}
    return [
        GradedPair(
            pair_id,
            texts[pair_id].query_id,
            texts[pair_id].text,
            tuple(json.loads(texts[pair_id].tags)),
            texts[pair_id].doc_id,
            texts[pair_id].title,
            tuple(grades[pair_id]),
        )
        for pair_id in pair_ids
        if pair_id in texts
    ]


def pairs_of_tag(connection: Connection, tag: str) -> set[int]:
    """The pair_id of every pair whose query has exactly this tag."""
    # Tags are a JSON list in a text: SQL that reads it is another in each database.
    every = connection.execute(select(queries.c.query_key, queries.c.tags))
    tagged = [row.query_key for row in every if tag in json.loads(row.tags)]
    found: set[int] = set()
    for start in range(0, len(tagged), BATCH):
        of_query = pairs.c.query_key.in_(tagged[start : start + BATCH])
        found.update(connection.execute(select(pairs.c.pair_id).where(of_query)).scalars())
    return found


def _among(pair_ids: Sequence[int]) -> ColumnElement[bool]:
    return pairs.c.pair_id.in_(pair_ids)


def _grades() -> Select[Any]:
    joined = current_judgments.join(
        judgments, judgments.c.judgment_id == current_judgments.c.judgment_id
    ).join(people, people.c.person_id == current_judgments.c.rater_id)
    columns = (
        current_judgments.c.pair_id,
        people.c.name,
        judgments.c.grade,
        judgments.c.comment,
        effective_time().label("moment"),
        people.c.excluded_at,
    )
    chosen: Select[Any] = select(*columns).select_from(joined)
    chosen = chosen.where(current_judgments.c.outcome == "grade", people.c.kind == "human")
    return chosen.order_by(current_judgments.c.pair_id, judgments.c.grade, people.c.name)


def _texts() -> Select[Any]:
    columns = (
        pairs.c.pair_id,
        queries.c.query_id,
        queries.c.text,
        queries.c.tags,
        documents.c.doc_id,
        documents.c.title,
    )
    joined = pairs.join(queries, queries.c.query_key == pairs.c.query_key).join(
        documents, documents.c.doc_key == pairs.c.doc_key
    )
    return select(*columns).select_from(joined)


_GRADES = _grades()
_TEXTS = _texts()
