"""The Dashboard: what its address asks for, what it says and draws, and what it hands out."""

import json
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from builder.people import ensure_person
from builder.spreadsheets import BOM
from builder.workspace import SETTINGS_FILE, Workspace, init_workspace, open_workspace
from online.engines import Choice
from online.manifest import MANIFEST
from tests.online.logs import lake_of
from tests.ui.conftest import APP, SECONDS
from tests.ui.test_pages import markup
from tests.workspaces import copied
from ui.dashboards.counting import Log, groups_of, log_of, queries_of, report_of, series_of
from ui.dashboards.figures import asked_in_words, beside, file_parts, sheet_of_groups
from ui.dashboards.groups import UNTAGGED
from ui.dashboards.queries import before, sheet_of_queries
from ui.dashboards.times import points_of
from ui.downloads import _csv, file_name, sheet_of

OpenPage = Callable[..., AppTest]
FORMULA = '=HYPERLINK("http://x")'


def _searches() -> Iterator[dict[str, Any]]:
    """36 sessions of two searches on 1 to 3 November, one search of which is of the 2nd in Berlin;
    B is clicked twice as often as A, at rank 2; every third search has a tag that is a formula."""
    for n in range(72):
        day = 1 + n % 3
        clicked = n % (3 if n % 2 else 6) == 1
        yield {
            "timestamp": f"2026-11-{day:02}T{23 if n == 0 else 9 + n % 5}:30:00Z",
            "session_id": f"s{n // 2}",
            "model_version": "B" if n % 2 else "A",
            "query": "what is a file" if n % 4 else "file 7",
            "tags": [FORMULA] if n % 3 == 0 else [],
            "n_clicks": int(clicked),
            "n_ranked_clicks": int(clicked),
            "n_top_clicks": int(clicked),
            "best_click_rank": 2 if clicked else None,
            "first_click_rank": 2 if clicked else None,
        }


def _clicks() -> Iterator[dict[str, Any]]:
    for key, search in enumerate(_searches()):
        if search["n_clicks"]:
            told = {name: search[name] for name in ("timestamp", "session_id", "model_version")}
            yield {**told, "search_key": key, "doc_id": "d2", "rank": 2, "joined": True}


@pytest.fixture
def berlin(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace in Berlin with these searches; Dana may see them."""
    with copied(_berlin, tmp_path / "berlin") as workspace:
        yield workspace


def _berlin(root: Path) -> Workspace:
    init_workspace(root, "Berlin").close()
    settings = root / SETTINGS_FILE
    settings.write_text(
        settings.read_text().replace('timezone = "UTC"', 'timezone = "Europe/Berlin"')
    )
    lake_of(root, _searches(), _clicks())
    workspace = open_workspace(root)
    ensure_person(workspace, "Dana")
    return workspace


@pytest.fixture
def open_page(monkeypatch: pytest.MonkeyPatch, berlin: Workspace) -> Iterator[OpenPage]:
    """The Dashboard as Dana opens it at an address."""
    monkeypatch.setenv("GOLDSMITH_WORKSPACE", str(berlin.root))

    def run(**asked: str) -> AppTest:
        app = AppTest.from_file(str(APP), default_timeout=SECONDS)
        app.session_state["person"] = "Dana"
        for key, value in asked.items():
            app.query_params[key] = value
        app = app.switch_page("ui/pages/dashboard.py").run()
        assert not app.exception
        return app

    yield run
    st.cache_resource.clear()


def test_the_address_holds_all_filters_and_they_are_those_of_the_zone(open_page: OpenPage) -> None:
    asked = {"from": "2026-11-02", "to": "2026-11-03", "model": "B", "class": "questions"}
    app = open_page(**asked)
    said = markup(app)
    assert "Days and hours are those of Europe/Berlin" in said
    assert 'role="status"' not in said
    assert ">bm25<" not in said
    # Of B: 24 searches on the two days, all of them questions.
    assert ">24</bdi></div>" in said
    assert app.selectbox(key="class").value == "question"
    assert app.date_input(key="from").value == date(2026, 11, 2)


def test_what_an_address_asks_for_in_vain_is_said(open_page: OpenPage) -> None:
    asked = {"from": "2020-01-01", "to": "yesterday", "model": "C", "tag": "shop"}
    said = markup(open_page(**asked))
    assert "From 2020-01-01: the log begins on 2026-11-01, so 2026-11-01 is taken." in said
    assert "to=yesterday is no day" in said
    assert "model=C is not in the log" in said
    assert "tag=shop is not in the log" in said
    assert ">72</bdi></div>" in said


def test_days_behind_the_log_are_its_last_one(open_page: OpenPage) -> None:
    said = markup(open_page(**{"from": "2027-01-01"}))
    assert "From 2027-01-01: the log ends on 2026-11-03, so 2026-11-03 is taken." in said
    assert "No search is like this" not in said


def test_filters_that_leave_nothing_say_so(open_page: OpenPage) -> None:
    said = markup(open_page(**{"class": "empty"}))
    assert "No search is like this." in said


def test_what_the_log_does_not_tell_is_one_line(open_page: OpenPage) -> None:
    said = markup(open_page())
    assert "The log does not tell: " in said
    assert "conversions" in said
    assert ">conversion<" not in said


def test_tags_stand_side_by_side_and_nothing_is_markup(open_page: OpenPage) -> None:
    app = open_page(by="tag")
    said = markup(app)
    for title in ("Over time", "Side by side", "Clicks by rank", "Queries"):
        assert title in said
    assert UNTAGGED in said
    assert "=HYPERLINK(&quot;http://x&quot;)" in said
    assert len(app.get("vega_lite_chart")) == 2
    names = [button.proto.label for button in app.get("download_button")]
    assert names == ["CSV"] * 4


def test_queries_that_changed_name_both_periods(open_page: OpenPage) -> None:
    asked = {"queries_kind": "changed", "from": "2026-11-02", "to": "2026-11-02"}
    said = markup(open_page(**asked))
    assert "2026-11-02 to 2026-11-02, compared with 2026-11-01 to 2026-11-01." in said


def test_a_change_is_measured_against_the_days_before_or_the_first_half() -> None:
    log = Log(date(2026, 11, 1), date(2026, 11, 9), (), (), 1, date(2026, 11, 9))
    days = [(3, 9), (1, 9), (1, 2), (1, 1)]
    chosen = [Choice(date(2026, 11, a), date(2026, 11, b), model="A") for a, b in days]
    found = [before(log, choice) for choice in chosen]
    spans = [found_ and (found_.start, found_.end) for found_ in found]
    assert spans == [
        (date(2026, 10, 27), date(2026, 11, 2)),
        (date(2026, 11, 1), date(2026, 11, 4)),
        (date(2026, 11, 1), date(2026, 11, 1)),
        None,
    ]


def test_a_table_of_queries_to_take_away_holds_what_its_kind_is_about(berlin: Workspace) -> None:
    sheet = sheet_of_queries(queries_of(berlin, Choice(), "worst"))
    assert sheet.columns[-1] == "ctr_bound"
    assert {row[0] for row in sheet.rows} == {"file 7", "what is a file"}
    assert all(isinstance(row[-1], float) for row in sheet.rows)


def test_a_damaged_lake_is_said_with_its_place(open_page: OpenPage, berlin: Workspace) -> None:
    (berlin.lake.root / MANIFEST).write_text("{broken", encoding="utf-8")
    said = markup(open_page())
    assert 'role="alert"' in said
    assert MANIFEST in said
    assert "Events as of" in said


def test_new_events_are_counted_and_said_without_a_reload(
    open_page: OpenPage, berlin: Workspace
) -> None:
    app = open_page()
    assert "New events" not in markup(app)
    lake_of(berlin.root, [{"timestamp": "2026-11-05T12:00:00Z", "model_version": "B"}])
    app.run()
    said = markup(app)
    assert "New events, as of " in said
    assert ">73</bdi></div>" in said
    assert app.date_input(key="to").value == date(2026, 11, 5)


def test_a_search_before_midnight_in_utc_is_of_the_next_day_in_berlin(berlin: Workspace) -> None:
    log = log_of(berlin)
    assert log is not None
    assert (log.first_day, log.last_day) == (date(2026, 11, 1), date(2026, 11, 3))
    choice = Choice(log.first_day, log.last_day, zone="Europe/Berlin")
    frame = points_of(series_of(berlin, choice, "day"), "ctr")
    keys = frame["at"].dt.strftime("%d") + frame["model"]
    searches = dict(zip(keys, frame["searches"], strict=True))
    assert searches == {"01A": 11, "01B": 12, "02A": 13, "02B": 12, "03A": 12, "03B": 12}
    hours = points_of(series_of(berlin, choice, "hour"), "ctr")
    assert hours["at"].dt.strftime("%d %H:%M").min() == "01 10:00"
    assert hours["searches"].sum() == 72
    # Three searches an hour carry no interval that holds.
    assert hours["low"].isna().all()


def test_hours_of_many_days_are_those_of_the_last_ones(berlin: Workspace) -> None:
    choice = Choice(date(2026, 10, 1), date(2026, 11, 9), zone="Europe/Berlin")
    series = series_of(berlin, choice, "hour")
    assert series.start == date(2026, 11, 3)
    assert {point["at"][:10] for point in series.points} == {"2026-11-03"}


def test_a_table_to_take_away_runs_no_formula_and_keeps_full_precision(
    berlin: Workspace,
) -> None:
    groups = groups_of(berlin, Choice(), "tag")
    text = _csv(lambda: sheet_of_groups("tag", groups)).decode()
    head, *rows = text.removeprefix(BOM).split("\r\n")
    assert head.startswith("tag,searches,sessions,ctr,ctr_low,ctr_high,")
    formula = next(row for row in rows if "HYPERLINK" in row)
    assert formula.startswith('"\'=HYPERLINK(""http://x"")",24,')
    assert str(groups[FORMULA]["ctr"]) in formula


def test_a_file_is_named_by_what_it_holds_and_leads_nowhere() -> None:
    choice = Choice(date(2026, 11, 1), date(2026, 11, 2), model="../../a b", tag="=1", zone="UTC")
    assert file_name("ctr", *file_parts(choice)) == ("goldsmith-ctr-2026-11-01-2026-11-02-a-b-1")
    assert "model ../../a b \u00b7 tag =1" in asked_in_words(choice)


def test_missing_values_are_empty_cells(berlin: Workspace) -> None:
    choice = Choice(date(2026, 11, 1), date(2026, 11, 3), zone="Europe/Berlin")
    sheet = sheet_of(points_of(series_of(berlin, choice, "hour"), "ctr"))
    assert {row[sheet.columns.index("low")] for row in sheet.rows} == {None}
    assert json.dumps(sheet.rows[0][0]) == '"2026-11-01T10:00:00"'


def test_days_to_come_are_told_and_not_drawn_unless_all_are(
    open_page: OpenPage, berlin: Workspace, tmp_path: Path
) -> None:
    lake_of(berlin.root, [{"timestamp": "2231-11-20T12:00:00Z", "model_version": "B"}])
    app = open_page()
    assert app.date_input(key="to").value == date(2026, 11, 3)
    said = markup(app)
    assert "1 search is dated after today (up to 2231-11-20): choose a later end to see it." in said
    assert ">72</bdi></div>" in said
    said = markup(open_page(to="2231-11-20"))
    assert "is dated after today" not in said
    assert ">73</bdi></div>" in said
    with init_workspace(tmp_path / "late", "Late") as workspace:
        lake_of(workspace.root, [{"timestamp": "2231-11-20T12:00:00Z"}])
        log = log_of(workspace)
    assert log is not None
    assert (log.usual_end, log.later) == (date(2231, 11, 20), 0)


def test_what_menus_do_not_offer_and_keys_nobody_knows_are_named(open_page: OpenPage) -> None:
    asked = {
        "metric": "xxx",
        "step": "by century",
        "by": "moon",
        "queries_kind": "odd",
        "sort": "z",
    }
    said = markup(open_page(**asked))
    for key in ("metric=xxx", "step=by century", "by=moon", "queries_kind=odd"):
        assert f"{key} is not offered here, so it does not count." in said
    assert "The address asks for sort, which is unknown here and does not count." in said


def test_small_models_have_no_interval_and_each_number_has_a_meaning(
    open_page: OpenPage, berlin: Workspace
) -> None:
    few = [{"timestamp": f"2026-11-02T1{n}:00:00Z", "session_id": f"c{n}"} for n in range(3)]
    lake_of(berlin.root, [{**search, "model_version": "C"} for search in few])
    choice = Choice(date(2026, 11, 1), date(2026, 11, 3), zone="Europe/Berlin")
    found = report_of(berlin, choice)
    assert "ctr" not in found["by_model"]["C"]["intervals"]
    assert "ctr" in found["overall"]["intervals"]
    said = markup(open_page())
    for name in ("CTR", "CTR@k", "click-MRR", "reformulated", "bots", "intervals"):
        assert f"<dt><bdi>{name}</bdi></dt>" in said


def test_times_and_their_interval_are_equally_precise() -> None:
    metrics = {"median_first_click_s": 9.8, "reasons": {}, "interval_reasons": {}, "searches": 9}
    metrics["intervals"] = {"median_first_click_s": [9.4, 10.2]}
    assert beside("median_first_click_s", metrics) == "9.4\u201310.2\u00a0s"
