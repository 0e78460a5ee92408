"""The way from the log and the leaderboard to the queue, in a real browser; the store is asked."""

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from benchmarks.app_server import running_app
from builder.evaluation import evaluate_models
from builder.evaluation.holes import find_holes
from builder.export import export_task
from builder.importers import import_corpus, import_judgments, import_queries
from builder.people import ensure_person
from builder.pooling import list_poolings
from builder.store.pool import count_pairs, pool_by_source
from builder.workspace import Workspace, init_workspace
from online.ingest import import_events
from tests.browser.conftest import HOSTILE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

N_DOCUMENTS = 12
GRADED = 4
"""Documents of each query that are graded; bm25 finds ten of twelve."""


@pytest.fixture(scope="module")
def pooled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Twelve documents, two queries, eight grades, a released task, and a log with clicks."""
    root = tmp_path_factory.mktemp("pooled") / "workspace"
    with init_workspace(root, "pooled") as workspace:
        ensure_person(workspace, "Dana")
        documents = [
            {"_id": f"d{n:02}", "title": HOSTILE, "text": f"red blue {n}"}
            for n in range(N_DOCUMENTS)
        ]
        queries = [{"_id": "q1", "text": f"red {HOSTILE}"}, {"_id": "q2", "text": "blue"}]
        files = {
            "corpus": [json.dumps(document) for document in documents],
            "queries": [json.dumps(query) for query in queries],
            "qrels": [f"q{1 + n % 2}\td{n // 2:02}\t{n % 4}" for n in range(2 * GRADED)],
            "events": [json.dumps(a_search(n)) for n in range(42)],
        }
        places = {name: root / f"{name}.in" for name in files}
        for name, lines in files.items():
            places[name].write_text("\n".join(lines), encoding="utf-8")
        import_corpus(workspace, places["corpus"])
        import_queries(workspace, places["queries"])
        import_judgments(workspace, places["qrels"], rater="pool maker")
        import_events(
            workspace.lake, places["events"], quarantine_folder=workspace.quarantine_folder
        )
        export_task(workspace, "shop")
        evaluate_models(workspace, ["bm25"], ["custom/shop"])
        yield workspace


def a_search(n: int) -> dict[str, object]:
    """Twelve look for blue, pass over d10 and click d11; thirty look for green and click the first.

    So 12 x 30/42 clicks are expected on d10, and none came: that is surely too few.
    """
    blue = n < 12
    return {
        "timestamp": f"2026-11-10T12:00:{n:02}Z",
        "query": "Blue" if blue else "green",
        "session_id": f"s{n}",
        "model_version": "bm25",
        "retrieved_doc_ids": ["d10", "d11"],
        "clicked_doc_id": "d11" if blue else "d10",
        "click_rank": 2 if blue else 1,
    }


@pytest.fixture(scope="module")
def site(
    browser: "Browser",  # noqa: ARG001 - no server where there is no browser
    pooled: Workspace,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    with running_app(pooled.root, tmp_path_factory.mktemp("log") / "server.log") as url:
        yield url


def sources_of(workspace: Workspace) -> dict[str, int]:
    with workspace.store.read() as connection:
        return pool_by_source(connection)


def pairs_in(workspace: Workspace) -> int:
    with workspace.store.read() as connection:
        return count_pairs(connection)


def preview_until(page: "Page", shown: "Locator") -> None:
    """Press Preview, once more where the redraw of a choice took the button away."""
    from playwright.sync_api import TimeoutError as PlaywrightTimeout

    for _ in range(3):
        page.get_by_role("button", name="Preview").click()
        try:
            shown.wait_for(timeout=30_000)
        except PlaywrightTimeout:
            continue
        return
    shown.wait_for()


def test_what_is_previewed_is_pooled_and_taken_back(
    page: "Page", site: str, pooled: Workspace
) -> None:
    before, sources = pairs_in(pooled), sources_of(pooled)
    page.goto(f"{site}/pool?rater=Dana")
    page.get_by_label("Remove minilm").click()
    button = page.get_by_role("button", name=re.compile(r"^Pool \d+ pairs$"))
    preview_until(page, button)
    assert pairs_in(pooled) == before
    assert list_poolings(pooled) == []
    told = re.search(r"\d+", button.inner_text())
    assert told is not None
    button.click()
    page.get_by_text(f"{told[0]} pairs joined the pool.").wait_for()
    (filling,) = list_poolings(pooled)
    assert pairs_in(pooled) == before + int(told[0])
    assert (filling.created_by, filling.outcome["pairs_added"]) == ("Dana", int(told[0]))
    # The query blue is the users' Blue: what they clicked and what they passed over came in.
    assert sources_of(pooled) == {**sources, "bm25": 20, "clicks": 1, "skipped": 1}

    page.get_by_role("button", name="Take back").click()
    page.get_by_text("that only this filling brought").wait_for()
    assert list_poolings(pooled)[0].stands
    page.get_by_role("button", name="Take it back").click()
    page.get_by_text("is taken back.").wait_for()
    assert pairs_in(pooled) == before
    assert not {"clicks", "skipped"} & set(sources_of(pooled))
    assert list_poolings(pooled)[0].taken_back_by == "Dana"
    assert page.title() != "owned"


def test_unjudged_documents_are_sent_to_the_queue(
    page: "Page", site: str, pooled: Workspace
) -> None:
    holes = find_holes(pooled).holes
    assert len(holes) > GRADED
    before = pairs_in(pooled)
    page.goto(f"{site}/leaderboard?rater=Dana")
    many = page.locator(".st-key-send_holes_row input")
    many.fill("3")
    many.press("Enter")
    page.get_by_role("button", name="Send 3 pairs to the queue").click()
    page.get_by_text("3 pairs were sent to the queue.").wait_for()
    assert pairs_in(pooled) == before + 3
    assert sources_of(pooled)["holes"] == 3
    assert [hole.doc_id for hole in find_holes(pooled).queued] == [
        hole.doc_id for hole in holes[:3]
    ]
    page.get_by_role("link", name="Make a release").wait_for()
    assert page.title() != "owned"
