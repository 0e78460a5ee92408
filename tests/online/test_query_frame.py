"""The sampling frame of a log against the same by brute force in Python."""

import hashlib
import random
import re
import unicodedata
from collections import Counter, defaultdict
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from online.engines import Choice
from online.lake import Lake
from online.query_frame import QueryFrame, group_keys, read_frame, session_counts, variants
from tests.online.logs import lake_of

SPELLINGS = [
    "red shoes", "Red  Shoes", " red shoes", "RED\u00a0SHOES", "red\tshoes ", "caf\u00e9",
    "cafe\u0301", "Caf\u00e9", "how do I sort?", "iphone 13", "", "  ", "x", "mail a@b.org",
    "+49 30 1234567", "\u3000x", "one two three four five six",
]  # fmt: skip


def folded(text: str) -> str:
    """As spellings.sql says, in Python: white space of any kind, case, composition."""
    lowered = unicodedata.normalize("NFC", text.lower())
    return re.sub(r"[\s\x0b\x85\u00a0\u3000\u2000-\u200a]+", " ", lowered).strip(" ")


@pytest.fixture(scope="module")
def searches() -> list[dict[str, Any]]:
    chance = random.Random(3)
    found = []
    for number in range(600):
        tags = chance.choices([None, ["a"], ["a", "b"], ["b"]], [5, 3, 1, 1])[0]
        clicks = chance.choice([0, 0, 1, 3])
        found.append(
            {
                "query": chance.choice(SPELLINGS),
                "session_id": f"s{chance.randrange(40)}",
                "model_version": chance.choice(["bm25", "e5"]),
                "n_clicks": clicks,
                "n_ranked_clicks": clicks,
                "n_results": chance.choice([0, 5, None]),
                "tags": tags,
                "timestamp": f"2026-11-{1 + number % 20:02}T12:00:00Z",
            }
        )
    return found


@pytest.fixture(scope="module")
def lake(searches: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Lake:
    return lake_of(tmp_path_factory.mktemp("frame"), searches)


def by_key(frame: QueryFrame, column: Any) -> dict[str, Any]:
    values = column.to_pylist() if hasattr(column, "to_pylist") else column.tolist()
    return dict(zip(frame.keys.to_pylist(), values, strict=True))


def counted(searches: list[dict[str, Any]], wanted: Any) -> dict[str, int]:
    found: dict[str, int] = {folded(search["query"]): 0 for search in searches}
    for search in searches:
        found[folded(search["query"])] += bool(wanted(search))
    return found


@pytest.mark.parametrize(
    "choice", [Choice(), Choice(model="e5", start=date(2026, 11, 5), end=date(2026, 11, 12))]
)
def test_counts_are_those_of_brute_force(
    lake: Lake, searches: list[dict[str, Any]], choice: Choice
) -> None:
    chosen = [
        search
        for search in searches
        if choice.model in (None, search["model_version"])
        and (choice.start is None or "2026-11-05" <= search["timestamp"][:10] <= "2026-11-12")
    ]
    with lake.connect() as connection:
        frame = read_frame(connection, choice, min_sessions=3)
        units = {key: place for place, key in enumerate(frame.keys.to_pylist())}
        sessions, typed = session_counts(connection, units), variants(connection, units)
    assert len(frame) == len(units)
    assert by_key(frame, frame.searches) == counted(chosen, lambda _: True)
    assert by_key(frame, frame.clicked) == counted(chosen, lambda search: search["n_clicks"])
    assert by_key(frame, frame.empty) == counted(chosen, lambda search: search["n_results"] == 0)
    of_key: defaultdict[str, set[str]] = defaultdict(set)
    spelled: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for search in chosen:
        key = folded(search["query"])
        of_key[key].add(search["session_id"])
        spelled[key][search["query"]] += 1
    assert {key: sessions[unit] for key, unit in units.items()} == {
        key: len(found) for key, found in of_key.items()
    }
    assert frame.sessions is not None
    many = {key: n for key, n in by_key(frame, frame.sessions).items() if n}
    assert many == {key: len(found) for key, found in of_key.items() if spelled[key].total() >= 3}
    assert by_key(frame, frame.spellings) == {key: len(found) for key, found in spelled.items()}
    for key, unit in units.items():
        by_count = sorted(spelled[key].items(), key=lambda one: (-one[1], one[0].encode()))
        assert typed[unit] == by_count


def test_tags_and_classes(lake: Lake, searches: list[dict[str, Any]]) -> None:
    """Half of the searches carry a tag: of some queries less than half, and these have none."""
    tagged: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for search in searches:
        tagged[folded(search["query"])].update(search["tags"] or [])
    with lake.connect() as connection:
        frame = read_frame(connection, Choice(), classes=True, tags=True)
    assert frame.tags is not None
    assert frame.tag_counts is not None
    assert frame.classes is not None
    assert by_key(frame, frame.tag_counts) == {key: len(tagged[key]) for key in tagged}
    carrying = counted(searches, lambda search: search["tags"])
    every = counted(searches, lambda _: True)
    first = {
        key: min(found, key=lambda tag: (-found[tag], tag), default=None)
        if 2 * carrying[key] >= every[key]
        else None
        for key, found in tagged.items()
    }
    assert {"a", None} <= set(first.values())
    assert by_key(frame, frame.tags) == first
    classes = by_key(frame, frame.classes)
    told = [classes[key] for key in ("how do i sort?", "iphone 13", "one two three four five six")]
    assert told == ["question", "with_number", "long"]
    assert (classes["red shoes"], classes[""]) == ("keyword", "empty")


def test_draws_are_the_md5_of_seed_and_key(lake: Lake) -> None:
    """RFC 1321, so that every machine and version draws alike; another seed draws otherwise."""
    with lake.connect() as connection:
        frames = [read_frame(connection, Choice(), seed) for seed in (0, 7)]
    for seed, frame in zip((0, 7), frames, strict=True):
        for key, draw in by_key(frame, frame.draws).items():
            digest = hashlib.md5(f"{seed} {key}".encode()).digest()  # noqa: S324
            assert draw == int.from_bytes(digest[:8], "little")
    personal = by_key(frames[0], frames[0].may_be_personal)
    assert {key for key, may in personal.items() if may} == {"mail a@b.org", "+49 30 1234567"}


def test_several_keys_of_one_unit_share_their_sessions(lake: Lake) -> None:
    with lake.connect() as connection:
        read_frame(connection, Choice())
        alone = session_counts(connection, {"x": 1, "iphone 13": 2})
        (together,) = session_counts(connection, {"x": 1, "iphone 13": 1}).values()
    assert max(alone.values()) <= together < sum(alone.values())


def test_keys_of_given_texts(lake: Lake) -> None:
    texts = [*SPELLINGS, "never searched for"]
    with lake.connect() as connection:
        assert group_keys(connection, texts) == [folded(text) for text in texts]
        assert group_keys(connection, []) == []


def test_an_empty_lake_has_an_empty_frame(tmp_path: Path) -> None:
    with Lake(tmp_path / "events").connect() as connection:
        frame = read_frame(connection, Choice(), min_sessions=2, classes=True, tags=True)
    assert (len(frame), frame.searches.tolist()) == (0, [])


def test_a_seed_is_a_number_that_sql_can_say(lake: Lake) -> None:
    with lake.connect() as connection, pytest.raises(ValueError, match="seed == -1"):
        read_frame(connection, Choice(), -1)
