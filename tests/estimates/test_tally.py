from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from estimates import ImportTally

COUNT = st.integers(0, 10**6)


@given(COUNT, COUNT, COUNT, st.dictionaries(st.text(max_size=8), COUNT, max_size=4))
def test_every_row_that_was_read_is_accounted_for(
    accepted: int, duplicate: int, updated: int, reasons: dict[str, int]
) -> None:
    tally = ImportTally(accepted, duplicate, updated)
    tally.reasons.update(reasons)
    assert tally.read == accepted + duplicate + updated + sum(reasons.values())
    assert tally.as_json()["quarantined"] == sum(reasons.values())


def test_an_import_without_one_good_row_failed() -> None:
    assert ImportTally().nothing_accepted
    assert not ImportTally(duplicate=1).nothing_accepted
    bad = ImportTally(quarantine_file=Path("bad.jsonl"))
    bad.reasons["bad_json"] += 2
    assert bad.nothing_accepted
    assert bad.as_json()["quarantine_file"] == str(Path("bad.jsonl").resolve())


def test_several_imports_add_up() -> None:
    one, other = ImportTally(accepted=2, duplicate=1), ImportTally(updated=4)
    one.reasons["bad_json"] += 1
    other.reasons["bad_json"] += 2
    other.notes["odd"] += 1
    other.named["odd"] = ["this"]
    other.quarantine_file = Path("bad.jsonl")
    whole = ImportTally.total([one, other])
    assert (whole.accepted, whole.duplicate, whole.updated, whole.read) == (2, 1, 4, 10)
    assert whole.reasons == {"bad_json": 3}
    assert whole.notes == {"odd": 1}
    assert whole.as_json()["named"] == {"odd": ["this"]}
    assert whole.quarantine_file == Path("bad.jsonl")
