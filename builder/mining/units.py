"""What can be drawn: the queries of the log without those left out, near-duplicates as one."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from builder.mining.near_duplicates import near_form
from builder.mining.options import Sampling
from builder.mining.personal_data import (
    KINDS,
    find_personal,
    is_only_masks,
    mask_personal,
)
from evals.records import Progress
from online.query_frame import QueryFrame, taken

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]

LONGEST_QUERY = 2_000
"""Characters; what is longer was pasted by accident, and no rater reads it as a query."""
REASONS = ("empty", "too_long", "personal_data", "few_sessions", "merged")
"""Why a query is no unit, in the order in which they are asked for."""
_TELL_EVERY = 20_000


@dataclass(frozen=True, slots=True)
class PersonalData:
    """What of the log holds personal data.

    Attributes:
        queries: How many queries.
        searches: How often these are searched for.
        by_kind: Kind -> queries; one that holds two kinds counts for both.
    """

    queries: int
    searches: int
    by_kind: Mapping[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """What can be drawn; a unit is a query or, where they are merged, several.

    Attributes:
        frame: All queries.
        rows: Unit -> its query with the most searches, by place in the frame.
        searches: Of all queries of a unit.
        clicked: Likewise, searches with a click.
        empty: Likewise, searches without results.
        unit_of: Place in the frame -> its unit, -1 for queries that were left out.
        masked: Place in the frame -> its key without personal data, where that was masked.
        dropped: Reason -> queries that are no unit of their own.
        personal: What holds personal data, dropped or not.
    """

    frame: QueryFrame
    rows: "Numbers"
    searches: "Numbers"
    clicked: "Numbers"
    empty: "Numbers"
    unit_of: "Numbers"
    masked: Mapping[int, str]
    dropped: Mapping[str, int]
    personal: PersonalData

    def __len__(self) -> int:
        """How many units there are."""
        return len(self.rows)

    def draws(self) -> "npt.NDArray[np.uint64]":
        """The random number of each unit: that of its query with the most searches."""
        return self.frame.draws[self.rows]

    def key(self, unit: int) -> str:
        """The query of a unit without regard to how it is typed, and without personal data."""
        return self._key(int(self.rows[unit]))

    def keys(self) -> list[str]:
        """`key` of each unit, in their order."""
        texts = taken(self.frame.keys, self.rows)
        if self.masked:
            masked = (self.masked.get(row) for row in self.rows.tolist())
            texts = [text if new is None else new for text, new in zip(texts, masked, strict=True)]
        return texts

    def members(self, units: Sequence[int]) -> dict[str, int]:
        """Key as the log has it -> its unit, of all queries of these units."""
        import numpy as np

        rows = np.flatnonzero(np.isin(self.unit_of, np.asarray(units, dtype=np.int64)))
        keys = taken(self.frame.keys, rows)
        return dict(zip(keys, self.unit_of[rows].tolist(), strict=True))

    def _key(self, row: int) -> str:
        return self.masked.get(row) or str(self.frame.keys[row].as_py())


def find_units(
    frame: QueryFrame, options: Sampling, language: str, progress: Progress | None = None
) -> Units:
    """The units of a frame.

    Args:
        frame: With sessions, where more than one is asked for.
        options: What is asked for.
        language: ISO 639-1 code of the texts, for near-duplicates.
        progress: Told how many queries were looked at; may raise to cancel.
    """
    return _Sorting(frame, options, language, progress).units()


@dataclass(slots=True, eq=False)
class _Sorting:
    """Queries on their way to become units; `reasons` holds why they do not, -1 where they do."""

    frame: QueryFrame
    options: Sampling
    language: str
    progress: Progress | None
    reasons: "Numbers" = field(init=False)
    masked: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        import numpy as np

        self.reasons = np.full(len(self.frame), -1, dtype=np.int64)

    def units(self) -> Units:
        frame, options = self.frame, self.options
        self._leave_out("empty", frame.characters == 0)
        self._leave_out("too_long", frame.characters > LONGEST_QUERY)
        personal = self._look_for_personal_data()
        if frame.sessions is not None:
            self._leave_out("few_sessions", frame.sessions < options.min_sessions)
        return self._grouped(personal)

    def _leave_out(self, reason: str, those: "npt.NDArray[np.bool_]") -> None:
        self.reasons[(self.reasons < 0) & those] = REASONS.index(reason)

    def _look_for_personal_data(self) -> PersonalData:
        """Count what holds some, and drop, mask or keep it.

        Of which nothing but masks would be left, that is dropped, too: nobody could judge it.
        """
        import numpy as np

        suspects = np.flatnonzero(self.frame.may_be_personal & (self.reasons < 0))
        keys = taken(self.frame.keys, suspects)
        kinds: Counter[str] = Counter()
        holding = np.zeros(len(self.frame), dtype=np.bool_)
        for row, key in self._told("looking for personal data", suspects.tolist(), keys):
            found = {one.kind for one in find_personal(key)}
            kinds.update(found)
            holding[row] = bool(found)
            if found and self.options.personal == "mask":
                self.masked[row] = mask_personal(key)
        if self.options.personal == "drop":
            self._leave_out("personal_data", holding)
        hollow = [row for row, masked in self.masked.items() if is_only_masks(masked)]
        self.reasons[hollow] = REASONS.index("personal_data")
        by_kind: dict[str, int] = {kind: kinds[kind] for kind in KINDS if kinds[kind]}
        return PersonalData(int(holding.sum()), int(self.frame.searches[holding].sum()), by_kind)

    def _grouped(self, personal: PersonalData) -> Units:
        """Queries of one form as one unit, the one with the most searches standing for it."""
        import numpy as np

        frame, rows = self.frame, np.flatnonzero(self.reasons < 0)
        ordered, stands = rows, np.ones(len(rows), dtype=np.bool_)
        if self.options.merge_near or self.masked:
            group = self._groups(rows)
            order = np.lexsort((frame.draws[rows], -frame.searches[rows], group))
            ordered = rows[order]
            stands[1:] = np.diff(group[order]) != 0
        unit_of = np.full(len(frame), -1, dtype=np.int64)
        unit_of[ordered] = np.cumsum(stands) - 1
        self.reasons[ordered[~stands]] = REASONS.index("merged")
        starts = np.flatnonzero(stands)
        searches, clicked, empty = (
            np.add.reduceat(column[ordered], starts) if len(starts) else column[:0]
            for column in (frame.searches, frame.clicked, frame.empty)
        )
        masked = {row: key for row, key in self.masked.items() if unit_of[row] >= 0}
        return Units(
            frame=frame,
            rows=ordered[stands],
            searches=searches,
            clicked=clicked,
            empty=empty,
            unit_of=unit_of,
            masked=masked,
            dropped=self._counted(),
            personal=personal,
        )

    def _counted(self) -> dict[str, int]:
        counted = {reason: int((self.reasons == at).sum()) for at, reason in enumerate(REASONS)}
        return {reason: n for reason, n in counted.items() if n}

    def _groups(self, rows: "Numbers") -> "Numbers":
        """A number for each of these queries, the same for those that are merged."""
        import numpy as np

        keys = taken(self.frame.keys, rows)
        form: Callable[[str], str] = str
        if self.options.merge_near:
            form = lambda text: near_form(text, self.language)  # noqa: E731 - a choice of two
        seen: dict[str, int] = {}
        told = self._told("merging near-duplicates", rows.tolist(), keys)
        return np.array(
            [seen.setdefault(form(self.masked.get(row, key)), len(seen)) for row, key in told],
            dtype=np.int64,
        )

    def _told(self, what: str, rows: Sequence[int], keys: Sequence[str]) -> Any:
        """Rows and keys, and every now and then the news how many were looked at."""
        for done, pair in enumerate(zip(rows, keys, strict=True)):
            if self.progress is not None and done % _TELL_EVERY == 0:
                self.progress(what, done, len(rows))
            yield pair
