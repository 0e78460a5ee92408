"""What a release says of its synthetic queries: how many, who vouches for them, what is out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from builder.export.selection import Selected
from builder.export.synthetic import ACCEPTED, NONE
from estimates import Estimate

LEFT_OUT = ("unvalidated", "rewritten", "synthetic")
"""Of the reasons for which queries are left out, those that only synthetic ones have."""

_WHY = {
    "unvalidated": "since people graded no pair of {them}",
    "rewritten": "since {they} rewritten after the drawing for experts, who graded other words",
    "synthetic": "since none was asked for",
}
_NOT_ASKED = Estimate.undefined("no_validation").as_json()


@dataclass(frozen=True, slots=True)
class SyntheticPart:
    """The synthetic queries of a release.

    Attributes:
        mode: Which ones were asked for: none, validated or accepted.
        queries: How many are in the release.
        validated: Those of them all of whose grades are people's.
        on_models: Pairs whose grade came with their query from a language model.
        left_out: Reason -> synthetic queries that are left out.
        report: What validation found, as `validation_report` tells it; None where nobody looked:
            there is no such query, or the folder is a draft.
    """

    mode: str
    queries: int
    validated: int
    on_models: int
    left_out: Mapping[str, int]
    report: Mapping[str, Any] | None

    @classmethod
    def of(cls, selected: Selected, report: Mapping[str, Any] | None) -> Self:
        """Of what was selected."""
        return cls(
            selected.selection.synthetic,
            len(selected.validated),
            sum(selected.validated.values()),
            selected.on_models.total(),
            {reason: n for reason in LEFT_OUT if (n := selected.dropped[reason])},
            report,
        )

    def __bool__(self) -> bool:
        """Whether there is any synthetic query, in the release or left out."""
        return bool(self.queries or self.left_out)

    def as_json(self) -> dict[str, Any]:
        """For goldsmith.json and `export --json`.

        Returns:
            mode; queries, validated and unvalidated of the release; left_out; of the validation:
            drawn, graded, agree (queries), agreement (their share with its Wilson interval),
            accepted_strata, verdict, sentence; share_relevant and mean_grade: estimates for all
            synthetic queries of the workspace, None without validation.
        """
        report = self.report or {}
        estimates = report.get("estimates") or {}
        return {
            "mode": self.mode,
            "queries": self.queries,
            "validated": self.validated,
            "unvalidated": self.queries - self.validated,
            "left_out": dict(self.left_out),
            **{name: report.get(name, 0) for name in ("drawn", "graded", "agree")},
            "agreement": report.get("agreement", _NOT_ASKED),
            "accepted_strata": list(report.get("accepted_strata", ())),
            "verdict": report.get("verdict", "none"),
            "sentence": report.get("sentence", ""),
            **{name: estimates.get(name) for name in ("share_relevant", "mean_grade")},
        }

    def warnings(self) -> Iterator[str]:
        """What a reader of scores should know of them."""
        if unvalidated := self.queries - self.validated:
            one = unvalidated == 1
            rest, them, their = ("rests", "it", "its") if one else ("rest", "them", "their")
            yield (
                f"{unvalidated:,} synthetic {'query' if one else 'queries'} {rest} on the grade "
                f"that came with {them} from a language model: nobody graded {their} document"
            )
        if self.mode == ACCEPTED and self.report and not self.report["accepted_strata"]:
            yield f"no stratum of synthetic queries is accepted: {self.report['sentence']}"

    def paragraph(self) -> str:
        """For the card, in Markdown; "" where there is nothing to say."""
        return " ".join(self._sentences()) if self else ""

    def _sentences(self) -> Iterator[str]:
        if self.queries:
            yield (
                f"{_queries(self.queries)} of this release {_was(self.queries)} written by a "
                "language model, each for one document (source `synthetic` in "
                f"`queries_metadata.jsonl`). People graded all pairs of {self.validated:,} of them "
                "(`validated`)."
            )
        if self.on_models:
            others = self.queries - self.validated
            belong, their = ("belongs", "its") if others == 1 else ("belong", "their")
            yield (
                f"The other {others:,} {belong} to strata that validation accepted: {their} "
                "document has the grade that came with the query from the model."
            )
        if self.report and self.mode != NONE:
            yield from _validation(self.report)
        for reason, n in self.left_out.items():
            they, them = ("it was", "it") if n == 1 else ("they were", "them")
            why = _WHY[reason].format(they=they, them=them)
            yield f"Left out: {_queries(n)} that a language model wrote, {why}."
        if self.queries:
            yield (
                "Such queries resemble the document that they were written for, so that every "
                "model scores higher on them than on queries that people typed: compare models, do "
                "not quote the numbers."
            )


def _validation(report: Mapping[str, Any]) -> Iterator[str]:
    share = report["agreement"]
    if share["value"] is not None:
        yield (
            f"Of {report['queries']:,} synthetic queries {report['drawn']:,} were drawn at random "
            f"for experts, who did not know; in {report['agree']:,} of the {report['graded']:,} "
            f"that they graded they found the document relevant (grade 2 or 3): "
            f"{share['value']:.0%}, 95 % interval {share['low']:.1%} to {share['high']:.1%} "
            "(Wilson)."
        )
    # Where all are accepted, the sentence would say the same once more.
    if report["verdict"] != "accept":
        # Our own words; names of prompts and languages hold no sign that Markdown would read.
        yield report["sentence"]


def _queries(n: int) -> str:
    return f"{n:,} {'query' if n == 1 else 'queries'}"


def _was(n: int) -> str:
    return "was" if n == 1 else "were"
