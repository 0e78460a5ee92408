"""Weak labels from clicks, beside the grades of a release: a split of their own, never judgments.

The split is called `weak_labels_from_clicks`, and no reader takes it unless it is asked for by that
name. It holds labels for the queries of the release, and for further active queries of the same
selection that nobody may have judged at all.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from builder.errors import BuilderError
from builder.judging.agreement import TwoSides, in_words, two_sides
from builder.mining.deciding import Flagged, flagged_in_words
from builder.mining.weak_grades import WeakGrade, WeakGrades
from builder.settings import WeakGradeRule
from evals.qrels import WEAK_SPLIT
from evals.records import Qrels

EVIDENCE_FILE: Final = f"{WEAK_SPLIT}.jsonl"
"""At the root of the folder: each label with its confidence and the counts behind it."""

_MEASURES = {
    "coec": "clicks over expected clicks (COEC)",
    "sdbn": "the chance of a click where a document is examined (SDBN)",
}


@dataclass(frozen=True, slots=True)
class WeakLabels:
    """The weak labels of a release.

    Attributes:
        grades: By query_id and doc_id.
        left_out: Reason -> pairs of these queries that the log knows and that have no label.
        rule: How they were made.
        searches: How many searches count.
        flagged: How many searches of flagged sessions were left out of them, or are among them.
        agreement: With the grades of the release, of pairs that have both.
        only_here: Queries with labels that have no judgment in the release.
    """

    grades: list[WeakGrade]
    left_out: Mapping[str, int]
    rule: WeakGradeRule
    searches: int
    flagged: Flagged
    agreement: TwoSides
    only_here: int

    @property
    def qrels(self) -> dict[str, dict[str, int]]:
        """query_id -> doc_id -> label."""
        labels: dict[str, dict[str, int]] = {}
        for weak in self.grades:
            labels.setdefault(weak.query_id, {})[weak.doc_id] = weak.grade
        return labels

    @property
    def counts(self) -> dict[str, int]:
        """How many there are."""
        queries = len({weak.query_id for weak in self.grades})
        return {"labels": len(self.grades), "queries": queries, "unjudged_queries": self.only_here}

    @property
    def beside(self) -> str:
        """What stands beside the judged queries: "42 more queries have only labels from clicks"."""
        n = self.only_here
        if not n:
            return ""
        return f"{n:,} more {'query has' if n == 1 else 'queries have'} only labels from clicks"

    @property
    def digest(self) -> str:
        """Equal where labels, confidence, evidence and rule are."""
        rule = json.dumps(self.rule.as_json(), sort_keys=True)
        digest = hashlib.sha256(rule.encode())
        for weak in self.grades:
            digest.update(_line(weak).encode())
        return digest.hexdigest()

    def write(self, folder: Path) -> None:
        """Write the labels with what they rest on."""
        with (folder / EVIDENCE_FILE).open("w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(f"{_line(weak)}\n" for weak in self.grades)

    def as_json(self) -> dict[str, Any]:
        """What goldsmith.json says of them."""
        by_label = Counter(weak.grade for weak in self.grades)
        confidences = sorted(weak.confidence for weak in self.grades)
        return {
            "split": WEAK_SPLIT,
            "meaning": "Labels made of clicks by thresholds. Nobody judged them: no measure of "
            "quality may rest on them.",
            "rule": self.rule.as_json(),
            "searches": self.searches,
            "flagged": dict(self.flagged),
            **self.counts,
            "by_label": {str(label): by_label[label] for label in range(4)},
            "median_confidence": confidences[len(confidences) // 2],
            "left_out": dict(self.left_out),
            "agreement_with_experts": self.agreement.as_json(),
            "evidence_file": EVIDENCE_FILE,
        }


def weak_labels(found: WeakGrades, asked: Collection[str], judged: Qrels) -> WeakLabels:
    """The weak labels of the queries that are asked for.

    Args:
        found: The weak grades of the workspace.
        asked: The query_ids that the selection asks for, judged or not.
        judged: The graded split of the release.

    Raises:
        BuilderError: There is not one.
    """
    grades = [weak for weak in found.grades if weak.query_id in asked]
    left_out = Counter(why for (query_id, _), why in found.left_out.items() if query_id in asked)
    if not grades:
        raise _nothing(found, left_out)
    both = [weak for weak in grades if weak.doc_id in judged.get(weak.query_id, {})]
    agreement = two_sides(
        [weak.query_id for weak in both],
        [judged[weak.query_id][weak.doc_id] for weak in both],
        [weak.grade for weak in both],
    )
    only_here = len({weak.query_id for weak in grades} - judged.keys())
    reasons = dict(sorted(left_out.items()))
    return WeakLabels(
        grades, reasons, found.rule, found.searches, found.flagged, agreement, only_here
    )


def weak_section(weak: WeakLabels, marks: str) -> str:
    """The paragraph of the card; `marks` says what the events really are, "" if what they seem."""
    counts, rule = weak.counts, weak.rule
    low, middle, high = rule.bounds
    labels = f"{counts['labels']:,} label{'' if counts['labels'] == 1 else 's'}"
    events = f"{weak.searches:,} searches" + (f" ({marks})" if marks else "")
    least = f"{rule.min_impressions:,} impressions in {rule.min_sessions:,} sessions"
    if rule.measure == "coec" and rule.least_expected_clicks:
        least += f", {rule.least_expected_clicks:g} expected clicks"
    if rule.min_confidence:
        least += f" and a confidence of {rule.min_confidence:g}"
    told = [
        f"The split `{WEAK_SPLIT}` is **no judgment of anybody**.",
        f"Its {labels} of {counts['queries']:,} queries ({counts['unjudged_queries']:,} of them "
        f"without any judgment in `test`) were made of clicks in {events}:",
        f"by {_MEASURES[rule.measure]}, label 1 from {low:g}, 2 from {middle:g} and 3 from "
        f"{high:g} on, of pairs with at least {least}.",
        flagged_in_words(weak.flagged),
        "They may serve to train or to look around, not to measure quality.",
        _agreement(weak),
        "No reader takes this split unless it is named; `datasets` gives it beside `test` where "
        "nobody names one.",
        f"`{EVIDENCE_FILE}` holds each label with its confidence and counts.",
    ]
    return "## Weak labels from clicks: nobody judged these\n\n" + " ".join(filter(None, told))


def _agreement(weak: WeakLabels) -> str:
    """How far they agree with the grades, where both exist."""
    kappa = weak.agreement.kappa_quadratic
    if kappa.value is None:
        why = in_words(kappa.reason)
        return f"Agreement with the grades of `test` cannot be told: {why}."
    interval = ""
    if kappa.low is not None and kappa.high is not None:
        interval = f", 95 % interval {kappa.low:.2f} to {kappa.high:.2f}"
    return (
        f"On the {kappa.n:,} pairs that have both, their agreement with the grades of `test` is "
        f"quadratic kappa {kappa.value:.2f}{interval}."
    )


def _line(weak: WeakGrade) -> str:
    evidence = weak.evidence
    row = {
        "query-id": weak.query_id,
        "corpus-id": weak.doc_id,
        "weak_label": weak.grade,
        "confidence": round(weak.confidence, 6),
        "impressions": evidence.impressions,
        "clicks": evidence.clicks,
        "sessions": evidence.sessions,
    }
    return json.dumps(row, ensure_ascii=False)


def _nothing(found: WeakGrades, left_out: Mapping[str, int]) -> BuilderError:
    if not found.has_log:
        return BuilderError(
            "there are no weak labels to write: there is no search log",
            hint="Import search events first, or export without --weak.",
        )
    reasons = ", ".join(f"{n:,} {in_words(why)}" for why, n in sorted(left_out.items()))
    known = f"pairs that the log knows: {reasons}" if reasons else "the log knows none of the pairs"
    return BuilderError(
        f"there are no weak labels to write: {known}",
        hint="Ask for less under [weak_grades] in workspace.toml, or export without --weak.",
    )
