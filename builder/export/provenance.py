"""What a release says about itself: goldsmith.json for programs, README.md for people."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from builder.export.agreement_card import agreement_section, raters_section
from builder.export.names import markdown_text, without_names
from builder.export.raters import Raters
from builder.export.sampling_card import Sampled
from builder.export.selection import Selected, Selection
from builder.export.synthetic import ACCEPTED
from builder.export.synthetic_card import LEFT_OUT, SyntheticPart
from builder.export.synthetic_origins import Origins
from builder.export.weak import WeakLabels, weak_section
from builder.mining.deciding import flagged_in_words
from builder.settings import Settings
from evals.qrels import WEAK_SPLIT, forms_of
from evals.taskwriter import WrittenTask

FORMAT = 1
SPLIT = "test"
_RULES = {
    "majority": "the grade given most often; where several are, the lower median of all grades",
    "median": "the median, of two middle grades the lower",
    "mean": "the mean, rounded half up",
}


@dataclass(frozen=True, slots=True)
class Making:
    """How a task folder is made.

    Attributes:
        name: The task's name.
        release: The number that it gets as a release; 0 for a draft.
        created_at: When, ISO 8601 in UTC.
        selection: What was asked for.
        selected: What was selected and dropped.
        n_documents: Documents in the corpus.
        raters: Who graded the selected queries, under pseudonyms.
        agreement: Agreement on the selected queries, raters under pseudonyms; None where nobody
            asked for it.
        settings: The workspace's.
        pseudonyms: Name -> pseudonym.
        sampled: How its queries were drawn from the search log.
        weak: Labels from clicks in a split of their own; None where nobody asked for them.
        validation: What validation found of synthetic queries; None where nobody looked.
        origins: How the synthetic queries came to be; of none in a draft.
    """

    name: str
    release: int
    created_at: str
    selection: Selection
    selected: Selected
    n_documents: int
    raters: Raters
    agreement: Mapping[str, Any] | None
    settings: Settings
    pseudonyms: Mapping[str, str]
    sampled: Sampled
    weak: WeakLabels | None = None
    validation: Mapping[str, Any] | None = None
    origins: Origins = field(default_factory=Origins)

    @property
    def synthetic(self) -> SyntheticPart:
        """Its synthetic queries."""
        return SyntheticPart.of(self.selected, self.validation)

    @property
    def counts(self) -> dict[str, int]:
        """How much is in the folder."""
        return {
            "documents": self.n_documents,
            "queries": len(self.selected.qrels),
            "judgments": self.selected.n_judgments,
            "relevant": self.selected.n_relevant,
        }

    @property
    def excluded(self) -> list[dict[str, Any]]:
        """Who is left out of aggregation: pseudonym, reason and the grades that do not count."""
        left_out = [
            {
                "rater": self.pseudonyms[name],
                "reason": without_names(reason, self.pseudonyms),
                "grades": n,
            }
            for name, reason in self.selected.excluded.items()
            if (n := self.selected.left_out[name])
        ]
        return sorted(left_out, key=lambda row: str(row["rater"]))

    @property
    def dropped(self) -> dict[str, int]:
        """Reason -> queries that were asked for and are left out; synthetic ones where any are."""
        dropped = self.selected.dropped
        always = {reason: dropped[reason] for reason in ("unjudged", "no_relevant")}
        return always | {reason: dropped[reason] for reason in LEFT_OUT if dropped[reason]}

    @property
    def warnings(self) -> list[str]:
        """What a reader of scores on this folder should know."""
        said = []
        if below := self.selected.below_min_raters:
            least = self.selection.min_raters
            said.append(f"{below} graded pairs have fewer than {least} raters and are left out")
        without = sum(not any(grades.values()) for grades in self.selected.qrels.values())
        if without:
            said.append(f"{without} queries have no relevant document; they score 0 in mteb")
        for row in self.excluded:
            why = " ".join(str(row["reason"]).split()) or "no reason given"
            said.append(f"{row['grades']} grades of {row['rater']} are left out: {why}")
        if unweighted := self.sampled.unweighted:
            said.append(
                f"{unweighted:,} queries that were drawn from the log have no weight: the latest "
                "sampling that stands did not draw them, or theirs was taken back"
            )
        said += self.synthetic.warnings()
        if self.selection.synthetic == ACCEPTED and (self.validation or {}).get("provisional"):
            said.append(
                "the verdict on synthetic queries is provisional: pairs of the validation want "
                "further grades, which may change it"
            )
        if self.weak:
            n = self.weak.counts["labels"]
            said.append(
                f"{n:,} labels in the split {WEAK_SPLIT} were made of clicks: nobody judged them"
                f"{'; ' * bool(self.weak.beside)}{self.weak.beside}"
            )
            if flagged := flagged_in_words(self.weak.flagged):
                said.append(f"labels from clicks: {flagged.rstrip('.')}")
        return said


def release_counts(told: Mapping[str, Any]) -> dict[str, Any]:
    """What the table of releases tells of a goldsmith.json: how much, what was left out and why.

    Returns:
        The counts of the folder; dropped: {reason: queries}; where there are synthetic queries, in
        the folder or left out, synthetic: which ones were asked for.
    """
    counts = {**told["counts"]["out"], "dropped": told["counts"]["dropped"]}
    part = told.get("synthetic") or {}
    is_any = part.get("queries") or part.get("left_out")
    return counts | ({"synthetic": part["mode"]} if is_any else {})


def provenance(making: Making, written: WrittenTask, content_hash: str | None) -> dict[str, Any]:
    """goldsmith.json: how the task folder was made, so that every number can be defended.

    Args:
        making: How it is made.
        written: What was written.
        content_hash: Equal where two releases hold the same; None for a draft.
    """
    selected, settings = making.selected, making.settings
    return {
        "format": FORMAT,
        "goldsmith": version("goldsmith"),
        "name": making.name,
        "release": making.release or None,
        "created_at": making.created_at,
        "content_hash": content_hash,
        "files_hash": written.content_sha,
        "splits": {SPLIT: making.counts["judgments"]},
        "aggregation": {
            "rule": making.selection.rule,
            "meaning": _RULES[making.selection.rule],
            "min_raters": making.selection.min_raters,
            "adjudicated_pairs": selected.adjudicated.total(),
            "adjudicated_because": dict(sorted(selected.adjudicated.items())),
            "excluded_raters": making.excluded,
        },
        "selection": making.selection.as_json(),
        "counts": {
            "in": {
                "queries_asked_for": selected.asked,
                "queries_retired": selected.retired,
                "grades_by_kind": dict(sorted(selected.grades_by_kind.items())),
            },
            "out": making.counts,
            "dropped": making.dropped,
            "pairs_below_min_raters": selected.below_min_raters,
        },
        "raters_per_pair": {str(n): pairs for n, pairs in sorted(selected.raters_per_pair.items())},
        "raters": making.raters.as_json(),
        "disputed_pairs": making.raters.n_disputed,
        "undecided_pairs": making.raters.n_undecided,
        "agreement": None if making.agreement is None else dict(making.agreement),
        "grade_names": dict(zip("0123", settings.grades.names, strict=True)),
        "marks": settings.marks.model_dump(),
        "sampling": making.sampled.as_json(),
        "synthetic": making.synthetic.as_json(),
        "weak_labels": making.weak.as_json() if making.weak else None,
    }


def content_hash_of(making: Making, written: WrittenTask, raw: str, *, header: bool) -> str:
    """SHA-256, equal where two releases hold the same.

    Args:
        making: How the folder is made.
        written: What was written.
        raw: The hash of the raw grades.
        header: Whether qrels/*.tsv begin with a header line.
    """
    selection = making.selection.as_json()
    if not making.selected.validated:
        # Without synthetic queries, without raters who are left out and without weak labels the
        # content keeps the hash that older releases of it have.
        del selection["synthetic"]
    told = [written.content_sha, raw, selection, header]
    told += [making.excluded] if making.excluded else []
    told += [making.weak.digest] if making.weak else []
    told += [making.origins.digest] if making.origins else []
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def release_card(making: Making, *, header: bool = True) -> str:
    """The body of README.md: what this is, how it was made, how it is read.

    Args:
        making: How the folder is made.
        header: Whether qrels/*.tsv begin with a header line.
    """
    counts, agreement = making.counts, making.agreement or {}
    parts = [
        f"# {making.name}",
        f"A search evaluation set: {counts['documents']:,} documents, {counts['queries']:,} "
        f"queries, {counts['judgments']:,} graded pairs, {counts['relevant']:,} of them relevant "
        f"(grade 1 or more). Release {making.release}, made with Goldsmith on "
        f"{making.created_at[:10]} (UTC).",
        f"{making.weak.beside}: see below." if making.weak and making.weak.beside else "",
        _marks(making),
        "## How it was made",
        _making(making, agreement),
        making.sampled.paragraph(),
        making.synthetic.paragraph(),
        making.origins.paragraph(),
        "## Grades",
        _grades(making),
        "## Agreement of the raters",
        agreement_section(agreement, making.raters, making.settings.marks.grades),
        "## What was left out",
        _left_out(making),
        weak_section(making.weak, making.settings.marks.events) if making.weak else "",
        "## How to read it",
        _how_to_read(making, header=header),
    ]
    return "\n\n".join(part for part in parts if part)


def draft_card(making: Making) -> str:
    """The body of README.md of a draft: the grades of a moment, by which rules."""
    counts = making.counts
    parts = [
        f"# {making.name}",
        "**A draft, no release**: the grades of "
        f"{making.created_at[:16].replace('T', ' ')} (UTC), {counts['queries']:,} queries, "
        f"{counts['judgments']:,} graded pairs. It changes with the next grade.",
        _marks(making),
        _rules(making),
        making.synthetic.paragraph(),
        "\n".join(raters_section(making.raters)),
    ]
    return "\n\n".join(part for part in parts if part)


def _marks(making: Making) -> str:
    marks = making.settings.marks.grades
    return f"**The grades are {marks}.**" if marks else ""


def _making(making: Making, agreement: Mapping[str, Any]) -> str:
    raters = agreement["n_raters"]
    kinds = ", ".join(
        f"{n:,} of kind {kind}" for kind, n in sorted(making.selected.counting_by_kind.items())
    )
    by_raters = ", ".join(
        f"{pairs:,} by {n}" for n, pairs in sorted(making.selected.raters_per_pair.items())
    )
    # How imported grades were made is not known here: the card claims nothing about it.
    graded_by = f"{raters:,} raters" if raters > 1 else "One rater"
    if making.excluded:
        graded_by += f" (not counting {len(making.excluded):,} left out, see below)"
    by_hand = (
        f"{graded_by} graded pairs of a query and a document from 0 to 3. Goldsmith's own grading "
        "page shows no ranks, no scores and nobody else's grades."
    )
    imported = making.selected.counting_by_kind["import"]
    without = f"The grades, 0 to 3, come from {'imported files' if imported else 'a model'}."
    of_whom = " (a model's not among them)" if making.selected.on_models else ""
    return f"""\
{by_hand if raters else without} Grades: {kinds}.
Pairs by number of grades that count{of_whom}: {by_raters}.

{_rules(making)}

`judgments.jsonl` holds every grade and decision, raters under stable pseudonyms, to aggregate anew;
`goldsmith.json` holds all rules, counts and hashes."""


def _rules(making: Making) -> str:
    """By which rules several grades became one, what was decided, and who is left out."""
    rule = making.selection.rule
    others = "those of language models do not"
    if making.selected.on_models:
        others = (
            "of those of language models only the ones that came with accepted synthetic queries, "
            "where nobody graded the pair"
        )
    told = [
        f"One grade for each pair: {_RULES[rule]} (rule `{rule}`). Grades of people and of "
        f"imported files count; {others}.",
        _decided(making.selected),
        *(_left_out_rater(row) for row in making.excluded),
    ]
    return "\n".join(part for part in told if part)


def _decided(selected: Selected) -> str:
    if not selected.adjudicated:
        return "No pair was adjudicated."
    because = ", ".join(f"{reason} {n:,}" for reason, n in sorted(selected.adjudicated.items()))
    return (
        f"Adjudicated, so that the decision counts instead of the grades: "
        f"{selected.adjudicated.total():,} pairs ({because})."
    )


def _left_out_rater(row: Mapping[str, Any]) -> str:
    reason = markdown_text(str(row["reason"])) or "no reason given"
    return f"Left out: {row['grades']:,} grades of {row['rater']}. Why: {reason}."


def _grades(making: Making) -> str:
    names = making.settings.grades.names
    rows = "\n".join(f"| {grade} | {markdown_text(name)} |" for grade, name in enumerate(names))
    return f"| grade | name |\n|---|---|\n{rows}"


def _left_out(making: Making) -> str:
    told = (
        f"Queries without a grade that counts: {making.dropped['unjudged']:,}. Queries without a "
        f"relevant document: {making.dropped['no_relevant']:,}."
    )
    # Of synthetic ones the paragraph on them tells.
    least = making.selection.min_raters
    if least > 1:
        below = making.selected.below_min_raters
        told += f" Graded pairs with fewer than {least} raters: {below:,}."
    return (
        f"{told} Documents that nobody graded are in the corpus and count as not relevant in most "
        "measures."
    )


_HOW_TO_READ = """\
The folder is read unchanged by:

- Goldsmith: `goldsmith eval bm25 -t custom/{name}`
- mteb and `datasets`: `load_dataset("/absolute/path/to/{name}", "corpus")`, likewise `"queries"`
  and `"default"` (the judgments)
"""
_IN_FORMS = {
    ".tsv": '- beir: `GenericDataLoader("{name}").load(split="test")`\n',
    ".trec": "- trec_eval, ir_measures, pytrec_eval, ranx: `qrels/test.trec`\n",
}


def _how_to_read(making: Making, *, header: bool) -> str:
    """By which tools, of those whose form of the judgments holds all ids and so was written."""
    written = forms_of(making.selected.qrels, header=header)
    lines = [_HOW_TO_READ, *(line for form, line in _IN_FORMS.items() if form in written)]
    return "".join(lines).format(name=making.name).rstrip()
