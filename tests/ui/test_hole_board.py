"""Under a leaderboard: how much nobody judged, and whether that can change the order."""

from dataclasses import replace

import pytest

from builder.errors import NotAllowedError
from builder.evaluation import Contest, contests, evaluate_models, newest_with_results
from builder.evaluation.hole_job import holes_job
from builder.evaluation.holes import Hole, Holes, find_holes
from builder.export import export_task
from builder.workspace import Workspace
from tests.ui.conftest import OpenApp
from ui.hole_board import headline, winner_in_words
from ui.holes import holes_of

HOLE = Hole("q1", "d1", {"bm25": 3}, 0.01)
HOLES = Holes("shop@1", 1, 10, None, holes=[HOLE] * 3, winner="<b>one", winner_can_change=True)


@pytest.fixture
def contest(filled_workspace: Workspace) -> Contest:
    """bm25 on the release shop@1: six of the twelve documents that it finds are judged."""
    export_task(filled_workspace, "shop")
    evaluate_models(filled_workspace, ["bm25"], ["custom/shop"])
    found = newest_with_results(contests(filled_workspace))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("new", "queued", "said"),
    [
        (3, 0, "Nobody judged 3 documents in the models' top 10."),
        (0, 1, "Nobody judged 1 document in the models' top 10; 1 of them waits for grades"),
        (1, 2, "Nobody judged 3 documents in the models' top 10; 2 of them wait for grades"),
    ],
)
def test_how_much_nobody_judged(new: int, queued: int, said: str) -> None:
    holes = replace(HOLES, holes=[HOLE] * new, queued=[HOLE] * queued)
    assert headline(holes).startswith(said)


def test_whether_the_order_may_change() -> None:
    assert "may change the order: today <b>one is first" in winner_in_words(HOLES)
    assert winner_in_words(replace(HOLES, winner_can_change=False)).endswith("<b>one stays first.")
    assert winner_in_words(replace(HOLES, winner_can_change=None)) == ""


def test_holes_are_found_anew_when_something_changed(
    filled_workspace: Workspace, contest: Contest
) -> None:
    first = holes_of(filled_workspace, contest)
    assert first is not None
    assert holes_of(filled_workspace, contest) is first
    asked = {"actor": "Dana", "task": "custom/shop@1", "k": 10, "limit": 2}
    assert holes_job(filled_workspace, asked, lambda *_: None)["pairs_added"] == 2
    now = holes_of(filled_workspace, contest)
    assert now is not None
    assert (len(first.holes), len(now.holes), len(now.queued)) == (6, 4, 2)
    assert holes_of(filled_workspace, replace(contest, release=None)) is None
    with pytest.raises(NotAllowedError):
        holes_job(filled_workspace, {**asked, "actor": "Nobody"}, lambda *_: None)


@pytest.mark.usefixtures("contest")
def test_the_page_offers_to_send_the_strongest(
    open_app: OpenApp, filled_workspace: Workspace
) -> None:
    app = open_app(filled_workspace.root)
    app.session_state["person"] = "Dana"
    app = app.run().switch_page("ui/pages/leaderboard.py").run()
    assert not app.exception
    page = "".join(html.proto.body for html in app.get("html"))
    assert "Nobody judged 6 documents" in page
    assert page.count('class="gs-blocks gs-holes"') == 1
    assert app.button(key="send_holes").label == "Send 6 pairs to the queue"
    after = find_holes(filled_workspace).after(6)
    assert after == {"bm25": pytest.approx(1.0)}
    assert "1.000" in page
