"""Guidelines on the page: safe whatever they say, written by analysts, read by everybody."""

import re

import pytest

from builder.judging.guidelines import current_guidelines, line_diff, save_guidelines
from builder.people import ensure_person
from builder.workspace import GUIDELINES, Workspace
from tests.ui.conftest import OpenApp
from ui.guidelines import diff_html, guidelines_html, local_time

OURS = re.compile(r"</?(div|h[2-4]|p|ul|ol|li|b|span|strong|br)( (class|dir)=\"[\w -]+\")?>")


def bare(html: str) -> str:
    """What is left once our own tags are taken away: no other tag may be."""
    return OURS.sub("", html)


def test_the_first_guidelines_read_well() -> None:
    html = guidelines_html(GUIDELINES)
    assert '<h2 dir="auto">How we grade</h2>' in html
    assert "<b>3</b><span>highly relevant: it answers" in html
    assert html.count("<p ") == 2
    assert "<" not in bare(html)


def test_forms_of_lines() -> None:
    html = guidelines_html("# A\n## B\n- one\n* two\n1. first\n2) second\n\nHead\nline.\n**x** y.")
    assert html == (
        '<div class="gs-rules"><h2 dir="auto">A</h2><h3 dir="auto">B</h3>'
        '<ul><li dir="auto">one</li><li dir="auto">two</li></ul>'
        '<ol><li dir="auto">first</li><li dir="auto">second</li></ol>'
        '<p dir="auto">Head<br>line.<br><strong>x</strong> y.</p></div>'
    )


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "# <img src=x onerror=alert(1)>",
        "- ![i](http://127.0.0.1:9/i.png)",
        "3 - <b onclick=x>bold</b>",
        "**<iframe>**",
        '1. "><svg/onload=alert(1)>',
        "[link](javascript:alert(1))",
        "\ud800 half \0",
        "**" * 500,
        "#" * 100,
    ],
)
def test_nothing_in_it_becomes_markup(hostile: str) -> None:
    html = guidelines_html(f"{hostile}\n\n{hostile} and {hostile}")
    assert "<" not in bare(html)
    html.encode("utf-8")


def test_a_comparison_is_safe_and_says_more_than_colours() -> None:
    html = diff_html(line_diff("a\n<b>", "a\n<i>"))
    assert "&lt;b&gt;" in html
    assert "removed: " in html
    assert "added: " in html


def test_times_are_those_of_the_workspace() -> None:
    assert local_time("2026-11-30T23:30:00.000000+00:00", "Europe/Berlin") == "1 Dec 2026, 00:30"


def test_an_analyst_edits(filled_workspace: Workspace, open_app: OpenApp) -> None:
    app = open_app(filled_workspace.root)
    app.query_params["rater"] = "Dana"
    app = app.switch_page("ui/pages/guidelines.py").run()
    app.button(key="edit_guidelines").click().run()
    assert app.text_area(key="guidelines_text").value == GUIDELINES
    app.text_area(key="guidelines_text").set_value("Be kind.").run()
    app.text_input(key="guidelines_note").set_value("shorter").run()
    next(button for button in app.button if button.label.startswith("Save")).click().run()
    assert not app.exception
    found = current_guidelines(filled_workspace)
    assert (found.version, found.text) == (2, "Be kind.\n")
    assert any("Saved as version 2" in str(html.proto.body) for html in app.get("html"))
    assert not [area for area in app.text_area if area.key == "guidelines_text"]


def test_who_saves_second_keeps_the_text(filled_workspace: Workspace, open_app: OpenApp) -> None:
    app = open_app(filled_workspace.root)
    app.query_params["rater"] = "Dana"
    app = app.switch_page("ui/pages/guidelines.py").run()
    app.button(key="edit_guidelines").click().run()
    app.text_area(key="guidelines_text").set_value("Mine.").run()
    save_guidelines(filled_workspace, "Theirs.", "", None, base_version=1)
    next(button for button in app.button if button.label.startswith("Save")).click().run()
    assert any("changed meanwhile" in str(html.proto.body) for html in app.get("html"))
    assert app.text_area(key="guidelines_text").value == "Mine."
    assert current_guidelines(filled_workspace).text == "Theirs.\n"


def test_a_rater_reads_only(filled_workspace: Workspace, open_app: OpenApp) -> None:
    ensure_person(filled_workspace, "Ben")
    app = open_app(filled_workspace.root)
    app.query_params["rater"] = "Ben"
    app = app.switch_page("ui/pages/guidelines.py").run()
    assert not app.exception
    assert any("How we grade" in str(html.proto.body) for html in app.get("html"))
    assert not [button for button in app.button if button.key == "edit_guidelines"]
