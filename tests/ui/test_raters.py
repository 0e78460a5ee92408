"""The page Raters: one row each, flags with their sentence, and leaving out with a reason."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from builder.activity import read_activity
from builder.judging.trust import current_trust
from builder.people import add_person, deactivate, ensure_person
from builder.people.excluding import exclude_rater, find_exclusion
from builder.workspace import Workspace
from tests.ui.conftest import OpenApp
from tests.ui.test_agreement import HOSTILE, give, links, make_pool, pool, words
from tests.workspaces import copied
from ui.raters import STILL_GRADES, bias_in_words, blocks, ordered, rater_row

__all__ = ["pool"]


@pytest.fixture
def graded(tmp_path: Path) -> Iterator[Workspace]:
    """Ben and Dana agree on 72 pairs; Lena grades each a grade higher, where there is one."""
    with copied(_graded, tmp_path / "graded") as workspace:
        yield workspace


def _graded(folder: Path) -> Workspace:
    pool = make_pool(folder)
    ensure_person(pool, "Lena")
    for pair_id in range(1, 73):
        give(pool, pair_id, "Dana", pair_id % 4)
        give(pool, pair_id, "Ben", (pair_id + (pair_id % 9 == 0)) % 4)
        give(pool, pair_id, "Lena", min(3, pair_id % 4 + 1))
    return pool


def raters(
    open_app: OpenApp, workspace: Workspace, person: str = "Dana", **address: str
) -> AppTest:
    app = open_app(workspace.root)
    app.session_state["person"] = person
    app = app.switch_page("ui/pages/raters.py")
    for name, value in address.items():
        app.query_params[name] = value
    app = app.run()
    assert not app.exception
    return app


def test_each_rater_has_a_row_and_a_flag_its_sentence(graded: Workspace, open_app: OpenApp) -> None:
    profiles = current_trust(graded)["raters"]
    (lena,) = [profile for profile in profiles if profile["rater"] == "Lena"]
    (flag,) = [flag for flag in lena["flags"] if flag["code"] == "lenient"]
    app = raters(open_app, graded)
    page = words(app)
    assert links(app) == ["Pairs where Lena is farthest from the others"]
    assert flag["sentence"].replace("'", "&#x27;") in page
    assert "1 of 3 raters stand out: Lena." in page
    assert [ordered(profiles)[0]["rater"]] == ["Lena"]
    assert rater_row(lena)[1] == "72"
    assert "0: 0, 1: 18, 2: 18, 3: 36" in rater_row(lena)[3]


def test_the_address_names_the_rater_in_detail(graded: Workspace, open_app: OpenApp) -> None:
    app = raters(open_app, graded, profile="Lena")
    assert app.selectbox(key="profile").value == "Lena"
    page = words(app)
    assert "Against the others&#x27; grades" in page
    assert "144 comparisons" in page
    assert "Week by week" in page
    assert "gs-confusion" not in words(raters(open_app, graded))


def test_a_rater_is_left_out_with_a_reason_and_taken_back(
    graded: Workspace, open_app: OpenApp
) -> None:
    assert "stands out" in current_trust(graded)["agreement"]["verdict"]["next"].lower()
    app = raters(open_app, graded, profile="Lena")
    app.button(key="exclude_rater").click().run()
    page = words(app)
    assert page.count("A reason is needed") == 1
    assert page.count('role="alert"') == 1
    assert page.index("Leave out of aggregation") < page.index('role="alert"')
    assert 'role="alert"' not in words(app.run())
    assert find_exclusion(graded, "Lena") is None
    app.text_input(key="exclude_reason_Lena").set_value(f"too kind {HOSTILE}").run()
    app.button(key="exclude_rater").click().run()
    assert not app.exception
    exclusion = find_exclusion(graded, "Lena")
    assert exclusion is not None
    assert (exclusion.reason, exclusion.by) == (f"too kind {HOSTILE}", "Dana")
    page = words(app)
    assert "Lena is left out." in page
    assert "stands out" not in current_trust(graded)["agreement"]["verdict"]["next"].lower()
    assert "too kind &lt;script&gt;" in page
    assert "<script" not in page
    assert page.count(STILL_GRADES) == 2
    assert page.index("Left out, here beside") < page.index("gs-flag")
    assert links(app).count("Deactivate on People") == 2
    app.button(key="include_rater").click().run()
    assert find_exclusion(graded, "Lena") is None
    done = [(e.actor, e.action) for e in read_activity(graded).entries]
    assert done[:2] == [("Dana", "rater.include"), ("Dana", "rater.exclude")]


def test_who_is_left_out_or_deactivated_is_marked(graded: Workspace, open_app: OpenApp) -> None:
    dana = ensure_person(graded, "Dana")
    deactivate(graded, "Ben", dana)
    exclude_rater(graded, "Lena", "too kind", dana)
    page = words(raters(open_app, graded))
    assert "<bdi>Ben</bdi><small><bdi>deactivated</bdi>" in page
    assert page.count("deactivated") == 1
    deactivate(graded, "Lena", dana)
    app = raters(open_app, graded, profile="Lena")
    assert STILL_GRADES not in words(app)
    assert "Lena is deactivated." in words(app)
    assert "Deactivate on People" not in links(app)


def test_the_way_to_people_is_for_admins(graded: Workspace, open_app: OpenApp) -> None:
    add_person(graded, "Ana", "analyst", None)
    exclude_rater(graded, "Lena", "too kind", None)
    app = raters(open_app, graded, person="Ana")
    assert STILL_GRADES in words(app)
    assert "Deactivate on People" not in links(app)


def test_only_flagged_raters_stand_in_a_block_of_their_own() -> None:
    flags = {"a": 1, "b": 2, "c": 0, "d": 0, "X": 0, "Y": 1, "Z": 0}
    profiles: list[dict[str, Any]] = [
        {"rater": name, "flags": [{}] * n, "excluded": "why" if name.isupper() else None}
        for name, n in flags.items()
    ]
    assert ["".join(row["rater"] for row in block) for block in blocks(profiles)] == [
        *("a", "b", "cd", "X", "Y", "Z")
    ]


def test_before_anybody_graded_the_page_names_the_next_step(
    pool: Workspace, open_app: OpenApp
) -> None:
    app = raters(open_app, pool)
    assert "Nobody has graded yet." in words(app)
    assert "Grade pairs" in links(app)


def test_a_lone_rater_has_words_for_numbers(pool: Workspace, open_app: OpenApp) -> None:
    give(pool, 1, "Ben", 2)
    page = words(raters(open_app, pool, profile="Ben"))
    assert "There is nobody to compare with." in page
    assert "undefined" in page
    assert "Nobody else graded the same pairs." in page


def test_raters_see_neither_page(graded: Workspace, open_app: OpenApp) -> None:
    add_person(graded, "Rae", "rater", None)
    app = open_app(graded.root)
    app.session_state["person"] = "Rae"
    for page in ("agreement", "raters"):
        shown = words(app.switch_page(f"ui/pages/{page}.py").run())
        assert "It takes the role analyst" in shown
        assert "Lena" not in shown


@pytest.mark.parametrize(
    ("mean", "low", "high", "said"),
    [
        (0.42, 0.3, 0.5, "0.4 higher than the others"),
        (-0.42, -0.5, -0.3, "0.4 lower than the others"),
        (0.2, -0.1, 0.5, "0.2 higher than the others, perhaps by chance"),
        (0.01, -0.1, 0.1, "like the others"),
        (None, None, None, "undefined"),
    ],
)
def test_bias_in_words(
    mean: float | None, low: float | None, high: float | None, said: str
) -> None:
    assert bias_in_words({"value": mean, "low": low, "high": high}) == said
