"""A rater sees query and document, and nothing that anybody or anything else said of them."""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.app_client import app_client
from benchmarks.app_server import running_app
from builder.importers import import_corpus, import_queries
from builder.judging.queue import next_pair, submit_grade
from builder.people import ensure_person
from builder.store.pool import add_pairs
from builder.store.rechecks import NewRecheck, add_rechecks, pair_ids_of
from builder.workspace import DATABASE_FILE, Workspace, init_workspace, open_workspace
from tests.browser.grading import open_grading, press, wait_for_words
from ui.sitting import name_in_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, WebSocket

N_DOCUMENTS = 12
# Nine digits: four occur by chance in the hashes by which the protocol calls its elements.
FIRST_RANK = 730_154_301
FIRST_PAIR = 641_870_233
QUERY = "syn-51e47a9c02"
OTHER_RATER = "sentinelrater"
SENTINELS = (
    OTHER_RATER,
    "sentinelcomment",
    "sentinelreason",
    "sentinelsystem",
    "sentinelmodel",
    "sentinelclicks",
    "sentinelllm",
    "sentinelimport",
    "sentinelrelease",
    "sentinelmetadata",
    "sentinelnote",
    "sentinelrecheck",
    *(str(first + n) for n in range(N_DOCUMENTS) for first in (FIRST_RANK, FIRST_PAIR)),
    "syn-",
    "synth",
    "validat",
    "of generated",
)


@pytest.fixture(scope="module")
def blind_workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A pool of which systems, clicks, a language model and another rater have said a lot."""
    root = tmp_path_factory.mktemp("blind") / "workspace"
    with init_workspace(root, "blind") as workspace:
        for name in ("Dana", OTHER_RATER, "Rita"):
            ensure_person(workspace, name)
        _bring_texts(workspace, root / "cache")
        _pool(workspace)
    with open_workspace(root) as workspace:
        _let_another_grade(workspace)
        _say_more(workspace)
        _doubt(workspace)
        yield workspace


def _bring_texts(workspace: Workspace, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    corpus, queries = folder / "corpus.jsonl", folder / "queries.jsonl"
    documents = [
        {
            "_id": f"d{n}",
            "title": f"Title {n}",
            "text": f"Words of document {n}.",
            "internal": f"sentinelmetadata {n}",
        }
        for n in range(N_DOCUMENTS)
    ]
    corpus.write_text("\n".join(map(json.dumps, documents)), encoding="utf-8")
    queries.write_text(json.dumps({"_id": QUERY, "text": "words", "need": "Any."}), "utf-8")
    import_corpus(workspace, corpus)
    import_queries(workspace, queries)


def _pool(workspace: Workspace) -> None:
    pairs = [(QUERY, f"d{n}") for n in range(N_DOCUMENTS)]
    with workspace.store.write() as connection:
        for source in ("sentinelsystem", "sentinelmodel", "sentinelclicks"):
            ranks = range(FIRST_RANK, FIRST_RANK + N_DOCUMENTS)
            add_pairs(connection, pairs, source, ranks)
    # Numbers that are found wherever they stand.
    with sqlite3.connect(workspace.root / DATABASE_FILE) as connection:
        connection.execute("UPDATE pairs SET pair_id = pair_id + ?", [FIRST_PAIR - 1])
        connection.execute("UPDATE pair_sources SET pair_id = pair_id + ?", [FIRST_PAIR - 1])


def _let_another_grade(workspace: Workspace) -> None:
    for n in range(N_DOCUMENTS // 2):
        pair = next_pair(workspace, OTHER_RATER)
        assert pair is not None
        token = f"token-{n}"
        submit_grade(
            workspace, OTHER_RATER, pair.pair_id, 3, token=token, comment="sentinelcomment"
        )


def _say_more(workspace: Workspace) -> None:
    """What a language model graded, what was imported and released, what stands in the log."""
    with sqlite3.connect(workspace.root / DATABASE_FILE) as connection:
        connection.executescript(
            """
            INSERT INTO people (name, kind, role, created_at)
                VALUES ('sentinelllm', 'llm', 'rater', '2026-01-01'),
                       ('sentinelimport', 'import', 'rater', '2026-01-01');
            INSERT INTO judgments
                (pair_id, rater_id, outcome, grade, comment, recorded_at, token, reason)
                SELECT pair_id, person_id, 'grade', 3, 'sentinelcomment', '2026-01-01',
                    name || pair_id, 'sentinelreason'
                FROM pairs CROSS JOIN people WHERE kind IN ('llm', 'import');
            INSERT INTO current_judgments (pair_id, rater_id, judgment_id, outcome)
                SELECT pair_id, rater_id, judgment_id, outcome FROM judgments
                WHERE token LIKE 'sentinel%';
            INSERT INTO releases (name, number, content_hash, created_at, created_by, counts)
                VALUES ('sentinelrelease', 1, 'x', '2026-01-01', 'sentinelrater', '{}');
            INSERT INTO activity (happened_at, actor, action, subject)
                VALUES ('2026-01-01', 'sentinelrater', 'pool', 'sentinelnote');
            """
        )


def _doubt(workspace: Workspace) -> None:
    """Every pair was sent to a blind re-check."""
    with workspace.store.write() as connection:
        pairs = pair_ids_of(connection, [(QUERY, f"d{n}") for n in range(N_DOCUMENTS)])
        new = [NewRecheck(pair_id, 0, 3) for pair_id in pairs.values()]
        add_rechecks(connection, new, "sentinelrecheck")


@pytest.fixture(scope="module")
def blind_address(
    browser: "Browser",  # noqa: ARG001 - no server where there is no browser
    blind_workspace: Workspace,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    with running_app(blind_workspace.root, tmp_path_factory.mktemp("log") / "server.log") as url:
        yield url


def frames_received(page: "Page") -> list[bytes | str]:
    """All that comes to the page from now on."""
    received: list[bytes | str] = []

    def keep(frame: bytes | str) -> None:
        received.append(frame)

    def listen(socket: "WebSocket") -> None:
        socket.on("framereceived", keep)

    page.on("websocket", listen)
    return received


def test_nothing_that_could_sway_is_in_the_page_or_comes_over_the_wire(
    page: "Page", blind_address: str
) -> None:
    received = frames_received(page)
    open_grading(page, blind_address, "Rita")
    for keys in ("2", "s", "x1", "u", "g3"):
        assert _sentinels_in(page.content()) == [], f"before {keys}"
        press(page, *keys)
    assert _sentinels_in(_wire(received)) == []


def test_the_list_of_a_whole_query_tells_no_more(page: "Page", blind_address: str) -> None:
    received = frames_received(page)
    open_grading(page, blind_address, "Dana", view="list")
    page.wait_for_selector(".gs-row.gs-focused .gs-grades")
    for key in ("1", "j", "x", "1", "u"):
        assert _sentinels_in(page.content()) == [], f"before {key}"
        page.keyboard.press(key)
    page.locator(".gs-list-bar .gs-last").filter(has_text="Undone").wait_for()
    assert _sentinels_in(page.content()) == []
    assert _sentinels_in(_wire(received)) == []


def test_neither_ones_own_grades_nor_the_way_back_to_a_pair_tell_more(
    page: "Page", blind_address: str
) -> None:
    received = frames_received(page)
    open_grading(page, blind_address, "Rita")
    press(page, "1")
    page.get_by_role("link", name="My grades").click()
    page.locator(".gs-entry").first.wait_for()
    seen = page.content()
    page.get_by_role("link", name="Open on the grade page").first.click()
    page.wait_for_selector("[data-pair]:not([data-pair=''])", state="attached")
    assert page.locator(".gs-own").inner_text().startswith("1")
    seen += page.url + page.content()
    page.keyboard.press("l")
    page.wait_for_selector(".gs-row")
    assert "query=" in page.url
    assert _sentinels_in(seen + page.url + page.content() + _wire(received)) == []
    open_grading(page, blind_address, "Rita", pair=str(FIRST_PAIR))
    wait_for_words(page, "names no pair of yours")


def test_what_a_pair_is_called_does_not_tell_its_place_in_the_pool(
    blind_address: str, blind_workspace: Workspace
) -> None:
    with app_client(blind_address, "Rita") as client:
        told = json.dumps(client.bar)
    pair = next_pair(blind_workspace, "Rita")
    assert pair is not None
    assert client.pair == name_in_page("Rita", pair)
    # Were pairs numbered otherwise, this one would still be called so.
    assert name_in_page("Rita", replace(pair, pair_id=pair.pair_id + 1)) == client.pair
    assert '"pair_id"' not in told


def _wire(received: list[bytes | str]) -> str:
    frames = (frame if isinstance(frame, bytes) else frame.encode() for frame in received)
    return b"".join(frames).decode("utf-8", "replace")


def _sentinels_in(text: str) -> list[str]:
    return [sentinel for sentinel in SENTINELS if sentinel in text]
