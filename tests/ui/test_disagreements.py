"""Where people do not agree, of one rater: the address names whom, and the pages of Trust lead on.

What is listed, and in which order, is tested in tests/builder/judging/test_disagreement_list.py.
"""

import pytest
from streamlit.testing.v1 import AppTest

from builder.people import ensure_person
from builder.people.excluding import exclude_rater
from builder.workspace import Workspace
from tests.ui.conftest import OpenApp
from tests.ui.test_agreement import HOSTILE, agreement, give, graded, pool, words
from tests.ui.test_raters import raters

__all__ = ["graded", "pool"]

NAME = ":red[x] [a](b)"


@pytest.fixture
def lena(graded: Workspace) -> Workspace:
    """Beside Ben and Dana, Lena graded twelve pairs, each as high as can be; two agree with all."""
    ensure_person(graded, "Lena")
    for pair_id in range(1, 13):
        give(graded, pair_id, "Lena", 3)
    return graded


def addresses(app: AppTest) -> list[tuple[str, str]]:
    """Where the links to pages lead: label, and what the address asks for."""
    return [(str(link.proto.label), str(link.proto)) for link in app.get("page_link")]


def test_the_address_says_whose_pairs(lena: Workspace, open_app: OpenApp) -> None:
    app = agreement(open_app, lena, of="Lena")
    assert app.selectbox(key="of").value == "Lena"
    page = words(app)
    assert "those where Lena is farthest from the mean of the others first" in page
    first = page[page.index("gs-dissent") :]
    places = [first.index(f"</bdi> 3, the others {mean} on average") for mean in ("0.0", "2.0")]
    assert places == sorted(places)
    assert "on average" not in words(agreement(open_app, lena))


def test_the_list_comes_into_sight_once(lena: Workspace, open_app: OpenApp) -> None:
    app = agreement(open_app, lena, of="Lena")
    scrolls = [html for html in app.get("html") if "scrollIntoView" in str(html.proto.body)]
    assert len(scrolls) == 1
    app.toggle(key="disputed").set_value(True).run()
    assert not [html for html in app.get("html") if "scrollIntoView" in str(html.proto.body)]


def test_a_rater_in_detail_leads_to_the_pairs(lena: Workspace, open_app: OpenApp) -> None:
    links = addresses(raters(open_app, lena, profile="Lena"))
    (to,) = [to for label, to in links if label.startswith("Pairs where Lena is farthest")]
    assert "of=Lena" in to


def test_names_are_no_markdown_in_links(lena: Workspace, open_app: OpenApp) -> None:
    ensure_person(lena, NAME)
    give(lena, 1, NAME, 0)
    labels = [label for label, _ in addresses(raters(open_app, lena, profile=NAME))]
    (label,) = [label for label in labels if label.startswith("Pairs where")]
    assert NAME not in label
    assert "\\[a\\]" in label


def test_pairs_of_one_who_is_left_out(lena: Workspace, open_app: OpenApp) -> None:
    exclude_rater(lena, "Lena", f"guessed {HOSTILE}", None)
    page = words(agreement(open_app, lena, of="Lena"))
    assert "on average" in page
    assert "left out" in page[page.index("gs-dissent") :]
