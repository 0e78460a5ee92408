"""What was copied is found in words, or in characters where words are not parted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.synthesis.filters.copied_span import copied_span, leakage, longest_span

PASSAGE = (
    "Patients whose clearance falls below 25 mL/min shall stop taking the tablets at once. "
    "The Lumex GX 450 cordless drill driver has two gears."
)
LEAVE = "年次有給休暇の申請は、希望日の三日前までに人事システムから行ってください。"


@pytest.mark.parametrize(
    "text",
    [
        # 7 and 8 words in a row.
        "When shall patients stop taking the tablets at once? Patients whose clearance falls below "
        "25 mL/min",
        "why do patients whose clearance falls below 25 mL stop",
        # 5 of 5 words.
        "clearance falls below 25 mL",
        # 4 of 5 words, .8 of it.
        "if clearance falls below 25",
        # 17 characters, of which two weigh as much as a word.
        "年次有給休暇の申請は希望日の三日前",
    ],
)
def test_a_copy_is_found(text: str) -> None:
    found = copied_span(text, PASSAGE + LEAVE)

    assert found is not None
    assert found.filter == "copied_span"


@pytest.mark.parametrize(
    "text",
    [
        "Lumex GX 450 drill",
        "Lumex GX 450",
        "when do patients with low clearance have to stop the tablets",
        "stop tablets kidney",
        "有給休暇の申請",  # 7 characters: 3.5 words
        "有給休暇はいつまでに申し込む必要がありますか",
        "",
    ],
)
def test_terms_of_the_passage_are_no_copy(text: str) -> None:
    assert copied_span(text, PASSAGE + LEAVE) is None


@given(*2 * [st.lists(st.sampled_from("abc"), max_size=12)])
def test_the_longest_span_is_the_longest_of_all_parts(text: list[str], passage: list[str]) -> None:
    parts = [text[i:j] for i in range(len(text)) for j in range(i + 1, len(text) + 1)]
    there = [n for n in map(len, parts) if any(p in parts for p in _runs(passage, n))]
    assert longest_span(" ".join(text), " ".join(passage)).words == max(there, default=0)


def _runs(words: list[str], n: int) -> list[list[str]]:
    return [words[i : i + n] for i in range(len(words) - n + 1)]


def test_a_table_of_zeros_that_a_model_repeats_takes_no_minute() -> None:
    assert longest_span("0 " * 300, "0 " * 3000).words == 300


def test_a_long_title_is_not_to_be_copied_either() -> None:
    found = copied_span(
        "how to renew a parking permit", "Go to the office.", "How to renew a parking permit"
    )

    assert found is not None
    assert "title" in found.detail


def test_the_detail_tells_words_share_and_span() -> None:
    found = copied_span("if clearance falls below 25", PASSAGE)

    assert found is not None
    assert found.detail == (
        "4 words in a row, 80% of the query, stand in the passage: 'clearance falls below 25'"
    )


def test_the_longest_span_begins_at_any_of_several_places() -> None:
    span = longest_span("the cat sat", "the dog and the cat and the cat sat down")

    assert (span.words, span.share, span.text) == (3, 1, "the cat sat")


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("stop taking tablets", 1.0),
        ("STOP tablets kidney failure", 0.5),
        ("stop stop kidney", 0.5),  # each word once
        ("kidney", 0.0),
        ("?!", None),
        # 有給 給休 休暇 stand there; 暇取 取得 do not.
        ("有給休暇取得", 0.6),
        ("暇", 1.0),
    ],
)
def test_leakage_is_the_share_of_the_words_that_stand_in_the_passage(
    text: str, share: float | None
) -> None:
    assert leakage(text, PASSAGE + LEAVE) == share
