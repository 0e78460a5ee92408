"""Click evidence: counts against brute force, and by hand; what is left out; where it is kept."""

from pathlib import Path
from typing import Any

import pytest

from online.engines import Choice
from online.evidence import Evidence, PairEvidence, find_evidence, preferences
from tests.online.evidence_oracle import COUNTS, Oracle, random_log
from tests.online.logs import lake_of


def evidence_of(folder: Path, *args: Any, choice: Choice | None = None) -> Evidence:
    """The evidence of a lake of these searches and interactions."""
    folder.mkdir(exist_ok=True)
    return find_evidence(lake_of(folder, *args), folder / "cache", choice or Choice())


def all_pairs(evidence: Evidence) -> dict[tuple[str, str], PairEvidence]:
    found = evidence.first("query", 10_000)
    assert len(found) == evidence.summary.pairs
    return {(pair.query, pair.doc_id): pair for pair in found}


@pytest.mark.parametrize("seed", range(6))
def test_all_counts_are_those_of_brute_force(tmp_path: Path, seed: int) -> None:
    log = random_log(seed, own_texts=seed % 2 == 1)
    model = "bm25" if seed > 3 else None
    lake = lake_of(tmp_path, *log)
    evidence = find_evidence(lake, tmp_path / "cache", Choice(model=model))
    oracle = Oracle(*log, model=model)
    found = all_pairs(evidence)
    assert {key: {name: getattr(pair, name) for name in COUNTS} for key, pair in found.items()} == {
        key: {name: pair[name] for name in COUNTS} for key, pair in oracle.pairs.items()
    }
    summary = evidence.summary
    assert summary.looked_down_to == oracle.depth
    assert {row.rank: (row.impressions, row.clicks, row.parts) for row in summary.rank_ctr} == {
        rank: (n, oracle.clicks_at[rank], oracle.parts(rank)) for rank, n in oracle.ranks.items()
    }
    assert {name: getattr(summary, name) for name in LEFT_OUT} == {
        name: oracle.left_out[name] for name in LEFT_OUT
    }
    for key, pair in found.items():
        assert pair.expected_clicks == oracle.pairs[key]["parts"] / 10**9
    compare_preferences(lake, oracle, model)


LEFT_OUT = (
    "searches_without_results", "unknown_slots", "off_list_clicks", "clicks_without_rank",
    "clicks_without_document", "impressions_without_rank", "unjoined_clicks",
    "unjoined_impressions",
)  # fmt: skip


def compare_preferences(lake: Any, oracle: Oracle, model: str | None) -> None:
    found = preferences(lake, Choice(model=model))
    assert {(one.query, one.preferred, one.over): one.times for one in found} == dict(
        oracle.preferences
    )
