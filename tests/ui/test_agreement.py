"""The page Agreement: the sentence first, undefined is a word, lists obey the address."""

import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from streamlit.testing.v1 import AppTest

from builder.curation import retire_query
from builder.jobs import read_job, start_job
from builder.judging import trust
from builder.judging.adjudication import decide, waiting
from builder.judging.queue import submit_grade
from builder.judging.trust import current_trust
from builder.people import ensure_person
from builder.people.excluding import exclude_rater
from builder.store.documents import insert_documents
from builder.store.pool import add_pairs
from builder.store.queries import insert_queries
from builder.workspace import Workspace
from evals.records import Document, Query
from tests.ui.conftest import OpenApp
from tests.ui.test_pages import wait_for
from tests.workspaces import copied, new_workspace
from ui.kappas import MOST_DRAWN, kappa_frame, raters_drawn
from ui.trust import beside, value

HOSTILE = '<script>alert(1)</script> :red[x] $x$ "'
N_QUERIES, N_DOCUMENTS = 12, 6


def give(workspace: Workspace, pair_id: int, rater: str, grade: int, comment: str = "") -> None:
    token = uuid4().hex
    submit_grade(workspace, rater, pair_id, grade, token=token, comment=comment, edit=True)


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[Workspace]:
    """72 pairs of twelve queries, numbered from 1 query by query; Dana is admin, Ben a rater."""
    with copied(make_pool, tmp_path / "pool") as workspace:
        yield workspace


def make_pool(folder: Path) -> Workspace:
    workspace = new_workspace(folder, "Empty")
    documents = [Document(f"d{n}", f"Title {n} {HOSTILE}", "x") for n in range(N_DOCUMENTS)]
    tags = [("odd",), (HOSTILE,)]
    queries = [
        Query(f"q{n}", f"query {n} {HOSTILE}", "", tags[n % 2], "log") for n in range(N_QUERIES)
    ]
    with workspace.store.write() as connection:
        insert_documents(connection, documents)
        insert_queries(connection, queries)
        for query in queries:
            add_pairs(connection, [(query.query_id, d.doc_id) for d in documents], "bm25")
    for name in ("Dana", "Ben"):
        ensure_person(workspace, name)
    return workspace


@pytest.fixture
def graded(tmp_path: Path) -> Iterator[Workspace]:
    """Dana and Ben graded all 72 pairs; they differ on every sixth, by two grades."""
    with copied(_graded, tmp_path / "graded") as workspace:
        yield workspace


def _graded(folder: Path) -> Workspace:
    pool = make_pool(folder)
    for pair_id in range(1, N_QUERIES * N_DOCUMENTS + 1):
        give(pool, pair_id, "Dana", pair_id % 4)
        differs = pair_id % 6 == 0
        other = (pair_id % 4 + 2) % 4 if differs else pair_id % 4
        give(pool, pair_id, "Ben", other, HOSTILE if differs else "")
    return pool


def agreement(open_app: OpenApp, workspace: Workspace, **address: str) -> AppTest:
    app = open_app(workspace.root)
    app.session_state["person"] = "Dana"
    app = app.switch_page("ui/pages/agreement.py")
    for name, wanted in address.items():
        app.query_params[name] = wanted
    app = app.run()
    assert not app.exception
    return app


def words(app: AppTest) -> str:
    """All HTML but the style sheet."""
    bodies = [str(html.proto.body) for html in app.get("html")]
    return "\n".join(body for body in bodies if not body.startswith("<style"))


def links(app: AppTest) -> list[str]:
    return [str(link.proto.label) for link in app.get("page_link")]


def test_the_sentence_stands_first_and_leads_on(graded: Workspace, open_app: OpenApp) -> None:
    app = agreement(open_app, graded)
    verdict = current_trust(graded)["agreement"]["verdict"]
    page = words(app)
    assert verdict["sentence"] in page
    assert verdict["next"] in page
    assert page.index("gs-verdict") < page.index("gs-tiles")
    assert "Decide the disputed pairs (12)" in links(app)


def test_every_figure_has_its_interval_and_n(graded: Workspace, open_app: OpenApp) -> None:
    report = current_trust(graded)["agreement"]
    page = words(agreement(open_app, graded))
    for name in ("alpha_ordinal", "alpha_nominal", "alpha_interval", "ac1", "ac2"):
        statistic = report[name]
        assert f"<bdi>{statistic['value']:.2f}</bdi>" in page
        assert f"{statistic['low']:.2f}\u2013{statistic['high']:.2f}" in page
    assert "83.3\u00a0%" in page
    assert page.count("n\u00a0=\u00a072 pairs") == 6
    assert "AC2 are high by construction" in page


@pytest.mark.parametrize(
    ("grades", "reason", "way"),
    [
        ([], "no_human_grades", "Grade pairs"),
        ([(1, "Dana", 1)], "one_rater", "Add a second rater"),
        (
            [(1, "Dana", 1), (2, "Ben", 1)],
            "no_pair_graded_by_two",
            "Grade what others graded",
        ),
    ],
)
def test_what_cannot_be_told_is_said_with_what_to_do(
    pool: Workspace,
    open_app: OpenApp,
    grades: list[tuple[int, str, int]],
    reason: str,
    way: str,
) -> None:
    for pair_id, rater, grade in grades:
        give(pool, pair_id, rater, grade)
    app = agreement(open_app, pool)
    report = current_trust(pool)["agreement"]
    assert report["alpha_ordinal"]["reason"] == reason
    assert report["verdict"]["sentence"] in words(app)
    assert way in links(app)
    assert "gs-tile-value" not in words(app)


def test_where_all_raters_are_left_out_the_way_is_to_take_one_back(
    pool: Workspace, open_app: OpenApp
) -> None:
    give(pool, 1, "Ben", 1)
    exclude_rater(pool, "Ben", "guesses", None)
    app = agreement(open_app, pool)
    assert "Every rater who graded is left out" in words(app)
    assert "Take a rater back" in links(app)
    assert "Grade pairs" not in links(app)


def test_equal_grades_are_undefined_in_words(pool: Workspace, open_app: OpenApp) -> None:
    for pair_id in range(1, 13):
        give(pool, pair_id, "Dana", 1)
        give(pool, pair_id, "Ben", 1)
    page = words(agreement(open_app, pool))
    assert '<div class="gs-tile-value"><bdi>undefined</bdi>' in page
    assert "all grades are the same" in page
    assert "nan" not in page.lower()


def test_the_address_says_which_disagreements(graded: Workspace, open_app: OpenApp) -> None:
    assert words(agreement(open_app, graded)).count("gs-dissent") == 12
    app = agreement(open_app, graded, tag="odd", disputed="true")
    assert app.selectbox(key="tag").value == "odd"
    page = words(app)
    assert page.count("gs-dissent") == 6
    assert "6 pairs, the widest spread first" in page


def test_who_said_what_is_shown_as_it_was_written(graded: Workspace, open_app: OpenApp) -> None:
    page = words(agreement(open_app, graded))
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; :red[x] $x$ &quot;" in page
    entry = page[page.index("gs-dissent") :]
    assert entry.index("<bdi>Dana</bdi>") > 0
    assert entry.index("<bdi>Ben</bdi>") > 0


def test_a_decision_stands_beside_its_pair(graded: Workspace, open_app: OpenApp) -> None:
    dana = ensure_person(graded, "Dana")
    decide(graded, dana, 6, 2, "need misread", token=uuid4().hex)
    app = agreement(open_app, graded)
    assert "decided: 2" in words(app)
    assert "See why" in links(app)
    assert "Decide the disputed pairs (11)" in links(app)


@pytest.mark.parametrize("by", ["tag", "query", "week"])
def test_slices_have_n_and_intervals(graded: Workspace, open_app: OpenApp, by: str) -> None:
    page = words(agreement(open_app, graded, by=by))
    table = page[page.index("gs-slices") :]
    assert table.count('<th scope="row">') >= {"tag": 2, "query": 12, "week": 1}[by]
    assert "<script" not in table


def test_excluded_raters_and_grades_of_nobody_stand_apart(
    graded: Workspace, open_app: OpenApp
) -> None:
    ensure_person(graded, "Cy")
    for pair_id in range(1, 5):
        give(graded, pair_id, "Cy", 3)
    exclude_rater(graded, "Cy", f"guessed {HOSTILE}", None)
    assert [row["rater"] for row in current_trust(graded)["agreement"]["raters"]] == ["Ben", "Dana"]
    page = words(agreement(open_app, graded))
    assert "Cy is left out: 4 grades." in page
    assert "guessed &lt;script&gt;" in page
    assert "by 2 raters" in page


def test_copies_are_told_and_what_is_left_without_them(pool: Workspace, open_app: OpenApp) -> None:
    for pair_id in range(1, 73):
        for rater in ("Dana", "Ben"):
            give(pool, pair_id, rater, pair_id % 4)
    report = current_trust(pool)["agreement"]
    assert report["copies"]
    page = words(agreement(open_app, pool))
    assert "gs-is-no_evidence" in page
    assert "alpha, ordinal, copies counted once" in page
    assert "1.00 with copies" in page
    assert "Ask these raters." in page
    odd = [f"<bdi>{row['rater']}</bdi>" for row in report["raters"] if row["flags"]]
    assert odd
    assert f"Raters who stand out: {', '.join(odd)}." in page
    assert "See who copied whom" in links(agreement(open_app, pool))
    assert "Ben and Dana: 72 shared pairs" in page


def test_numbers_have_two_decimals_and_a_true_minus() -> None:
    below = {"value": -0.087, "low": -0.244, "high": 0.001, "n": 9, "reason": None}
    assert (value(below), beside(below)) == ("\u22120.09", "\u22120.24 to 0.00")
    assert value({**below, "value": -0.004}) == "0.00"
    assert beside({**below, "low": 0.1, "high": 0.234}) == "0.10\u20130.23"


def test_the_heat_map_has_every_two_raters(graded: Workspace, open_app: OpenApp) -> None:
    app = agreement(open_app, graded)
    assert len(app.get("vega_lite_chart")) == 1
    met = {"raters": ["a", "b"], "n": 5}
    missing = {"value": None, "low": None, "high": None, "n": 5, "reason": "all_grades_equal"}
    known = {"value": -0.25, "low": -0.5, "high": 0.1, "n": 5, "reason": None}
    pairwise = [{**met, "kappa_quadratic": known, "kappa_nominal": missing}]
    quadratic = kappa_frame(["a", "b", "c"], pairwise, "quadratic")
    assert quadratic["said"].tolist() == ["\u22120.25\nn 5", *["no pair\nshared"] * 2]
    nominal = kappa_frame(["a", "b", "c"], pairwise, "nominal")
    assert nominal["said"].tolist()[0] == "one grade\nn 5"
    assert nominal["kappa"].isna().all()
    assert "all grades are the same" in nominal["detail"].tolist()[0]


def test_of_very_many_raters_those_with_most_grades_are_drawn() -> None:
    raters = [{"rater": f"r{n:02}", "n": n} for n in range(40)]
    drawn = raters_drawn(raters)
    assert drawn == [f"r{n:02}" for n in range(40 - MOST_DRAWN, 40)]
    assert raters_drawn(raters[:3]) == ["r00", "r01", "r02"]


def test_a_large_report_is_computed_beside_the_page(
    graded: Workspace, open_app: OpenApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trust, "INLINE_GRADES", 10)
    current_trust(graded)
    give(graded, 1, "Ben", 3)
    page = words(agreement(open_app, graded))
    assert "These numbers were made" in page
    assert "1 grade since" in page
    assert "gs-verdict" in page


def test_many_disagreements_are_written_by_a_job(
    graded: Workspace, open_app: OpenApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not [b for b in agreement(open_app, graded).button if b.key == "write_disagreements"]
    monkeypatch.setattr("ui.disagreements.AT_ONCE", 5)
    app = agreement(open_app, graded, disputed="true")
    app.button(key="write_disagreements").click().run()
    assert not app.exception
    wait_for(graded, "disagreements")
    assert "The file holds 12 pairs." in words(app.run())


def test_a_report_that_failed_is_begun_anew(
    graded: Workspace, open_app: OpenApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trust, "INLINE_GRADES", 10)
    failing = {"steps": 1, "fail": "clearly"}
    target = "tests.builder.rehearsal:rehearse"
    job_id = start_job(graded, trust.JOB, target, failing, "Dana", package="tests")
    while read_job(graded, job_id).active:
        time.sleep(0.05)
    app = agreement(open_app, graded)
    assert "the rehearsal failed" in words(app)
    assert "gs-verdict" not in words(app)
    app.button(key="trust_again").click().run()
    wait_for(graded, trust.JOB)
    assert "gs-verdict" in words(app.run())


def test_pairs_of_retired_queries_count_nowhere(graded: Workspace, open_app: OpenApp) -> None:
    assert "(12)" in ways(agreement(open_app, graded))
    retire_query(graded, "q0", None)
    app = agreement(open_app, graded)
    n = len(waiting(graded))
    assert (n, f"Decide the disputed pairs ({n})" in ways(app)) == (11, True)
    assert "Not counted, as in releases: 12 grades of retired queries." in words(app)
    assert "66 pairs" in words(app)


def ways(app: AppTest) -> str:
    """What the links of the page say."""
    return " ".join(str(link.proto.label) for link in app.get("page_link"))
