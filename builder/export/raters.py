"""Whose grades go into a task folder: raters under pseudonyms, how far they agree, who stands out.

All of it is computed on pseudonyms from the start, so that no sentence can hold a name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from builder.export.names import without_names
from builder.export.selection import Selected
from builder.judging.agreement import agreement_of, disputed
from builder.judging.raters import flags_of
from builder.store import Connection
from builder.store.adjudications import decided_pairs
from builder.store.ratings import Ratings
from builder.store.ratings_reading import read_ratings
from builder.store.repeats import Repeats
from builder.store.repeats_reading import read_repeats


@dataclass(frozen=True, slots=True)
class Raters:
    """The raters of the selected queries, under pseudonyms.

    Attributes:
        ratings: Their grades, those of raters who are left out too; `pair` holds pair_ids.
        flags: Rater -> codes of what is odd, of those who count; empty for who stands out in
            nothing.
        n_disputed: Pairs that an analyst should decide.
        n_undecided: Those among them on which nobody has decided.
    """

    ratings: Ratings
    flags: Mapping[str, list[str]]
    n_disputed: int
    n_undecided: int

    def as_json(self) -> list[dict[str, Any]]:
        """Each rater who counts: rater, n (grades) and flags (codes), by pseudonym."""
        counts = np.bincount(self.ratings.rater, minlength=len(self.ratings.raters))
        return [
            {"rater": name, "n": n, "flags": list(self.flags[name])}
            for name, n in zip(self.ratings.raters, counts.tolist(), strict=True)
            if name in self.flags
        ]

    def agreement(self) -> dict[str, Any]:
        """As `builder.judging.agreement.agreement_of`, with the flags."""
        return agreement_of(self.ratings, flags=self.flags)


def raters_of(connection: Connection, selected: Selected, pseudonyms: Mapping[str, str]) -> Raters:
    """The raters of the selected queries.

    Whether raters contradict themselves is told from all that they graded twice.

    Args:
        connection: Reads the moment in which was selected.
        selected: What was selected.
        pseudonyms: Name -> pseudonym.
    """
    ratings = _renamed(_of_selected(read_ratings(connection), selected), pseudonyms)
    flags = flags_of(ratings, _renamed_repeats(read_repeats(connection), pseudonyms))
    codes = {
        name: [flag.code for flag in raised]
        for name, raised in flags.items()
        if name not in ratings.excluded
    }
    pairs = set(disputed(ratings).pair.tolist())
    return Raters(ratings, codes, len(pairs), len(pairs - decided_pairs(connection)))


def _of_selected(ratings: Ratings, selected: Selected) -> Ratings:
    """The grades of the selected queries, with their queries and raters alone."""
    is_selected = np.array([name in selected.qrels for name in ratings.query_ids], dtype=np.bool_)
    chosen = is_selected[ratings.query]
    queries, query = np.unique(ratings.query[chosen], return_inverse=True)
    raters, rater = np.unique(ratings.rater[chosen], return_inverse=True)
    names = [ratings.raters[at] for at in raters.tolist()]
    return Ratings(
        query=query,
        pair=ratings.pair[chosen],
        rater=rater,
        grade=ratings.grade[chosen],
        seconds=ratings.seconds[chosen],
        milliseconds=ratings.milliseconds[chosen],
        query_ids=[ratings.query_ids[at] for at in queries.tolist()],
        tags=[ratings.tags[at] for at in queries.tolist()],
        raters=names,
        excluded={name: why for name, why in ratings.excluded.items() if name in names},
        others={kind: n for kind, n in selected.grades_by_kind.items() if kind != "human"},
    )


def _renamed(ratings: Ratings, pseudonyms: Mapping[str, str]) -> Ratings:
    """The same under pseudonyms, in their order."""
    names = [pseudonyms[name] for name in ratings.raters]
    in_order = sorted(names)
    place = np.array([in_order.index(name) for name in names], dtype=np.int64)
    rater = place[ratings.rater]
    order = np.lexsort((rater, ratings.pair, ratings.query))
    return replace(
        ratings,
        query=ratings.query[order],
        pair=ratings.pair[order],
        rater=rater[order],
        grade=ratings.grade[order],
        seconds=ratings.seconds[order],
        milliseconds=ratings.milliseconds[order],
        raters=in_order,
        excluded={
            pseudonyms[name]: without_names(why, pseudonyms)
            for name, why in ratings.excluded.items()
        },
    )


def _renamed_repeats(repeats: Repeats, pseudonyms: Mapping[str, str]) -> Repeats:
    names = [pseudonyms[name] for name in repeats.raters]
    in_order = sorted(names)
    place = np.array([in_order.index(name) for name in names], dtype=np.int64)
    return replace(repeats, rater=place[repeats.rater], raters=in_order)
