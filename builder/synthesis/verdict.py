"""What a validation allows: accept all synthetic queries, some strata of them, or none.

The rule, settled when a validation is drawn and kept with it, so that nobody sets it knowing the
grades. A stratum is left out where even the upper end of its own Wilson interval is below
`good_agreement`: it is surely not good. What is left is accepted where the lower end of its Wilson
interval, all its strata together, is `least_agreement` or higher: it is surely not bad. So few
queries of one stratum cannot spoil the whole, nor can the whole hide a stratum that is surely poor.

What nobody can judge and what was retired or rewritten before its grade is no evidence for either
side, but too much of it is a way to pass with the rest: it must pass with all of that against it,
too. The intervals are those of drawing with replacement, a little wider than the truth.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from builder.settings import SynthesisSettings
from builder.store import Connection
from builder.synthesis.experts import (
    AGREES,
    CANNOT_JUDGE,
    GONE,
    WAITING,
    Evidence,
    Unit,
    evidence_of,
)
from builder.workspace import Workspace
from estimates import Estimate, wilson

VERDICTS = ("none", "wait", "accept", "accept_strata", "reject")
"""none: nothing is drawn; wait: experts, or an analyst, have not said all; accept: all strata;
accept_strata: those that `accepted_strata` names; reject: no synthetic grade counts."""

STATES = ("wait", "accepted", "accepted_with_the_set", "left_out", "rejected")
"""Of a stratum. accepted: surely not bad by itself; accepted_with_the_set: too little is known of
it by itself, and with the others it is surely not bad; left_out: surely not good by itself, or
nobody could say; rejected: good enough by itself, but not with the others that are left."""

_ACCEPTED = ("accepted", "accepted_with_the_set")


@dataclass(frozen=True, slots=True)
class Tally:
    """What experts said of drawn queries.

    Attributes:
        queries: All, drawn or not.
        drawn: Of these.
        graded: Drawn and graded by an expert.
        agree: Of the graded, those whose document is relevant.
        cannot_judge: Drawn, and nobody can judge the document.
        gone: Drawn, and rewritten or retired before the grade.
        waiting: Drawn, and nothing of this yet.
    """

    queries: int
    drawn: int
    graded: int
    agree: int
    cannot_judge: int
    gone: int
    waiting: int

    @classmethod
    def of(cls, units: Iterable[Unit]) -> "Tally":
        """Counts the units."""
        every = list(units)
        said = [unit.said for unit in every if unit.drawn]
        return cls(
            queries=len(every),
            drawn=len(said),
            graded=sum(unit.grade is not None for unit in every if unit.drawn),
            agree=said.count(AGREES),
            cannot_judge=said.count(CANNOT_JUDGE),
            gone=said.count(GONE),
            waiting=said.count(WAITING),
        )

    @property
    def agreement(self) -> Estimate:
        """The share of the graded that agree, with its Wilson interval."""
        if not self.graded:
            return Estimate.undefined("nothing_graded")
        return wilson(self.agree, self.graded)

    @property
    def worst(self) -> Estimate:
        """The same with all against it that nobody can judge or that is gone."""
        settled = self.graded + self.cannot_judge + self.gone
        return wilson(self.agree, settled) if settled else Estimate.undefined("nothing_graded")

    def passes(self, rule: SynthesisSettings) -> bool:
        """Whether it is surely not bad, whatever is behind what nobody said."""
        low = self.worst.low
        return low is not None and self.agreement_passes(rule) and low >= rule.least_agreement

    def agreement_passes(self, rule: SynthesisSettings) -> bool:
        """Whether what is graded is surely not bad."""
        low = self.agreement.low
        return low is not None and low >= rule.least_agreement

    def is_left_out(self, rule: SynthesisSettings) -> bool:
        """Whether it is surely not good; also where nobody graded any of it."""
        high = self.agreement.high
        return high is None or high < rule.good_agreement


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a validation allows.

    Attributes:
        verdict: One of `VERDICTS`, but for none.
        whole: All drawn queries.
        rest: Those of the strata that are not left out.
        strata: Stratum -> what experts say of it.
        states: Stratum -> one of `STATES`.
    """

    verdict: str
    whole: Tally
    rest: Tally
    strata: Mapping[str, Tally]
    states: Mapping[str, str]

    @property
    def accepted_strata(self) -> list[str]:
        """The strata whose synthetic grades count, in order."""
        return [name for name, state in self.states.items() if state in _ACCEPTED]


def decide(units: Sequence[Unit], rule: SynthesisSettings) -> Verdict:
    """What the units of a validation allow by the rule; see the module."""
    names = sorted({unit.stratum for unit in units})
    strata = {name: Tally.of(unit for unit in units if unit.stratum == name) for name in names}
    left_out = {name for name, tally in strata.items() if tally.is_left_out(rule)}
    rest = Tally.of(unit for unit in units if unit.stratum not in left_out)
    whole = Tally.of(units)
    verdict = _verdict(whole, rest, rule, has_left_out=bool(left_out))
    if verdict == "wait":
        states = dict.fromkeys(names, "wait")
    else:
        rejects = verdict == "reject"
        states = {
            name: "left_out" if name in left_out else _state(tally, rule, rejects=rejects)
            for name, tally in strata.items()
        }
    return Verdict(verdict, whole, rest, strata, states)


def _state(tally: Tally, rule: SynthesisSettings, *, rejects: bool) -> str:
    """Of a stratum that is not left out."""
    if rejects:
        return "rejected"
    return "accepted" if tally.passes(rule) else "accepted_with_the_set"


def _verdict(whole: Tally, rest: Tally, rule: SynthesisSettings, *, has_left_out: bool) -> str:
    if whole.waiting:
        return "wait"
    if rest.passes(rule):
        return "accept_strata" if has_left_out else "accept"
    # An analyst's decisions on what raters cannot judge may still let it pass.
    return "wait" if rest.cannot_judge and rest.agreement_passes(rule) else "reject"


def accepted_queries(within: Workspace | Connection) -> frozenset[str]:
    """The query_ids whose synthetic grade counts by the latest validation that stands.

    All queries of the accepted strata, drawn and not drawn, that are active and say what they said
    at the drawing; but for those whose document people gave up, since they cannot judge it. Queries
    that came later are in no stratum.

    Args:
        within: A workspace, or a transaction of its store.

    Returns:
        The ids; empty unless the verdict is accept or accept_strata.
    """
    if isinstance(within, Workspace):
        with within.store.read() as connection:
            return accepted_queries(connection)
    evidence = evidence_of(within)
    if evidence is None:
        return frozenset()
    return frozenset(accepted_of(evidence, decide(evidence.units, evidence.rule)))


def accepted_of(evidence: Evidence, verdict: Verdict) -> dict[str, str]:
    """As `accepted_queries`, of what is known already, each with its document.

    Of no other document of the query anything is known, as of those that a merge brought it.
    """
    accepted = set(verdict.accepted_strata)
    return {
        unit.query_id: unit.doc_id
        for unit in evidence.units
        if unit.stratum in accepted and unit.stands and not unit.is_given_up
    }
