"""A validation's verdict in one sentence, and what to do next: for analysts without statistics."""

from dataclasses import dataclass
from math import ceil
from typing import Final

from builder.judging.agreement.verdict import number
from builder.settings import SynthesisSettings
from builder.synthesis.verdict import Tally, Verdict
from estimates import Estimate, wilson

_MOST_NAMED: Final = 6
_MOST_MORE: Final = 2_000


@dataclass(frozen=True, slots=True)
class Standing:
    """What is told beside a verdict.

    Attributes:
        accepted: Queries whose synthetic grade counts.
        not_asked: Waiting ones whose document left the pool.
        set_aside: Waiting ones of which raters said something that an analyst has to decide on.
        unfinished: Graded ones that want further grades.
        later: Active synthetic queries that came after the drawing.
        changed: Not drawn ones that were retired or rewritten since.
    """

    accepted: int
    not_asked: int
    set_aside: int
    unfinished: int
    later: int
    changed: int


def without_validation(synthetic: int) -> tuple[str, str]:
    """Sentence and next step where no validation stands and there are so many queries."""
    if not synthetic:
        return (
            "There are no synthetic queries to validate.",
            "Generate queries and accept the good ones in the review.",
        )
    return (
        f"No expert was asked yet whether {_queries(synthetic)} of language models fit the "
        "documents that they were written for: no grade of theirs counts.",
        "Draw a validation: a random part of them goes blind into the experts' queue.",
    )


def in_words(verdict: Verdict, rule: SynthesisSettings, standing: Standing) -> tuple[str, str]:
    """Sentence and next step of a validation that stands."""
    said = {
        "wait": _waits,
        "accept": _accepts,
        "accept_strata": _accepts_strata,
        "reject": _rejects,
    }[verdict.verdict](verdict, rule, standing)
    sentence, following = said
    if is_provisional(verdict, standing):
        graded = verdict.whole.graded
        sentence = (
            f"Provisional: {graded:,} graded, {graded - standing.unfinished:,} complete, and "
            f"further grades may change the verdict. {sentence}"
        )
        n = standing.unfinished
        following = f"{_pairs(n)} still {_want(n)} a further grade first. {following}"
    return f"{sentence}{_beside(verdict, standing)}", f"{following}{_afterwards(standing)}"


def is_provisional(verdict: Verdict, standing: Standing) -> bool:
    """Whether there is a verdict, and graded pairs want further grades."""
    return verdict.verdict != "wait" and standing.unfinished > 0


def _waits(verdict: Verdict, rule: SynthesisSettings, standing: Standing) -> tuple[str, str]:
    whole = verdict.whole
    if not whole.waiting:
        rest = verdict.rest
        against = rest.cannot_judge + rest.gone
        return (
            f"{_found(rest)}, which would do, but of {_documents(against)} experts could not say "
            f"it: were these not relevant, the share might be {_low(rest.worst)}, below "
            f"{number(rule.least_agreement)}.",
            f"Decide on the {_pairs(whole.cannot_judge)} that raters cannot judge, on the page "
            "Adjudicate.",
        )
    so_far = f": {_lower(_found(whole))}" if whole.graded else ""
    settled = whole.drawn - whole.waiting
    are = "is" if 1 in (settled, whole.drawn) else "are"
    return (
        f"{settled:,} of {_drawn(whole.drawn)} {are} settled so far{so_far}.",
        _what_is_left(whole, standing),
    )


def _what_is_left(whole: Tally, standing: Standing) -> str:
    steps = []
    if standing.set_aside:
        steps.append(
            f"decide what becomes of {_queries(standing.set_aside)} that raters found unclear or "
            "out of scope, on the page Queries"
        )
    if standing.not_asked:
        steps.append(
            f"draw the validation again: the documents of {_queries(standing.not_asked)} were "
            "taken out of the pool"
        )
    left = whole.waiting - standing.set_aside - standing.not_asked
    if left > 0:
        steps.append(f"have {left:,} more {'pair' if left == 1 else 'pairs'} graded by experts")
    if n := standing.unfinished:
        steps.append(f"{_pairs(n)} that {'is' if n == 1 else 'are'} graded {_want(n)} more grades")
    return _step("; ".join(steps))


def _accepts(verdict: Verdict, rule: SynthesisSettings, standing: Standing) -> tuple[str, str]:
    every = "all " if standing.accepted == verdict.whole.queries else ""
    return (
        f"{_found(verdict.whole)}: safely above {number(rule.least_agreement)}, so the "
        f"documents of {every}{_queries(standing.accepted)} may count as relevant unseen.",
        "Export with the accepted queries, and compare models on them rather than quote numbers.",
    )


def _accepts_strata(
    verdict: Verdict, rule: SynthesisSettings, standing: Standing
) -> tuple[str, str]:
    kept = _listed(verdict.accepted_strata)
    return (
        f"{_found(verdict.rest)} of {kept}: safely above {number(rule.least_agreement)}, so "
        f"those of these {_queries(standing.accepted)} may count as relevant unseen. Left out: "
        f"{_left_out(verdict)}.",
        f"Export with the accepted queries, and do without {_listed(_out(verdict))} or mend the "
        "prompt and generate anew.",
    )


def _rejects(verdict: Verdict, rule: SynthesisSettings, standing: Standing) -> tuple[str, str]:
    del standing
    rest = verdict.rest
    least = number(rule.least_agreement)
    if not rest.graded:
        left_out = f" Left out: {_left_out(verdict)}." if verdict.whole.graded else ""
        return (
            f"{_found(verdict.whole)}: no grade of a synthetic query counts unseen.{left_out}",
            "Look at the pairs that experts found not relevant, mend the prompts and generate "
            "anew.",
        )
    if rest.agreement_passes(rule):
        return (
            f"{_found(rest)}, but {_queries(rest.gone)} of the drawn ones "
            f"{'was' if rest.gone == 1 else 'were'} retired or rewritten before anybody had graded "
            f"the document: with these against it the share might be {_low(rest.worst)}, below "
            f"{least}.",
            "Draw a new validation from the queries as they are now.",
        )
    more = _more_needed(rest.agreement, rule)
    sentence = (
        f"{_found(rest)}{_of_kept(verdict)}: that may be as little as {_low(rest.agreement)}, "
        f"below {least}, so no grade of a synthetic query counts unseen."
    )
    if more is not None and more > verdict.whole.queries:
        return sentence, (
            "There are too few of these queries to show more: draw all of them, for what experts "
            "graded counts in any case."
        )
    if more is not None:
        return sentence, (
            f"Draw a larger share: about {_queries(max(more, rest.graded + 1))} in all may show "
            "that the share is high enough, if experts go on agreeing as they do."
        )
    return sentence, (
        "Look at the pairs that experts found not relevant, mend the prompts and generate anew; "
        "what experts graded counts in any case."
    )


def _more_needed(share: Estimate, rule: SynthesisSettings) -> int | None:
    """How many graded queries of this share would do; None where none would, or too many."""
    if share.value is None or share.value <= rule.least_agreement:
        return None
    for n in range(share.n, _MOST_MORE + 1):
        low = wilson(int(share.value * n + 1e-9), n).low
        if low is not None and low >= rule.least_agreement:
            return 5 * ceil(n / 5)
    return None


def _beside(verdict: Verdict, standing: Standing) -> str:
    """What an analyst should know beside the verdict."""
    whole, told = verdict.whole, []
    if whole.cannot_judge and verdict.verdict != "wait":
        told.append(f"{_documents(whole.cannot_judge)} nobody could judge")
    if whole.gone:
        told.append(f"{_drawn(whole.gone)} {'is' if whole.gone == 1 else 'are'} gone or rewritten")
    if standing.changed:
        does = "does" if standing.changed == 1 else "do"
        told.append(f"{_queries(standing.changed)} not drawn changed since and {does} not count")
    if not told:
        return ""
    joined = "; ".join(told)
    return f" {joined[0].upper()}{joined[1:]}."


def _afterwards(standing: Standing) -> str:
    told = ""
    if standing.later:
        told += (
            f" {_queries(standing.later)} came after the drawing: draw again to have them count."
        )
    return told


def _found(tally: Tally) -> str:
    """Such as: Experts find the document relevant for 24 of 30 queries (.80, .63 to .90)."""
    share = tally.agreement
    if share.value is None or share.low is None or share.high is None:
        return "Experts could grade none of the drawn queries"
    return (
        f"Experts find the document relevant for {tally.agree:,} of {_queries(tally.graded)} "
        f"({number(share.value)}, 95 % interval {number(share.low)} to {number(share.high)})"
    )


def _of_kept(verdict: Verdict) -> str:
    return f" of {_listed(names)}" if _out(verdict) and (names := _kept(verdict)) else ""


def _kept(verdict: Verdict) -> list[str]:
    return [name for name, state in verdict.states.items() if state != "left_out"]


def _out(verdict: Verdict) -> list[str]:
    return [name for name, state in verdict.states.items() if state == "left_out"]


def _left_out(verdict: Verdict) -> str:
    """Such as: keyword (2 of 8), technical (none graded)."""
    told = []
    for name in _out(verdict):
        tally = verdict.strata[name]
        counts = f"{tally.agree:,} of {tally.graded:,}" if tally.graded else "none graded"
        told.append(f"{name} ({counts})")
    return ", ".join(told[:_MOST_NAMED]) + (" and others" if len(told) > _MOST_NAMED else "")


def _listed(names: list[str]) -> str:
    if len(names) > _MOST_NAMED:
        return f"{len(names)} strata"
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _low(share: Estimate) -> str:
    return "anything" if share.low is None else number(share.low)


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]


def _step(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _queries(n: int) -> str:
    return f"{n:,} {'query' if n == 1 else 'queries'}"


def _drawn(n: int) -> str:
    return f"{n:,} drawn {'query' if n == 1 else 'queries'}"


def _documents(n: int) -> str:
    return f"{n:,} {'document' if n == 1 else 'documents'}"


def _pairs(n: int) -> str:
    return f"{n:,} {'pair' if n == 1 else 'pairs'}"


def _want(n: int) -> str:
    return "wants" if n == 1 else "want"
