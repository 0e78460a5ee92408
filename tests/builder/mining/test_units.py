"""What can be drawn: nothing is lost on the way from queries to units to a sample."""

from collections import defaultdict

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.mining.drawing import draw
from builder.mining.near_duplicates import near_form
from builder.mining.options import Sampling
from builder.mining.personal_data import find_personal, is_only_masks, mask_personal
from builder.mining.strata import strata_of
from builder.mining.units import REASONS, find_units
from online.query_frame import QueryFrame

KEYS = [
    "", "red shoes", "shoes red", "red shoe", "tuple", "c++", "c#", "mail a@b.org", "mail c@d.org",
    "call +49 30 1234567", "x" * 2001, "iphone 13", "listing", "mail [email]",
    "a@b.org", "c@d.org, e@f.org", "[email]",
]  # fmt: skip


@st.composite
def frames(draw_one: st.DrawFn) -> QueryFrame:
    keys = draw_one(st.lists(st.sampled_from(KEYS), min_size=1, unique=True))
    n = len(keys)
    searches = np.array(draw_one(st.lists(st.integers(1, 50), min_size=n, max_size=n)))
    return QueryFrame(
        keys=pa.chunked_array([pa.array(keys, pa.string())]),
        spellings=np.ones(n, dtype=np.int64),
        searches=searches,
        clicked=searches // 2,
        empty=searches // 3,
        draws=np.random.default_rng(n).integers(0, 2**64, n, dtype=np.uint64),
        characters=np.array([len(key) for key in keys]),
        may_be_personal=np.array([bool(find_personal(key)) for key in keys]),
        sessions=np.array(draw_one(st.lists(st.integers(1, 5), min_size=n, max_size=n))),
        classes=None,
        tags=None,
    )


OPTIONS = st.builds(
    Sampling,
    limit=st.integers(1, 12),
    method=st.sampled_from(["stratified", "random", "traffic"]),
    allocation=st.sampled_from(["equal", "proportional"]),
    min_sessions=st.integers(1, 3),
    personal=st.sampled_from(["drop", "mask", "keep"]),
    merge_near=st.booleans(),
)


def by_hand(frame: QueryFrame, options: Sampling) -> dict[str, tuple[int, int]]:
    """Form -> searches and clicked searches of the queries that are one unit."""
    found: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    assert frame.sessions is not None
    for place, key in enumerate(frame.keys.to_pylist()):
        personal = bool(find_personal(key))
        if not key or len(key) > 2000 or frame.sessions[place] < options.min_sessions:
            continue
        if personal and options.personal == "drop":
            continue
        shown = mask_personal(key) if options.personal == "mask" else key
        if shown != key and is_only_masks(shown):
            continue
        sums = found[near_form(shown, "en") if options.merge_near else shown]
        sums[0] += int(frame.searches[place])
        sums[1] += int(frame.clicked[place])
    return {form: (sums[0], sums[1]) for form, sums in found.items()}


@settings(max_examples=60, deadline=None)
@given(frames(), OPTIONS)
def test_nothing_is_lost(frame: QueryFrame, options: Sampling) -> None:
    units = find_units(frame, options, "en")
    assert len(frame) == len(units) + sum(units.dropped.values())
    assert set(units.dropped) <= set(REASONS)
    expected = by_hand(frame, options)
    forms = [near_form(key, "en") if options.merge_near else key for key in units.keys()]  # noqa: SIM118
    sums = zip(units.searches.tolist(), units.clicked.tolist(), strict=True)
    assert dict(zip(forms, sums, strict=True)) == expected
    assert len(forms) == len(expected)
    members = units.members(range(len(units)))
    assert len(members) == (units.unit_of >= 0).sum()
    if options.personal == "mask":
        assert not any(find_personal(key) for key in units.keys())  # noqa: SIM118

    strata = strata_of(units, options)
    drawn = draw(units, strata, options)
    assert len(drawn.places) == len(set(drawn.places.tolist())) == min(options.limit, len(units))
    assert sum(strata.sizes()) == len(units)
    assert sum(strata.sums(units.searches)) == units.searches.sum()
