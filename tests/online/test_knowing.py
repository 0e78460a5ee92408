"""What a log never tells is not known; what it tells of other searches is 0 where there is none."""

from datetime import date
from typing import Any

import pytest

from online.ab import Plan, compare_arms
from online.engines import Choice
from online.lake import Lake
from online.metrics import NO_DWELL, NO_TIMED_CLICK
from online.report import report
from online.slices import report_by
from online.verdict import warnings
from tests.online.logs import lake_of

FIRST, SECOND = date(2026, 11, 29), date(2026, 11, 30)
SOLD = {
    "n_conversions": 1, "conversion_value": 5.0, "n_clicks": 1, "dwell_s": 40.0,
    "first_click_s": 2.0,
}  # fmt: skip


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """`shop` sells on the first day alone, `blog` never does; on the second day both are asked."""
    shop: dict[str, Any] = {"model_version": "shop", "tags": ["web"]}
    blog: dict[str, Any] = {"model_version": "blog", "tags": ["app"]}
    first, second = {"timestamp": f"{FIRST}T12:00:00Z"}, {"timestamp": f"{SECOND}T13:00:00Z"}
    searches = [
        shop | first | SOLD | {"query": "what is gold"},
        shop | second | {"session_id": "s2"},
        shop | second | {"session_id": "s3", "tags": ["beta"]},
        blog | first | {"session_id": "s4"},
        blog | second | {"session_id": "s5"},
    ]
    return lake_of(tmp_path_factory.mktemp("knowing"), searches)


def _told(metrics: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(
        metrics[name]
        for name in ("conversion_rate", "conversion_value", "conversion_value_per_search")
    )


NOTHING, UNKNOWN = (0.0, 0.0, 0.0), (None, None, None)


def test_a_bucket_without_conversions_has_none_of_them(lake: Lake) -> None:
    days = report_by(lake, "day", model="shop")["by_day"]
    assert {day: _told(metrics) for day, metrics in days.items()} == {
        str(FIRST): (1.0, 5.0, 5.0),
        str(SECOND): NOTHING,
    }
    hours = report_by(lake, "hour")["by_hour"]
    assert _told(hours[f"{SECOND}T13:00Z"]) == NOTHING
    later = days[str(SECOND)]["reasons"]
    assert later["median_dwell_s"] == later["dwell_over_30_s"] == NO_DWELL
    assert later["median_first_click_s"] == NO_TIMED_CLICK


def test_what_the_log_of_a_model_never_tells_is_not_known(lake: Lake) -> None:
    found = report_by(lake, "tag")
    blog = found["by_model"]["blog"]
    assert _told(blog) == UNKNOWN
    wanting = {"conversion_rate", "conversion_value_per_search", "median_dwell_s"}
    assert {blog["reasons"][name] for name in wanting} == {"not_logged"}
    # All searches of the tag "app" are the blog's; "beta" is the shop's alone.
    assert {tag: _told(metrics) for tag, metrics in found["by_tag"].items()} == {
        "app": UNKNOWN,
        "beta": NOTHING,
        "web": (0.5, 5.0, 2.5),
    }


def test_a_class_and_a_model_each_know_what_their_logs_do(lake: Lake) -> None:
    found = report_by(lake, "class")
    by_model = found["by_class_and_model"]["keyword"]
    assert (_told(by_model["shop"]), _told(by_model["blog"])) == (NOTHING, UNKNOWN)
    assert _told(found["by_class"]["keyword"]) == NOTHING
    assert _told(found["overall"]) == (0.2, 5.0, 1.0)


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (Choice(tag="beta"), NOTHING),
        (Choice(query_class="keyword"), NOTHING),
        (Choice(tag="app"), UNKNOWN),
        (Choice(start=SECOND), UNKNOWN),
    ],
)
def test_a_tag_chooses_among_the_searches_of_a_log_and_days_choose_a_log(
    lake: Lake, choice: Choice, expected: tuple[Any, ...]
) -> None:
    assert _told(report(lake, choice)["overall"]) == expected


def test_the_day_of_an_arm_has_no_conversions_where_its_log_tells_them(lake: Lake) -> None:
    test = compare_arms(lake, Plan("blog", "shop"))
    rates = [day.metrics["conversion_rate"] for day in test.days]
    assert [arms.treatment.value for arms in rates] == [1.0, 0.0]
    # Both arms are of one log: the one that sold nothing is compared as 0, and a warning says so.
    assert [arms.control.value for arms in rates] == [0.0, 0.0]
    assert any(words.startswith("No search of blog has a conversion") for words in warnings(test))
