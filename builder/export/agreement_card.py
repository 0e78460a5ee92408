"""What the card of a task folder says of its raters: what agreement allows, and who stands out."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from builder.export.raters import Raters
from builder.judging.agreement import in_words

_FLAGS: Final = {
    "outlier": "agrees with the others far less than they do among themselves",
    "lenient": "grades higher than the others",
    "strict": "grades lower than the others",
    "too_fast": "far faster than the others",
    "one_grade": "nearly always the same grade",
    "copies": "the same grades as another rater, beyond honest agreement",
    "contradicts_self": "contradicts the own earlier grades",
}


def agreement_section(agreement: Mapping[str, Any], raters: Raters, mark: str) -> str:
    """The verdict, the number behind it, who stands out, and what nobody has decided.

    Args:
        agreement: As `builder.judging.agreement.agreement_of`, under pseudonyms.
        raters: The same raters.
        mark: Such as "illustrative"; "" where the grades are what they seem.
    """
    told = [agreement["verdict"]["sentence"], _headline(agreement, mark), *_copies(agreement)]
    return "\n".join([*told, *raters_section(raters)])


def raters_section(raters: Raters) -> Iterator[str]:
    """How many raters stand out and by which flags, and how many disputed pairs are undecided."""
    if len(raters.flags) > 1:
        yield _stand_out(raters)
    if raters.n_disputed:
        yield (
            f"Disputed pairs (grades two or more apart, or 0 or 1 against 2 or 3): "
            f"{raters.n_disputed:,}, of these undecided: {raters.n_undecided:,}. Where nobody "
            "decided, the rule settles the grade."
        )


def _headline(agreement: Mapping[str, Any], mark: str) -> str:
    """Alpha, where there are copies without these, as in the verdict."""
    apart = agreement["alpha_ordinal_without_copies"]
    alpha = apart or agreement["alpha_ordinal"]
    name = "Krippendorff's alpha (ordinal)"
    if apart:
        name += " without copied grades"
    if alpha["value"] is None:
        return f"{name} cannot be computed: {in_words(alpha['reason'])}."
    interval = ""
    if alpha["low"] is not None:
        interval = f", 95 % interval {alpha['low']:.2f} to {alpha['high']:.2f} (queries resampled)"
    marked = f" ({mark})" if mark else ""
    return f"{name} {alpha['value']:.2f}{interval}, on {_shared(alpha['n'])}{marked}."


def _copies(agreement: Mapping[str, Any]) -> Iterator[str]:
    """That copied grades were found, whose, and what alpha would be with them."""
    if not agreement["copies"]:
        return
    found = "; ".join(
        f"{' and '.join(copy['raters'])} on {_pairs(copy['n'])}{_later(copy['later'])}"
        for copy in agreement["copies"]
    )
    alpha = agreement["alpha_ordinal"]["value"]
    beside = "" if alpha is None else f" Alpha with them: {alpha:.2f}."
    yield f"Copied grades were found, which are no evidence of agreement: {found}.{beside}"


def _later(name: str | None) -> str:
    return f" ({name} graded later)" if name else ""


def _stand_out(raters: Raters) -> str:
    flagged = [codes for codes in raters.flags.values() if codes]
    of_all = f"of {len(raters.flags):,} raters"
    if not flagged:
        return f"None {of_all} stands out."
    by_flag = Counter(code for codes in flagged for code in codes)
    listed = "; ".join(f"`{code}` ({_FLAGS[code]}): {n:,}" for code, n in sorted(by_flag.items()))
    verb = "stands" if len(flagged) == 1 else "stand"
    return f"{len(flagged):,} {of_all} {verb} out, by flag: {listed}. `goldsmith.json` says who."


def _shared(n: int) -> str:
    return f"{_pairs(n)} that two or more raters graded"


def _pairs(n: int) -> str:
    return f"{n:,} pair{'' if n == 1 else 's'}"
