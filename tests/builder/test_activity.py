"""The log of who did what when, as people read it."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.activity import (
    ACTIONS,
    PAGE,
    Wanted,
    action_words,
    activity_csv,
    detail_lines,
    kind_of,
    kinds_and_actors,
    note_events,
    read_activity,
    read_folded,
)
from builder.export import export_task
from builder.importers import import_corpus, import_judgments, import_queries
from builder.people import ensure_person
from builder.pooling import pool
from builder.spreadsheets import BOM, begins_formula, unguarded_row
from builder.store.activity import note
from builder.workspace import SETTINGS_FILE, Workspace, open_workspace
from estimates import ImportTally
from tests.workspaces import new_workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    new_workspace(tmp_path / "w", "w").close()
    settings = tmp_path / "w" / SETTINGS_FILE
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace('"UTC"', '"Asia/Kolkata"'), encoding="utf-8")
    with open_workspace(tmp_path / "w") as opened:
        yield opened


def write(workspace: Workspace, *deeds: tuple[str, str, str, dict[str, Any]]) -> None:
    with workspace.store.write() as connection:
        for actor, action, subject, details in deeds:
            note(connection, actor, action, subject, details)


def subjects(workspace: Workspace, wanted: Wanted, before: int | None = None) -> list[str]:
    return [entry.subject for entry in read_activity(workspace, wanted, before).entries]


def test_small_deeds_in_a_row_are_one_entry_with_their_number(workspace: Workspace) -> None:
    none: dict[str, Any] = {}
    accepted = [("Ann", "synthetic.accept", f"syn-{n}", none) for n in range(2 * PAGE)]
    at_once = [("Ann", "synthetic.accept_all", str(n), {"candidates": [1]}) for n in (200, 35)]
    write(workspace, ("Ann", "query.edit", "q", {}), *accepted, *at_once)
    write(workspace, ("Ben", "synthetic.accept", "syn-b", {}), *accepted[:1])
    page, folded = read_folded(workspace)
    told = [(e.actor, e.action, folded.get(e.activity_id)) for e in page.entries]
    assert told == [
        ("Ann", "synthetic.accept", None),
        ("Ben", "synthetic.accept", None),
        ("Ann", "synthetic.accept_all", 235),
        ("Ann", "synthetic.accept", 2 * PAGE),
        ("Ann", "query.edit", None),
    ]
    assert page.older is None
    first, _ = read_folded(workspace, limit=3)
    rest, _ = read_folded(workspace, before=first.older)
    assert [e.action for e in rest.entries] == ["synthetic.accept", "query.edit"]
    assert detail_lines({"candidates": [1, 2]}) == []


def test_pages_hold_every_deed_once_and_the_newest_first(workspace: Workspace) -> None:
    n = 2 * PAGE + 1
    write(workspace, *(("Ann", "query.edit", str(i), {}) for i in range(n)))
    seen: list[str] = []
    page = read_activity(workspace)
    sizes = [len(page.entries)]
    seen += [entry.subject for entry in page.entries]
    while page.older is not None:
        page = read_activity(workspace, before=page.older)
        sizes.append(len(page.entries))
        seen += [entry.subject for entry in page.entries]
    assert sizes == [PAGE, PAGE, 1]
    assert seen == [str(i) for i in reversed(range(n))]


def test_a_page_that_is_just_full_is_the_last(workspace: Workspace) -> None:
    write(workspace, *(("Ann", "query.edit", str(i), {}) for i in range(PAGE)))
    assert read_activity(workspace).older is None


def test_deeds_are_found_by_who_and_by_kind(workspace: Workspace) -> None:
    write(
        workspace,
        ("Ann", "query.edit", "q1", {}),
        ("Bob", "query.add", "q2", {}),
        ("Ann", "person.role", "Bob", {}),
        ("Ann", "queryish.add", "x", {}),
    )
    assert subjects(workspace, Wanted()) == ["x", "Bob", "q2", "q1"]
    assert subjects(workspace, Wanted(actor="Ann")) == ["x", "Bob", "q1"]
    assert subjects(workspace, Wanted(kind="query")) == ["q2", "q1"]
    assert subjects(workspace, Wanted("Ann", "query")) == ["q1"]
    assert subjects(workspace, Wanted("nobody")) == []
    assert kinds_and_actors(workspace) == (["person", "query", "queryish"], ["Ann", "Bob"])


@pytest.mark.parametrize(
    ("details", "lines"),
    [
        ({}, []),
        ({"role": {"from": "rater", "to": "admin"}}, ["role: from “rater” to “admin”"]),
        (
            {"before": {"need": "", "text": "x"}, "after": {"need": "a b", "text": "y"}, "n": 1200},
            ["need: from nothing to “a b”", "text: from “x” to “y”", "n: 1,200"],
        ),
        ({"after": {"text": "x", "tags": ["a", "b"]}}, ["text: x", "tags: a, b"]),
        ({"before": "then", "after": {"x": 1}}, ["x: 1", "before: then"]),
        (
            {"read": 3, "reasons": {"bad_json": 2, "unknown_query": 1}, "notes": {}, "whole": True},
            ["read: 3", "reasons: bad json 2, unknown query 1", "whole: yes"],
        ),
        ({"priority": {"from": 1, "to": 0}}, ["priority: from 1 to 0"]),
        ({"said": [{"rater": "Ann", "said": "unclear"}]}, ["said: rater Ann, said unclear"]),
        ({"x": None, "zero": 0, "f": 0.5}, ["x: none", "zero: 0", "f: 0.5"]),
    ],
)
def test_details_are_read_as_words(details: dict[str, Any], lines: list[str]) -> None:
    assert detail_lines(details) == lines


def test_long_details_are_cut_on_screen_only() -> None:
    (line,) = detail_lines({"text": "x" * 500})
    assert len(line) < 200
    assert line.endswith("…")
    assert detail_lines({"text": "x" * 500}, longest=None) == ["text: " + "x" * 500]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.dictionaries(st.sampled_from(["before", "after", "from", "x"]) | st.text(), JSON))
def test_any_details_can_be_read(details: dict[str, Any]) -> None:
    assert all(isinstance(line, str) for line in detail_lines(details))


def test_what_nobody_foresaw_is_still_readable() -> None:
    assert action_words("query.edit") == "Edited the query"
    assert action_words("task_set.re_split") == "Task set re split"
    assert kind_of("backup.daily.failed") == "backup"


def test_every_deed_of_the_sources_has_words() -> None:
    """Whoever writes a new kind of deed into the log gives it words here."""
    root = Path(__file__).resolve().parents[2] / "builder"
    written = {
        token.strip("\"'")
        for path in root.rglob("*.py")
        if path.name != "activity.py"
        for line in path.read_text(encoding="utf-8").splitlines()
        if "note(" in line
        for token in line.replace(",", " ").split()
        if token.startswith('"') and "." in token
    }
    assert written
    assert written - set(ACTIONS) == set()


def test_the_table_is_whole_safe_and_in_the_workspace_s_zone(workspace: Workspace) -> None:
    write(
        workspace,
        ("=1+1", "query.edit", "@q", {"need": {"from": "-x", "to": "\N{GRINNING FACE}" * 300}}),
        ("Ann", "query.add", "q\r\n2", {}),
    )
    table = activity_csv(workspace).decode("utf-8")
    assert table.startswith(BOM)
    rows = list(csv.reader(io.StringIO(table.removeprefix(BOM), newline="")))
    assert not [cell for row in rows for cell in row if begins_formula(cell)]
    found = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    newest, oldest = map(unguarded_row, found)
    assert (newest["who"], newest["subject"]) == ("Ann", "q\r\n2")
    assert (oldest["who"], oldest["subject"], oldest["timezone"]) == ("=1+1", "@q", "Asia/Kolkata")
    assert "\N{GRINNING FACE}" * 300 in oldest["details"]
    (entry, _) = read_activity(workspace).entries
    utc_minute = int(entry.happened_at[14:16])
    assert int(newest["when"][14:16]) == (utc_minute + 30) % 60


def test_the_table_follows_the_filters(workspace: Workspace) -> None:
    write(workspace, ("Ann", "query.edit", "q1", {}), ("Bob", "pool.add", "bm25", {}))
    table = activity_csv(workspace, Wanted(kind="pool")).decode()
    assert "bm25" in table
    assert "q1" not in table


# Deeds of the other rooms


def test_imports_pooling_and_releases_are_in_the_log(workspace: Workspace) -> None:
    boss = ensure_person(workspace, "Boss")
    folder = workspace.cache_folder
    (folder / "corpus.jsonl").write_text(
        "\n".join(json.dumps({"_id": f"d{n}", "title": "t", "text": f"x {n}"}) for n in range(2))
        + "\n{broken"
    )
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "x"}')
    (folder / "qrels.tsv").write_text("q\td0\t1\n")
    import_corpus(workspace, folder / "corpus.jsonl", actor=boss)
    import_queries(workspace, folder / "queries.jsonl", actor=boss)
    import_judgments(workspace, folder / "qrels.tsv", rater="r")
    pool(workspace, ["bm25"], depth=2, actor=boss)
    export_task(workspace, "task", actor=boss)
    export_task(workspace, "task", actor=boss)  # the same: no new release, no entry
    note_events(workspace, "log.jsonl", ImportTally(accepted=2), "terminal")
    note_events(workspace, "empty.jsonl", ImportTally(), "terminal")
    entries = read_activity(workspace).entries[::-1]
    assert [(entry.actor, entry.action, entry.subject) for entry in entries[1:]] == [
        ("Boss", "import.corpus", "corpus.jsonl"),
        ("Boss", "import.queries", "queries.jsonl"),
        ("terminal", "import.judgments", "qrels.tsv"),
        ("Boss", "pool.add", "bm25"),
        ("Boss", "release.make", "task@1"),
        ("terminal", "import.events", "log.jsonl"),
    ]
    corpus = entries[1].details
    assert (corpus["read"], corpus["accepted"], corpus["quarantined"]) == (3, 2, 1)
    assert str(workspace.root) not in json.dumps(dict(corpus))
    assert entries[4].details["pairs_added"] == 1


def test_sums_are_told_without_the_digits_that_adding_left() -> None:
    assert detail_lines({"cost": 0.0029545000000000005, "share": 0.5}) == [
        "cost: 0.0029545",
        "share: 0.5",
    ]
