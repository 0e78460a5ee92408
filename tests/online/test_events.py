"""The validated shape of one event, and the metrics of events at hand."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from online import SearchEvent, compute_online_metrics
from online.lake import Lake
from online.report import report
from tests.online.logs import clicked, event, take


def _clicks(*ranks: int | None) -> list[dict[str, Any]]:
    return [{"doc_id": "d1", "rank": rank} for rank in ranks]


def test_the_best_ranked_of_several_clicks_counts() -> None:
    row = event(clicked_doc_id="d4", click_rank=4, clicks=_clicks(None, 5, 2))
    several = SearchEvent.model_validate(row)
    assert (several.is_clicked, several.best_click_rank) == (True, 2)
    nameless = SearchEvent.model_validate(event(clicks=_clicks(None)))
    assert (nameless.is_clicked, nameless.best_click_rank) == (True, None)
    assert compute_online_metrics([several, nameless])["overall"] == {"ctr": 1.0, "mrr": 0.25}


def test_the_notebook_gives_what_the_lake_gives_of_several_clicks(tmp_path: Path) -> None:
    lines = [
        clicked(3, clicks=_clicks(5, 1)),
        event(query="b", clicks=_clicks(4), search_id="B"),
        event(query="c", clicks=[]),
    ]
    take(tmp_path, lines)
    told = report(Lake(tmp_path / "events"))["overall"]
    overall = compute_online_metrics(SearchEvent.model_validate(line) for line in lines)["overall"]
    assert overall == pytest.approx({"ctr": told["ctr"], "mrr": told["click_mrr"]})
    assert told["click_mrr"] == pytest.approx((1 + 1 / 4) / 3)


def test_times_in_numbers_are_the_same_moment() -> None:
    stamps: list[Any] = [
        1_796_040_000,
        "1796040000000",
        1_796_040_000_000_000.0,
        1796040000 * 10**9,
    ]
    moments = {SearchEvent.model_validate(event(timestamp=stamp)).timestamp for stamp in stamps}
    assert {moment.isoformat() for moment in moments} == {"2026-11-30T12:00:00+00:00"}


def test_results_may_be_unknown_only_where_the_log_says_so() -> None:
    unknown = SearchEvent.model_validate(event(retrieved_doc_ids=None, results_logged=False))
    assert unknown.retrieved_doc_ids is None
    with pytest.raises(ValidationError, match="retrieved_doc_ids is missing"):
        SearchEvent.model_validate(event(retrieved_doc_ids=None))
