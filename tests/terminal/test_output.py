"""What the terminal says of a release, of agreement, of clicks."""

from typing import Any

import pytest

from online.metrics import Counts, online_metrics
from terminal.output import HEADLINE, print_agreement, print_release, print_results
from terminal.report_output import print_report

RELEASE = {
    "task_dir": "/w/evals/shop",
    "release": 2,
    "documents": 12_345,
    "queries": 80,
    "judgments": 900,
    "dropped": {"unjudged": 3, "no_relevant": 0},
    "warnings": ["4 pairs are left out"],
}


def agreed(alpha: float | None, reason: str | None = None) -> dict[str, Any]:
    interval = (None, None) if alpha is None else (alpha - 0.1, alpha + 0.1)
    statistic = {"value": alpha, "low": interval[0], "high": interval[1], "reason": reason}
    return {"alpha_ordinal": statistic, "percent_agreement": {"value": 0.875}, "n_pairs": 1_250}


def clicks(ctr: float | None) -> dict[str, Any]:
    """M of the report: of 1,000 searches in 400 sessions, or without a value for CTR."""
    document = online_metrics(Counts(searches=1_000)).as_json() | {"sessions": 400}
    intervals = {} if ctr is None else {"ctr": [ctr - 0.01, ctr + 0.01]}
    return document | {"ctr": ctr, "click_mrr": ctr, "intervals": intervals}


def test_a_release_says_what_was_left_out_and_where_it_lies(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_release(RELEASE)
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        "release 2: 12,345 documents, 80 queries, 900 judged pairs",
        "  queries left out, unjudged: 3",
        "task folder: /w/evals/shop",
    ]
    assert printed.err == "  4 pairs are left out\n"


def test_a_release_says_who_vouches_for_its_synthetic_queries(
    capsys: pytest.CaptureFixture[str],
) -> None:
    part = {"queries": 100, "validated": 30, "agree": 24, "graded": 30}
    share = {"value": 0.8, "low": 0.627, "high": 0.905}
    print_release(RELEASE | {"synthetic": part | {"agreement": share}})
    assert capsys.readouterr().out.splitlines()[2:4] == [
        "  synthetic queries: 100, 30 graded by people",
        "  experts found the document relevant in 24 of 30: 80% (62.7% to 90.5%)",
    ]
    unknown = {"value": None, "low": None, "high": None}
    print_release(RELEASE | {"synthetic": part | {"agreement": unknown}})
    assert "experts" not in capsys.readouterr().out


def test_the_same_content_is_the_same_release(capsys: pytest.CaptureFixture[str]) -> None:
    print_release(RELEASE | {"unchanged": True})
    assert capsys.readouterr().out.startswith("release 2, unchanged: ")


def test_agreement_has_its_interval_and_its_mark(capsys: pytest.CaptureFixture[str]) -> None:
    print_agreement(agreed(0.8), "illustrative")
    assert capsys.readouterr().out == (
        "Agreement (illustrative): Krippendorff's alpha 0.80 (0.70 to 0.90), "
        "88% of 1,250 pairs graded alike\n"
    )


def test_agreement_that_cannot_be_computed_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    print_agreement(agreed(None, "one_rater"))
    assert capsys.readouterr().out == "Agreement: cannot be computed, one rater\n"


def test_a_simulated_log_is_called_so(capsys: pytest.CaptureFixture[str]) -> None:
    print_report({"overall": clicks(0.5), "by_model": {"bm25": clicks(None)}}, "simulated")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "What users clicked (simulated):"
    assert lines[2].split()[:6] == ["overall", "1,000", "400", "0.5000", "0.4900", "to"]
    assert lines[3].split() == ["bm25", "1,000", "400", "-", "-", "-", "-"]


def test_scores_by_source_stand_below_those_of_all(capsys: pytest.CaptureFixture[str]) -> None:
    def part(ndcg: float, interval: list[float] | None) -> dict[str, Any]:
        metrics = dict.fromkeys(HEADLINE, ndcg)
        return {
            "n_queries": 20,
            "metrics": metrics,
            "intervals": {"ndcg_at_10": interval} if interval else {},
        }

    model = {
        "model": "bm25",
        "task": "shop",
        "split": "test",
        "content_hash": "c",
        "corpus_size": 5,
        "warnings": [],
    }
    plain = {**model, **part(0.5, [0.4, 0.6])}
    print_results([plain])
    assert "source" not in capsys.readouterr().out
    sources = {"log": part(0.4, [0.3, 0.5]), "syn\n": part(0.6, None)}
    print_results([plain | {"by_source": sources}])
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[3:] == [
        ["By", "where", "the", "queries", "came", "from:"],
        *(["model", "source", "queries", "nDCG@10", "95", "%", "interval", *HEADLINE[1:]],),
        ["bm25", "log", "20", "0.4000", "0.300", "to", "0.500", *["0.4000"] * 4],
        ["bm25", "syn?", "20", "0.6000", "-", *["0.6000"] * 4],
    ]
    print_results([plain | {"by_source": {**sources, "synthetic": part(0.7, None)}}])
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.endswith("so compare models within a source, and no score across sources.")
