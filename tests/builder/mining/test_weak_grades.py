"""Weak grades: bands of shrunk measures, their posterior probability, and who gets none."""

import json
from collections.abc import Iterator
from datetime import date
from math import comb, exp, factorial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from builder.curation import retire_query
from builder.mining.choices import choice_as_json
from builder.mining.deciding import evidence_job, flagged_in_words
from builder.mining.weak_grades import count_labelled, grade_columns, weak_grades
from builder.settings import WeakGradeRule
from builder.store.documents import insert_documents
from builder.store.queries import insert_queries
from builder.workspace import SETTINGS_FILE, Workspace, open_workspace
from evals.records import Document, Query
from online.engines import Choice
from online.evidence import EvidenceColumns, Prior, Priors, find_evidence, is_evidence_kept
from tests.builder.mining.simulated_clicks import (
    ONE_CLICK,
    SETTINGS,
    SHY,
    Setting,
    columns_of,
    simulated,
)
from tests.online.logs import clicked, event, flag, take
from tests.workspaces import copied, new_workspace

PRIORS = Priors(*(Prior(mean, 2.0, 100) for mean in (0.5, 1.0, 0.5, 0.5)))


def one_pair(**counts: float) -> EvidenceColumns:
    """A pair shown 50 times in 50 sessions, but for the changes."""
    told = {"impressions": 50, "clicks": 3, "sessions": 50, "examined": 10, "expected": 2.0}
    values = {name: np.array([value]) for name, value in (told | counts).items()}
    return columns_of(**values)


def graded(rule: WeakGradeRule | None = None, **counts: float) -> tuple[int, float, int]:
    found = grade_columns(one_pair(**counts), rule or WeakGradeRule(), PRIORS)
    return int(found.grade[0]), float(found.confidence[0]), int(found.reason[0])


def test_confidence_of_coec_is_the_posterior_probability_of_the_band() -> None:
    # Prior of strength 2: the posterior is Gamma(3 + 2, rate 2 + 2), its mean 1.25, so grade 3 by
    # the proposed 1.2. Gamma(5, 4) is above 1.2 as often as a Poisson of 4.8 is at most 4.
    grade, confidence, _ = graded()
    assert grade == 3
    assert confidence == pytest.approx(sum(exp(-4.8) * 4.8**k / factorial(k) for k in range(5)))
    # Without a click: Gamma(2, 4), mean .5, grade 0; below .6 unless a Poisson of 2.4 is at most 1.
    grade, confidence, _ = graded(clicks=0)
    assert grade == 0
    assert confidence == pytest.approx(1 - exp(-2.4) * (1 + 2.4))


def test_confidence_of_sdbn_is_the_posterior_probability_of_the_band() -> None:
    # 3 of 10 and the prior 1 of 2: Beta(4, 8), mean 1/3, grade 2 from .3 to .5. Beta(4, 8) is below
    # x as often as 11 throws of chance x hit 4 times or more.
    def below(x: float) -> float:
        return sum(comb(11, k) * x**k * (1 - x) ** (11 - k) for k in range(4, 12))

    grade, confidence, _ = graded(WeakGradeRule(measure="sdbn"))
    assert grade == 2
    assert confidence == pytest.approx(below(0.5) - below(0.3))


@pytest.mark.parametrize(
    ("clicks", "expected", "grade"),
    [(0, 4.0, 0), (4, 8.0, 1), (6, 6.0, 2), (7, 4.4, 3), (4, 3.0, 2)],
)
def test_a_threshold_belongs_to_the_band_above_it(clicks: int, expected: float, grade: int) -> None:
    # (clicks + 2) / (expected + 2): .33, .6, 1, 1.41 and exactly 1.2, which is 3 only at 1.2.
    rule = WeakGradeRule(thresholds=[0.6, 1.0, 1.21])
    assert graded(rule, clicks=clicks, expected=expected)[0] == grade


def test_too_little_evidence_is_no_grade_and_never_0() -> None:
    sdbn = WeakGradeRule(measure="sdbn")
    sure = WeakGradeRule(min_confidence=0.9)
    cases: list[tuple[WeakGradeRule | None, dict[str, float]]] = [
        (None, {"clicks": 51}),
        (None, {"impressions": 19, "clicks": 0}),
        (None, {"sessions": 9}),
        (sdbn, {"examined": 0, "clicks": 0}),
        (None, {"expected": 0.99}),
        (sure, {}),
    ]
    found = [graded(rule, **counts) for rule, counts in cases]
    assert [(grade, reason) for grade, _, reason in found] == [(-1, at) for at in range(6)]
    assert all(np.isnan(confidence) for _, confidence, _ in found)


def searched(root: Path) -> Workspace:
    """Two spellings of one query, a retired one, one that nobody searched for; d5 is unknown."""
    workspace = new_workspace(root)
    with workspace.store.write() as connection:
        insert_documents(connection, [Document(f"d{n}", "", "text") for n in (1, 2, 3, 4, 9)])
        texts = {"q1": "Sort a  LIST", "q2": "sort a list", "old": "heap", "new": "queue"}
        insert_queries(connection, [Query(key, text) for key, text in texts.items()])
    lines = [clicked(2 if n % 2 else 1, session_id=f"s{n}") for n in range(30)]
    lines += [event(query="heap", session_id=f"h{n}") for n in range(30)]
    # d9 was never in a list, and clicked all the same.
    off_list: dict[str, Any] = {"clicked_doc_id": "d9", "click_rank": None}
    take(root, [*lines, event(session_id="s99", **off_list)])
    retire_query(workspace, "old", None)
    return workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with copied(searched, tmp_path / "workspace") as opened:
        yield opened


def test_weak_grades_are_of_active_queries_in_any_spelling_and_of_the_corpus(
    workspace: Workspace,
) -> None:
    found = weak_grades(workspace)
    assert [(weak.query_id, weak.doc_id) for weak in found.grades] == [
        (query_id, doc_id) for query_id in ("q1", "q2") for doc_id in ("d1", "d2", "d3")
    ]
    by_document = {weak.doc_id: weak for weak in found.grades}
    assert by_document["d1"].evidence.clicks == by_document["d2"].evidence.clicks == 15
    assert by_document["d3"].grade < by_document["d1"].grade == 3
    # Ranks 4 and 5 are never clicked in this log, so no click is expected there.
    for query_id in ("q1", "q2"):
        assert found.left_out[query_id, "d9"] == "more_clicks_than_impressions"
        assert found.left_out[query_id, "d4"] == "never_examined"
    counts = dict(found.counts)
    assert sum(counts.pop("by_grade").values()) == 6
    assert counts == {
        "queries": 2,
        "pairs": 6,
        "left_out": {"more_clicks_than_impressions": 2, "never_examined": 2},
        "not_in_corpus": 2,  # d5, of either query
        "queries_without_evidence": 1,
    }
    assert [weak.query_id for weak in weak_grades(workspace, query_ids=["q2"]).grades] == ["q2"] * 3


def test_all_pairs_of_a_log_are_counted_by_the_same_rule(workspace: Workspace) -> None:
    evidence = find_evidence(workspace.lake, workspace.cache_folder, Choice())
    # Of the list and of the heap five documents each, but for those at ranks 4 and 5, which nobody
    # clicks, and nothing of d9.
    assert count_labelled(evidence, WeakGradeRule()) == 6
    assert count_labelled(evidence, WeakGradeRule(min_impressions=31)) == 3
    assert count_labelled(evidence, WeakGradeRule(min_impressions=32)) == 0
    assert count_labelled(evidence, WeakGradeRule(min_confidence=1.0)) == 0


def test_flagged_sessions_do_not_decide_unless_the_settings_say_so(workspace: Workspace) -> None:
    flag(workspace.lake, *(f"s{n}" for n in range(5)), "nobody")
    found = weak_grades(workspace)
    assert (found.searches, found.flagged) == (56, {"left_out": 5, "counted": 0})
    assert {weak.evidence.impressions for weak in found.grades} == {26}
    assert flagged_in_words(found.flagged) == (
        "5 searches of sessions that are flagged as bots were left out."
    )
    with (workspace.root / SETTINGS_FILE).open("a", encoding="utf-8") as settings:
        settings.write("[weak_grades]\nwithout_bots = false\n")
    with open_workspace(workspace.root) as opened:
        found = weak_grades(opened)
        assert (found.searches, found.flagged) == (61, {"left_out": 0, "counted": 5})
        found = weak_grades(opened, choice=Choice(without_bots=True))
        assert found.flagged == {"left_out": 5, "counted": 0}


def test_where_all_sessions_are_flagged_there_is_a_log_and_no_evidence(
    workspace: Workspace,
) -> None:
    flag(workspace.lake, *(f"{letter}{n}" for letter in "sh" for n in range(100)))
    found = weak_grades(workspace)
    assert (found.searches, found.grades, found.has_log) == (0, [], True)


def test_the_job_counts_the_evidence_that_a_page_asks_for(workspace: Workspace) -> None:
    choice = Choice(start=date(2026, 11, 1), end=date(2027, 1, 1), without_bots=True)
    assert not is_evidence_kept(workspace.lake, workspace.cache_folder, choice)
    asked = json.loads(json.dumps({"choice": choice_as_json(choice)}))
    told = evidence_job(workspace, asked, lambda *_: None)
    assert told["searches"] == 61
    assert is_evidence_kept(workspace.lake, workspace.cache_folder, choice)


def test_without_a_log_there_is_nothing(tmp_path: Path) -> None:
    with new_workspace(tmp_path / "w") as opened:
        found = weak_grades(opened)
    assert (found.grades, found.searches) == ([], 0)


def kappa(setting: Setting, seed: int, **rule: Any) -> float:
    """Quadratic kappa of weak grades with the true ones, of pairs that have a weak one."""
    log = simulated(setting, seed)
    weak = grade_columns(log.columns, WeakGradeRule(**rule), log.priors).grade
    has_grade = weak >= 0
    return float(
        cohen_kappa_score(
            log.grades[has_grade], weak[has_grade], labels=[0, 1, 2, 3], weights="quadratic"
        )
    )


def test_the_proposed_thresholds_agree_with_known_grades_as_is_said() -> None:
    assert kappa(SETTINGS["usual"], seed=1) == pytest.approx(0.75, abs=0.04)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_the_proposed_thresholds_in_all_settings(seed: int) -> None:
    coec = [kappa(setting, seed) for setting in SETTINGS.values()]
    sdbn = [kappa(setting, seed, measure="sdbn") for setting in SETTINGS.values()]
    assert np.mean(coec) == pytest.approx(0.73, abs=0.03)
    assert np.mean(sdbn) == pytest.approx(0.60, abs=0.03)
    for found, (low, high) in ((coec, (0.58, 0.82)), (sdbn, (0.54, 0.70))):
        assert min(found) == pytest.approx(low, abs=0.04)
        assert max(found) == pytest.approx(high, abs=0.04)
    for setting, expected in ((SHY, (0.66, 0.24)), (ONE_CLICK, (0.22, 0.61))):
        found = [kappa(setting, seed, measure=measure) for measure in ("coec", "sdbn")]
        assert found == pytest.approx(list(expected), abs=0.06)
