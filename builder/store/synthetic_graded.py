"""Synthetic queries by whether anybody but a model has graded a pair of them."""

from sqlalchemy import Connection, select, union

from builder.store.quota import SYNTHETIC
from builder.store.schema import adjudications, current_judgments, pairs, people, queries


def synthetic_query_ids(connection: Connection) -> set[str]:
    """The ids of the active synthetic queries."""
    chosen = select(queries.c.query_id).where(
        queries.c.source == SYNTHETIC, queries.c.status == "active"
    )
    return set(connection.execute(chosen).scalars())


def graded_by_people(connection: Connection) -> set[str]:
    """The ids of those of them with a pair that people, a file or an analyst's decision graded.

    Raters who are left out do not count.
    """
    of_synthetic = queries.join(pairs, pairs.c.query_key == queries.c.query_key)
    is_one = (queries.c.source == SYNTHETIC) & (queries.c.status == "active")
    graded = (
        select(queries.c.query_id)
        .select_from(
            of_synthetic.join(
                current_judgments, current_judgments.c.pair_id == pairs.c.pair_id
            ).join(people, people.c.person_id == current_judgments.c.rater_id)
        )
        .where(
            is_one,
            current_judgments.c.outcome == "grade",
            people.c.kind.in_(("human", "import")),
            people.c.excluded_at.is_(None),
        )
    )
    decided = (
        select(queries.c.query_id)
        .select_from(of_synthetic.join(adjudications, adjudications.c.pair_id == pairs.c.pair_id))
        .where(is_one, adjudications.c.standing == 1)
    )
    return set(connection.execute(union(graded, decided)).scalars())
