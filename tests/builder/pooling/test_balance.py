"""The order in which documents join the pool, and how many of them may be hopeless."""

from hypothesis import given, settings
from hypothesis import strategies as st

from builder.pooling.balance import Candidate, Naming, balanced, interleaved
from builder.pooling.contributors import Contributor


def contributor(source: str, *doc_ids: str, hopeful: bool = True) -> Contributor:
    return Contributor(source, {"q": doc_ids}, is_hopeful=hopeful, is_ranked=source != "random")


def test_rank_by_rank_and_at_equal_ranks_what_several_name_and_what_was_clicked_first() -> None:
    found = interleaved(
        [
            contributor("clicks", "c1", "both"),
            contributor("bm25", "b1", "both", "b3"),
            contributor("minilm", "m1", "m2", "b1"),
            contributor("random", "r1", "b3", hopeful=False),
        ],
        "q",
    )
    # b1 is first by one of its two sources and third by the other; r1 is first by chance alone.
    # At rank 2 "both" comes before m2; b3 counts as bm25 has it, at 3, though chance has it at 2.
    order = [candidate.doc_id for candidate in found]
    assert order == ["b1", "c1", "m1", "r1", "both", "m2", "b3"]
    by_id = {candidate.doc_id: candidate for candidate in found}
    assert by_id["b1"].named == (Naming("bm25", 1), Naming("minilm", 3))
    assert by_id["b3"].named == (Naming("bm25", 3), Naming("random", None))
    assert [doc_id for doc_id in order if not by_id[doc_id].is_hopeful] == ["r1"]


def test_a_query_that_nobody_names_anything_for() -> None:
    assert interleaved([contributor("bm25", "a")], "other") == []


def sequence(pattern: str) -> list[Candidate]:
    """h: hopeful, n: hopeless."""
    return [Candidate(f"d{n}", (), letter == "h") for n, letter in enumerate(pattern)]


def shape(candidates: list[Candidate]) -> str:
    return "".join("h" if candidate.is_hopeful else "n" for candidate in candidates)


def test_a_share_of_two_in_five() -> None:
    kept, left = balanced(sequence("nnnhhhhhh"), 0.4)
    # 1 of 3, 2 of 5, 3 of 8: never more than .4 of any beginning.
    assert shape(kept) == "hhnhnhhnh"
    assert left == []
    kept, left = balanced(sequence("hnhnhnnnnn"), 0.4)
    assert (shape(kept), shape(left)) == ("hhnhn", "nnnnn")


def test_a_query_with_little_that_is_hopeful_is_filled_up() -> None:
    kept, left = balanced(sequence("nnnnnnnh"), 0.4)
    assert (shape(kept), len(left)) == ("hnnnn", 3)
    assert shape(balanced(sequence("nnnnnnn"), 0.4).kept) == "nnnnn"
    assert balanced(sequence("nnn"), 0).kept == []
    assert shape(balanced(sequence("nnnnnnh"), 1).kept) == "nnnnnnh"


@settings(max_examples=100, deadline=None)
@given(st.text("hn", max_size=30), st.sampled_from([0.0, 0.1, 0.25, 0.4, 0.5, 0.9, 1.0]))
def test_the_share_holds_for_every_beginning_and_nothing_is_lost(
    pattern: str, share: float
) -> None:
    candidates = sequence(pattern)
    kept, left = balanced(candidates, share)
    assert sorted((*kept, *left), key=candidates.index) == candidates
    assert [one for one in kept if one.is_hopeful] == [one for one in candidates if one.is_hopeful]
    hopeless = [one for one in candidates if not one.is_hopeful]
    # Of the hopeless the first ones join.
    assert [one for one in kept if not one.is_hopeful] == hopeless[: len(hopeless) - len(left)]
    for n in range(1, len(kept) + 1):
        so_far = shape(kept[:n]).count("n")
        is_filling_up = len(kept) <= 5 and "h" not in shape(kept[n - 1 :])
        assert so_far <= share * n + 1e-9 or is_filling_up
    if left and len(kept) >= 5:
        # One more would be too many.
        assert shape(kept).count("n") + 1 > share * (len(kept) + 1) + 1e-9
