"""How an answer ended, how many were asked for, and how long a query is."""

import pytest

from builder.synthesis.filters.form import (
    empty,
    finish_reason,
    foreign_address,
    length,
    more_than_asked,
)
from builder.synthesis.filters.tokens import count_words


@pytest.mark.parametrize(
    ("ended", "is_whole"),
    [("stop", True), (None, True), ("length", False), ("content_filter", False)],
)
def test_only_an_answer_that_ended_by_itself_is_whole(ended: str | None, *, is_whole: bool) -> None:
    assert (finish_reason(ended) is None) == is_whole


def test_the_first_queries_of_an_answer_are_those_that_were_asked_for() -> None:
    assert more_than_asked(1, 2) is None
    found = more_than_asked(2, 2)
    assert found is not None
    assert "number 3" in found.detail


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "…",
        "?!",
        "n/a",
        "my key [key removed] please",
        "N/A",
        "<query>",
        "[your question here]",
        "Query 1",
        "-",
        ", json:",
        "x]} \n",
        '{"queries": ["x"]}',
        'x"]}, {"queries": ["y',
    ],
)
def test_what_says_nothing_is_empty(text: str) -> None:
    assert empty(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        *("None", "<div>", "query", "C++", "7", "[a-z]+", "問", ".net core", "/etc/hosts", "a[0]"),
        *(":hover css", ":wq", "|| operator", "${names[@]}", '{"error": "invalid_grant"}'),
    ],
)
def test_what_people_may_search_for_is_not(text: str) -> None:
    assert empty(text) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("don't left-handed scissors", 3),
        ("wie geht's", 2),
        ("ソフトウェアアップデート", 1),
        ("有給休暇の申請", 3.5),
        ("iPhone 有給", 2),
        ("สวัสดี", 1.5),
        (" - ", 0),
        ("한국어 질문", 2),
    ],
)
def test_words_are_counted_in_any_script(text: str, words: float) -> None:
    assert count_words(text) == words


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("one two three four five six seven", "7 words, at most 6"),
        ("有給休暇の申請は希望日の何日前まで", "8.5 words"),
        ("a b\nc d", "2 lines"),
        ("x" * 301, "301 characters"),
        ("c", "a single character"),
    ],
)
def test_what_is_too_long_or_too_short_is_told(text: str, why: str) -> None:
    found = length(text, 6)

    assert found is not None
    assert why in found.detail


@pytest.mark.parametrize("text", ["one two three four five six", "os", "c++ map", "有給"])
def test_what_fits_passes(text: str) -> None:
    assert length(text, 6) is None


PASSAGE = "Sign in to the staff portal at example.org, choose Security, and press Replace token."


@pytest.mark.parametrize(
    "text",
    [
        # Written by a model of 135 million parameters.
        "./test_1.json?type=",
        "/jquery.js/1052869347-dzbkfghxhg.com/nohrw/vwsu,lze",
        "https://www.cbc.ca/news/canada ",
    ],
)
def test_an_address_of_something_else_is_no_query(text: str) -> None:
    found = foreign_address(text, PASSAGE, "VPN")
    assert found is not None
    assert "names" in found.detail


@pytest.mark.parametrize(
    "text",
    [
        *("/etc/fstab options", "localhost:8080 refused", "python.org download"),
        *("/etc/hosts", "http://localhost:8080", "localhost:8080", "python.org", "/dev/null"),
        *("CI/CD/CT", "and/or", "km/h", "node.js/express/mongodb", "c:/", "//", "24/7"),
        # Of what the passage or the title speaks of.
        *("https://example.org/staff/login", "~/.config/vpn/client.conf", "/opt/reset_token/v2"),
        "curl https://www.cbc.ca/news/canada",
    ],
)
def test_what_people_type_of_addresses_passes(text: str) -> None:
    assert foreign_address(text, PASSAGE, "VPN") is None


def test_an_address_in_another_script_is_compared_by_pairs_of_characters() -> None:
    address = "https://ja.wikipedia.org/wiki/有給休暇"
    assert foreign_address(address, "年次有給休暇の申請は三日前までに行う。") is None
    assert foreign_address(address, "東京タワーの高さは三百三十三メートル。") is not None
