"""Pictures and links of documents: drawn by the workspace's card, and they tell nobody who asks."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from benchmarks.app_server import running_app
from builder.importers import import_corpus, import_judgments, import_queries
from builder.people import ensure_person
from builder.workspace import SETTINGS_FILE, Workspace, init_workspace, open_workspace
from tests.browser.grading import open_grading

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

SITE = "http://pictures.invalid"
CARD = """
[card]
title = "{title}"
lines = ["{brand} - {price} EUR", "{nothing}"]
image = "{image_url}"
link = "{url}"
"""
DOCUMENTS: list[dict[str, object]] = [
    {"image_url": f"{SITE}/0.png", "url": "https://shop.invalid/?id=0&x=1", "brand": "<b>Acme</b>"},
    {"image_url": "javascript:alert(1)", "url": "javascript:alert(1)", "price": 3.5},
    {"image_url": f'{SITE}/2.png" onerror="alert(1)', "url": "data:text/html,x"},
]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    root = tmp_path_factory.mktemp("shop") / "workspace"
    init_workspace(root, "shop").close()
    settings = root / SETTINGS_FILE
    settings.write_text(settings.read_text("utf-8") + CARD, "utf-8")
    folder = root / "cache"
    folder.mkdir(exist_ok=True)
    corpus, queries, qrels = (folder / name for name in ("c.jsonl", "q.jsonl", "qrels.tsv"))
    documents = [
        {"_id": f"d{n}", "title": f"Lamp {n}", "text": "light", **document}
        for n, document in enumerate(DOCUMENTS)
    ]
    corpus.write_text("\n".join(map(json.dumps, documents)), "utf-8")
    queries.write_text(json.dumps({"_id": "q", "text": "lamp"}), "utf-8")
    qrels.write_text("\n".join(f"q\td{n}\t0" for n in range(len(DOCUMENTS))), "utf-8")
    with open_workspace(root) as workspace:
        import_corpus(workspace, corpus)
        import_queries(workspace, queries)
        import_judgments(workspace, qrels, rater="pool maker")
        ensure_person(workspace, "Dana")
        yield workspace


@pytest.fixture(scope="module")
def shop_address(
    browser: "Browser",  # noqa: ARG001 - no server where there is no browser
    shop: Workspace,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    with running_app(shop.root, tmp_path_factory.mktemp("log") / "server.log") as url:
        yield url


@pytest.mark.parametrize("view", ["", "list"])
def test_a_picture_is_asked_for_without_a_referrer(
    page: "Page", shop_address: str, view: str
) -> None:
    asked: list[tuple[str, str | None]] = []

    def answer(route: "Route") -> None:
        asked.append((route.request.url, route.request.headers.get("referer")))
        route.abort()

    page.route(lambda url: not url.startswith((shop_address, "data:", "blob:")), answer)
    with page.expect_request(f"{SITE}/0.png"):
        open_grading(page, shop_address, "Dana", view=view, pair="1")
    assert set(asked) == {(f"{SITE}/0.png", None)}


def test_only_addresses_of_the_web_are_drawn(page: "Page", shop_address: str) -> None:
    open_grading(page, shop_address, "Dana", view="list")
    page.wait_for_selector(".gs-row.gs-focused .gs-grades")
    links = page.locator(".gs-doc a")
    assert links.count() == 1
    assert links.get_attribute("href") == "https://shop.invalid/?id=0&x=1"
    assert links.get_attribute("target") == "_blank"
    assert links.get_attribute("rel") == "noopener noreferrer"
    pictures = page.locator(".gs-doc img")
    assert pictures.count() == 1
    assert pictures.get_attribute("onerror") is None
    lines = page.locator(".gs-line").all_inner_texts()
    assert sorted(lines) == ["- 3.5 EUR", "<b>Acme</b> - EUR", "Open shop.invalid"]
