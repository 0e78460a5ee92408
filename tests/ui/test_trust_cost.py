"""What disagreement costs, on the page: the sentence first, then who moves what."""

import time
from collections.abc import Iterator

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from builder.crosscheck import keeping
from builder.jobs import read_job
from builder.people import ensure_person
from builder.workspace import Workspace
from tests.builder.crosscheck.conftest import TASK, disputed, grade, keep, release, workspace
from tests.ui.conftest import OpenApp
from ui.jobs import latest_job

__all__ = ["disputed", "workspace"]

HOSTILE = "<img src=x> :red[x]"
SECONDS = 60


def draw() -> None:
    """The section alone, as the page draws it."""
    from ui import state
    from ui.trust_cost import draw_cost

    draw_cost(state.current_workspace())


@pytest.fixture
def section(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[AppTest]:
    monkeypatch.setenv("GOLDSMITH_WORKSPACE", str(workspace.root))
    yield AppTest.from_function(draw, default_timeout=SECONDS)
    st.cache_resource.clear()


def markup(app: AppTest) -> str:
    assert not app.exception
    return "".join(html.proto.body for html in app.get("html"))


@pytest.mark.usefixtures("disputed")
def test_the_sentence_comes_first(section: AppTest) -> None:
    first, *_ = (html.proto.body for html in section.run().get("html"))
    assert "grades alone two comes first, not one (0.203 apart)" in first
    assert "Settle the disputed pairs" in first


@pytest.mark.usefixtures("disputed")
def test_who_moves_what(section: AppTest) -> None:
    html = markup(section.run())
    assert "with everybody&#x27;s grades: one" in html
    assert "same winner with everybody&#x27;s grades" in html
    assert "\u22120.203" in html
    assert "+0.203" in html
    assert "0.333" in html
    assert "n = 3 models" in html
    assert html.count('<th scope="row"><bdi>cy</bdi></th>') == 4


def test_names_are_text(disputed: Workspace, section: AppTest) -> None:
    grade(disputed, HOSTILE, {"d1": 2, "d2": 1})
    release(disputed)
    keep(disputed, HOSTILE, ("d1",))
    html = markup(section.run())
    assert "<img" not in html
    assert "&lt;img src=x&gt;" in html


def test_a_rater_who_cannot_be_compared_is_listed_with_the_reason(
    disputed: Workspace, section: AppTest
) -> None:
    grade(disputed, "dee", {"d1": 2}, ["q00", "q01"])
    release(disputed)
    html = markup(section.run())
    assert "2 queries can be compared, 20 are needed" in html
    assert "Not compared: dee (2 queries; 20 are needed)." in html


def test_with_several_tasks_one_is_chosen(disputed: Workspace, section: AppTest) -> None:
    assert not section.run().selectbox
    keep(disputed, "one", ("d1", "d2"), task="draft")
    html = markup(section.run())
    assert section.selectbox(key="cost_task").options == ["draft: the grades of this moment", TASK]
    assert "one is the only model" in html
    assert "Kendall" in markup(section.selectbox(key="cost_task").set_value(TASK).run())


def test_what_is_left_out_is_said(disputed: Workspace, section: AppTest) -> None:
    grade(disputed, "ann", {"d6": 3}, ["q00"])
    html = markup(section.run())
    assert "Not compared: 1 time a pair that is not in the task." in html


def test_a_large_workspace_is_compared_by_a_job(
    disputed: Workspace, section: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "INLINE_DOCUMENTS", 1)
    ensure_person(disputed, "Dana")
    section.session_state["person"] = "Dana"
    assert "comes first" not in markup(section.run())
    section.button(key="cost_compare").click().run()
    job = latest_job(disputed, keeping.JOB)
    assert job is not None
    assert job.parameters == {"task": TASK}
    while job.active:
        time.sleep(0.1)
        job = read_job(disputed, job.job_id)
    assert "two comes first, not one" in markup(section.run())
    assert not section.button
    grade(disputed, "ann", {"d6": 3})
    assert "grades or models have changed since" in markup(section.run())
    assert section.button(key="cost_compare").label == "Compare again"


def test_without_models_the_page_names_the_way(workspace: Workspace, open_app: OpenApp) -> None:
    for rater in ("ann", "bob"):
        grade(workspace, rater, {"d1": 3, "d2": 1})
    ensure_person(workspace, "Dana")
    app = open_app(workspace.root)
    app.session_state["person"] = "Dana"
    html = markup(app.run().switch_page("ui/pages/agreement.py").run())
    assert "No model was evaluated yet" in html
    assert "leaderboard" in [link.proto.page for link in app.get("page_link")]
