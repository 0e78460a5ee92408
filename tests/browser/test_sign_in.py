"""Who comes in, in a real browser: names, links, roles, and the header of a real request."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from benchmarks.app_server import running_app
from builder.importers import import_corpus, import_judgments, import_queries
from builder.people import (
    add_person,
    deactivate,
    ensure_person,
    find_active,
    new_invite,
    people_to_pick,
)
from builder.store.judgments import GradeRow
from builder.workspace import SETTINGS_FILE, Workspace, init_workspace, open_workspace
from tests.browser.grading import FIRST_LOOK_MS, open_grading

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HEADER = "X-Auth-Request-Email"
MENU = "[data-testid='stSidebarNavLink']"


def menu(page: "Page") -> list[str]:
    page.locator(MENU).first.wait_for()
    return [title.split("\n")[-1] for title in page.locator(MENU).all_inner_texts()]


def said(page: "Page", words: str) -> None:
    page.get_by_text(words).first.wait_for()


# Names


def test_a_new_name_is_typed_and_arrives_at_the_grades(
    page: "Page", address: str, workspace: Workspace
) -> None:
    page.goto(address)
    said(page, "Who are you?")
    assert page.locator(MENU).count() == 0
    page.get_by_label("Your name, if you are new here").fill("Typed at the door")
    page.get_by_role("button", name="Join").click()
    page.wait_for_selector("[data-pair]", state="attached")
    assert urlsplit(page.url).path == "/grade"
    assert parse_qs(urlsplit(page.url).query) == {"rater": ["Typed at the door"]}
    person = find_active(workspace, "Typed at the door")
    assert person is not None
    assert person.role == "rater"
    page.reload()
    page.wait_for_selector("[data-pair]", state="attached")


def test_who_signs_in_at_a_page_stays_there(page: "Page", address: str) -> None:
    page.goto(f"{address}/pool")
    said(page, "Who are you?")
    page.get_by_label("Your name", exact=True).click()
    page.get_by_role("option", name="Dana", exact=True).click()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Preview").wait_for()
    assert urlsplit(page.url).path == "/pool"


def test_somebody_else_sits_down(page: "Page", address: str) -> None:
    page.goto(f"{address}/overview?rater=Dana")
    page.get_by_role("button", name="Someone else").click()
    said(page, "Who are you?")
    assert page.locator(MENU).count() == 0
    assert "rater" not in page.url


# Roles


def test_a_rater_sees_the_section_grade_only(page: "Page", address: str, rater: str) -> None:
    page.goto(f"{address}/?{urlencode({'rater': rater})}")
    page.wait_for_selector("[data-pair]", state="attached")
    titles = menu(page)
    assert titles[0] == "Grade"
    assert not {"Overview", "Import", "Release", "Dashboard", "People", "Activity"} & set(titles)


@pytest.mark.parametrize(
    ("path", "role"), [("people", "admin"), ("activity", "admin"), ("release", "analyst")]
)
def test_a_rater_who_opens_another_page_is_told_which_role_it_takes(
    page: "Page", address: str, rater: str, path: str, role: str
) -> None:
    page.goto(f"{address}/{path}?{urlencode({'rater': rater})}")
    said(page, f"It takes the role {role}, and yours is rater.")
    assert page.get_by_text("Page not found").count() == 0
    main = page.locator("[data-testid='stMain']")
    assert main.get_by_role("button").count() == 0
    main.get_by_role("link", name="Grade").click()
    page.wait_for_selector("[data-pair]", state="attached")


def test_an_admin_sees_everything(page: "Page", address: str) -> None:
    page.goto(f"{address}/people?rater=Dana")
    assert {"Overview", "Grade", "Import", "Release", "People", "Activity"} <= set(menu(page))


# Links


def test_a_link_is_made_copied_and_opened(
    page: "Page", browser: "Browser", address: str, workspace: Workspace
) -> None:
    page.goto(f"{address}/people?rater=Dana")
    page.get_by_label("Name", exact=True).fill("Invited One")
    page.get_by_role("button", name="Add", exact=True).click()
    said(page, "Send this link to")
    link = page.locator("[data-testid='stCode'] code").inner_text()
    assert link.startswith(f"{address}/?invite=")
    context = browser.new_context()
    guest = context.new_page()
    guest.goto(link)
    guest.wait_for_selector("[data-pair]", state="attached")
    assert urlsplit(guest.url).path == "/grade"
    assert parse_qs(urlsplit(guest.url).query) == {"rater": ["Invited One"]}
    context.close()
    person = find_active(workspace, "Invited One")
    assert person is not None
    assert person.role == "rater"


def test_a_link_of_somebody_who_was_let_go_says_why(
    page: "Page", address: str, workspace: Workspace, rater: str
) -> None:
    token = new_invite(workspace, rater, None)
    deactivate(workspace, rater, None)
    page.goto(f"{address}/grade?invite={token}")
    said(page, "is not active here any more")
    assert page.locator("[data-pair]").count() == 0
    page.wait_for_function("() => !location.search.includes('invite')")


# Deactivated while at work


def test_who_is_let_go_while_grading_stores_nothing_more(
    page: "Page",
    address: str,
    workspace: Workspace,
    rater: str,
    grades_of: Callable[[str], list[GradeRow]],
) -> None:
    open_grading(page, address, rater)
    deactivate(workspace, rater, None)
    page.wait_for_timeout(FIRST_LOOK_MS)
    page.keyboard.press("2")
    said(page, "Ask an admin")
    assert grades_of(rater) == []
    page.reload()
    said(page, "Who are you?")
    assert page.locator("[data-pair]").count() == 0


def test_an_admin_who_is_let_go_changes_nothing_more(
    page: "Page", address: str, workspace: Workspace
) -> None:
    for name in ("Second Admin", "Victim"):
        add_person(workspace, name, "admin" if name == "Second Admin" else "rater", None)
    page.goto(f"{address}/people?{urlencode({'rater': 'Second Admin', 'whom': 'Victim'})}")
    # By the keyboard: the page grows while it is drawn, and a pointer may miss what moved.
    page.get_by_role("button", name="Deactivate").press("Enter")
    last = page.get_by_role("button", name="Deactivate Victim")
    last.wait_for()
    deactivate(workspace, "Second Admin", None)
    last.press("Enter")
    said(page, "is not active here any more")
    said(page, "Who are you?")
    assert find_active(workspace, "Victim") is not None


# The proxy's header


@pytest.fixture(scope="module")
def behind_proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace whose settings name a header; ann@example.org is its admin."""
    root = tmp_path_factory.mktemp("proxy") / "workspace"
    init_workspace(root, "proxy").close()
    settings = root / SETTINGS_FILE
    text = settings.read_text(encoding="utf-8")
    settings.write_text(f'{text}\n[sign_in]\nheader = "{HEADER}"\n', encoding="utf-8")
    with open_workspace(root) as opened:
        ensure_person(opened, "ann@example.org")
        fill(opened, opened.cache_folder)
        yield opened


def fill(workspace: Workspace, folder: Path) -> None:
    ids = [f"d{n}" for n in range(5)]
    documents = [json.dumps({"_id": i, "title": "t", "text": "x"}) for i in ids]
    (folder / "corpus.jsonl").write_text("\n".join(documents))
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "x"}')
    (folder / "qrels.tsv").write_text("\n".join(f"q\t{i}\t1" for i in ids))
    import_corpus(workspace, folder / "corpus.jsonl")
    import_queries(workspace, folder / "queries.jsonl")
    import_judgments(workspace, folder / "qrels.tsv", rater="pool maker")


@pytest.fixture(scope="module")
def proxied(
    browser: "Browser",  # noqa: ARG001 - no server where there is no browser
    behind_proxy: Workspace,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    log = tmp_path_factory.mktemp("log") / "server.log"
    with running_app(behind_proxy.root, log) as url:
        yield url


@pytest.fixture
def through_proxy(browser: "Browser") -> Iterator[Callable[[dict[str, str]], "Page"]]:
    """A page whose every request, the websocket's too, carries these headers."""
    contexts = []

    def opened(headers: dict[str, str]) -> "Page":
        contexts.append(browser.new_context(extra_http_headers=headers))
        return contexts[-1].new_page()

    yield opened
    for context in contexts:
        context.close()


def test_the_header_of_the_request_says_who_it_is(
    through_proxy: Callable[[dict[str, str]], "Page"], proxied: str, behind_proxy: Workspace
) -> None:
    page = through_proxy({HEADER.upper(): "Bob@Example.org"})
    page.goto(f"{proxied}/?rater=ann%40example.org")
    page.wait_for_selector("[data-pair]", state="attached")
    said(page, "named by the proxy")
    assert "rater" not in page.url
    assert page.get_by_role("button", name="Someone else").count() == 0
    assert {(p.name, p.role) for p in people_to_pick(behind_proxy)} >= {
        ("ann@example.org", "admin"),
        ("Bob@Example.org", "rater"),
    }
    page.keyboard.press("2")
    page.wait_for_function("() => /saved/.test(document.body.innerText)")
    again = through_proxy({HEADER: "bob@example.org"})
    again.goto(f"{proxied}/my-grades")
    said(again, "Bob@Example.org")
    assert len([p for p in people_to_pick(behind_proxy) if p.name.lower().startswith("bob")]) == 1


def test_an_admin_behind_the_proxy_sees_everything(
    through_proxy: Callable[[dict[str, str]], "Page"], proxied: str
) -> None:
    page = through_proxy({HEADER: "ann@example.org"})
    page.goto(proxied)
    page.wait_for_selector(".gs-step")
    assert {"Overview", "Grade", "People"} <= set(menu(page))


@pytest.mark.parametrize("headers", [{}, {HEADER: " "}, {"X-Other": "ann@example.org"}])
def test_without_the_header_nobody_comes_in(
    through_proxy: Callable[[dict[str, str]], "Page"],
    proxied: str,
    behind_proxy: Workspace,
    headers: dict[str, str],
) -> None:
    token = new_invite(behind_proxy, "ann@example.org", None)
    page = through_proxy(headers)
    for address in ("", "people?rater=ann%40example.org", f"grade?invite={token}"):
        page.goto(f"{proxied}/{address}")
        said(page, "The proxy did not say who you are.")
        said(page, HEADER)
        assert page.locator(MENU).count() == 0
        assert page.locator("input, [data-pair]").count() == 0
        page.wait_for_function("() => location.search === ''")


def test_somebody_let_go_is_told_so_behind_the_proxy(
    through_proxy: Callable[[dict[str, str]], "Page"], proxied: str, behind_proxy: Workspace
) -> None:
    add_person(behind_proxy, "cid@example.org", "rater", None)
    deactivate(behind_proxy, "cid@example.org", None)
    page = through_proxy({HEADER: "cid@example.org"})
    page.goto(proxied)
    page.get_by_text(re.compile("not active here any more")).wait_for()
    assert page.locator(MENU).count() == 0
