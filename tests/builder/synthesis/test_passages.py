"""Passages: what they hold, where they are cut, and the language they are in."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.synthesis.passages import (
    MOST_CHARACTERS,
    beginning,
    first_half,
    is_telling,
    language_of,
    letters_in,
    passages_of,
)

SENTENCE = "The valve opens when the pressure rises above its limit. "
JAPANESE = "年次有給休暇は翼年に繰り越せます。"


def test_a_short_text_is_one_passage_without_the_blanks_around_it() -> None:
    text = f" \n{SENTENCE}\t"
    ((first, last),) = passages_of(text)
    assert text[first:last] == SENTENCE.strip()


@pytest.mark.parametrize("text", ["", " \n\t\u3000"])
def test_a_blank_text_has_no_passage(text: str) -> None:
    assert passages_of(text) == []


def test_a_long_text_is_cut_at_the_ends_of_sentences_into_parts_of_like_length() -> None:
    text = SENTENCE * 250  # 14,250 characters: three parts
    parts = [text[first:last] for first, last in passages_of(text)]
    assert len(parts) == 3
    assert all(part.startswith("The") and part.endswith("limit.") for part in parts)
    assert all(2_000 <= len(part) <= MOST_CHARACTERS for part in parts)


def test_japanese_passages_are_shorter_and_end_with_their_own_full_stop() -> None:
    """Two of three letters or more are ideographs: at most 6,000 / (1 + 2 x .9), some 2,150."""
    text = JAPANESE * 500
    parts = [text[first:last] for first, last in passages_of(text)]
    assert all(part.endswith("。") and len(part) <= 2_200 for part in parts)
    assert "".join(parts) == text


UNITS = st.sampled_from(["word", "日本", ". ", " ", "\n\n", "-", "\u0301", "e\u0301", "1"])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(UNITS, st.integers(1, 2500)), max_size=8))
def test_passages_hold_all_that_tells_something_and_nothing_twice(
    runs: list[tuple[str, int]],
) -> None:
    text = "".join(unit * n for unit, n in runs)
    passages = passages_of(text)
    borders = [0, *(place for passage in passages for place in passage), len(text)]
    assert borders == sorted(borders)
    assert all(last - first <= MOST_CHARACTERS for first, last in passages)
    if any(is_telling(text[first:last]) for first, last in passages):
        assert all(is_telling(text[first:last]) for first, last in passages)
        left = letters_in(text) - sum(letters_in(text[f:t]) for f, t in passages)
        assert left <= 40 * (1 + len(text) // 1000)
    assert bool(passages) == bool(text.strip())


def test_200_000_words_are_split_at_once() -> None:
    """About .1 s here; a way that is quadratic takes minutes."""
    text = "lorem ipsum dolor sit amet. " * 40_000
    started = time.process_time()
    passages = passages_of(text)
    assert time.process_time() - started < 3
    assert 180 < len(passages) < 230


def test_letters_without_end_are_cut_hard_but_never_between_a_letter_and_its_accent() -> None:
    text = "e\u0301" * 10_000
    assert all(text[first] == "e" for first, _ in passages_of(text))


def test_the_first_half_ends_with_a_sentence_until_too_little_is_left() -> None:
    text = SENTENCE * 4
    half = first_half(text, (0, len(text)))
    assert half == (0, 2 * len(SENTENCE) - 1)
    assert first_half(text, (0, len(SENTENCE))) is None


def test_letters_of_chinese_japanese_and_korean_count_thrice() -> None:
    assert letters_in("ab 1, _") == 3
    assert letters_in("日本あ") == 9
    assert not is_telling("x" * 39)
    assert is_telling("日本" * 7)


def test_the_beginning_ends_with_a_sentence() -> None:
    assert beginning(SENTENCE * 9, 120) == (SENTENCE * 2).strip()
    assert beginning("x" * 500, 100) == "x" * 100


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The burner \u03b2-7 is ignited when the Δp of the valve is below 5 \u03a9.", "en"),
        ("Der Brenner zündet nicht, wenn das Ventil geschlossen ist.", "de"),
        ("Le brûleur ne s'allume pas quand la vanne est fermée.", "fr"),
        (f"VPN Token: {JAPANESE} (Windows 11)", "ja"),
        ("公司的年假规定适用于所有员工", "zh"),
        ("\u0412\u0435\u043d\u0442\u0438\u043b\u044c \u0437\u0430\u043a\u0440\u044b\u0442, "
         "\u0433\u043e\u0440\u0435\u043b\u043a\u0430 \u043d\u0435 "
         "\u0437\u0430\u0436\u0438\u0433\u0430\u0435\u0442\u0441\u044f", "ru"),
        ("12.5 / 7 = ???", "en"),
    ],
)  # fmt: skip
def test_the_language_is_that_of_most_letters(text: str, language: str) -> None:
    assert language_of(text, "en") == language


def test_a_text_that_does_not_tell_is_in_the_workspaces_language_if_it_may_be() -> None:
    assert language_of("XR-7 PRO", "nl") == "nl"
    assert language_of("日本文書", "en") == "zh"
