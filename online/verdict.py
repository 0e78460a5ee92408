"""What an A/B test says, in words that a manager understands and a statistician signs."""

from dataclasses import asdict, dataclass, replace

from online.ab import ABTest, Arms
from online.abtest import ALARM
from online.both_ways import both_ways_in_words, moves, without_the_other_way
from online.wording import (
    MOST_CROSSING,
    RAREST,
    TITLES,
    bots_in_words,
    change_in_words,
    crossing_share,
    p_in_words,
    ratio_in_words,
    value_in_words,
    why_no_interval,
    without_conversions,
    without_user_in_words,
)

LOWER_IS_BETTER = {"zero_result_rate"}
UNUSABLE = {"nothing_to_compare", "units_in_both_arms", "sample_ratio"}
DECISIVE = {"better", "worse", "mixed"}
NEITHER_WAY = {"clicks_at_1_2"}
"""A share of clicks also falls where users click more, further down: it is told, not weighed."""
FEW_SEARCHES, ENOUGH_SEARCHES = 1_000, 10_000
LEAKING = 0.01
"""From this share of units in both arms the assignment itself is in doubt."""
PEEKING = (
    "Fix the last day before the test begins and decide on that day. Whoever looks every day and "
    "stops at the first p < .05 finds a difference in more than a quarter of the tests that have "
    "none (about 28 % at 30 looks)."
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to believe.

    Attributes:
        code: nothing_to_compare, units_in_both_arms, sample_ratio, cannot_tell, better, worse,
            mixed or no_difference; of the treatment.
        headline: One sentence.
        sentences: What stands behind it.
        depends_on_bots: Whether flagged sessions change the code, or move the difference in CTR by
            more than half of its half width.
    """

    code: str
    headline: str
    sentences: tuple[str, ...] = ()
    depends_on_bots: bool = False

    def as_json(self) -> dict[str, object]:
        """Code, headline, sentences, and `text`, all of it as one paragraph."""
        return asdict(self) | {
            "sentences": list(self.sentences),
            "text": " ".join((self.headline, *self.sentences)),
        }


def verdict(test: ABTest) -> Verdict:
    """What the test says: first whether it can be believed, then what it found.

    A metric differs where its p-value, corrected by Holm for all metrics of the test, is below .05.
    """
    found = _plain_verdict(test)
    other = without_the_other_way(test)
    if other is None or found.code in UNUSABLE:
        return found
    changed = (there := _plain_verdict(other)).code != found.code
    way = "without" if test.plan.without_bots else "with"
    only = changed and found.code in DECISIVE and there.code not in UNUSABLE
    return replace(
        found,
        headline=f"Only {way} flagged sessions: {found.headline}" if only else found.headline,
        sentences=(*both_ways_in_words(test, there.headline if changed else ""), *found.sentences),
        depends_on_bots=changed or moves(test),
    )


def _plain_verdict(test: ABTest) -> Verdict:
    if not all(test.units):
        return _nothing_left(test)
    if crossing_share(test) > MOST_CROSSING:
        return _mixed_up(test)
    if test.ratio.alarm:
        return _sample_ratio_fails(test)
    if found := [name for name in _significant(test) if name not in NEITHER_WAY]:
        return _different(test, found)
    if test.metrics["ctr"].difference.p_value is None:
        return _cannot_tell(test)
    return _no_difference(test)


def guard_sentence(test: ABTest) -> str | None:
    """What `goldsmith ab --guard` says of the test; None where all is well."""
    if not all(test.units):
        found = _nothing_left(test)
        return f"the guard fires: {' '.join((_small(found.headline), *found.sentences))}"
    if test.guard_reasons:
        return f"the guard fires: {' and '.join(test.guard_reasons).replace('_', ' ')}"
    if crossing_share(test) > MOST_CROSSING:
        return f"the guard cannot tell whether CTR dropped. {_mixed_up(test).headline}"
    if test.guard_blindness:
        reason = test.guard_blindness.replace("_", " ")
        return f"the guard cannot tell yet whether CTR dropped: {reason}"
    return None


def warnings(test: ABTest) -> list[str]:
    """What weakens the test, the gravest first; the last one is always that against peeking."""
    found = [
        _bots(test),
        _one_sided_days(test),
        _crossing(test),
        _few_searches(test),
        _without_unit(test),
        _sessions_made_up(test),
        _without_rank(test),
        without_conversions(test),
    ]
    return [*(words for words in found if words), PEEKING]


def advice(test: ABTest) -> list[str]:
    """What would make the test better."""
    found = []
    if FEW_SEARCHES <= min(test.searches) < ENOUGH_SEARCHES:
        found.append(f"Fewer than {ENOUGH_SEARCHES:,} searches in an arm: {_missed(test)}")
    if test.unit == "session" and not without_user_in_words(test):
        found.append(
            "Sessions are the unit. If users are assigned, log user_id with every search: the "
            "sessions of one user are not independent."
        )
    return found


def is_small(test: ABTest) -> bool:
    """Whether an arm has so few searches that nobody should decide on them."""
    return min(test.searches) < FEW_SEARCHES


def _nothing_left(test: ABTest) -> Verdict:
    empty = [arm for arm, units in zip(test.plan.arms, test.units, strict=True) if not units]
    why = []
    if test.crossing_units:
        why.append(f"{test.crossing_units:,} {test.unit}s saw both arms and are left out.")
    if test.without_unit:
        why.append(f"{test.without_unit:,} searches name no {test.unit} and are left out.")
    return Verdict(
        "nothing_to_compare",
        f"Nothing can be compared: no {test.unit} is left in {' and in '.join(empty)}.",
        tuple(why),
    )


def _mixed_up(test: ABTest) -> Verdict:
    unit, left = test.unit, sum(test.units)
    other = "session" if unit == "user" else "user"
    return Verdict(
        "units_in_both_arms",
        f"Do not use this test: {100 * crossing_share(test):.1f} % of the {unit}s saw both arms.",
        (
            f"{test.crossing_units:,} {unit}s are left out with {test.crossing_searches:,} "
            f"searches, and what is compared below is the {left:,} that are left: those who came "
            "seldom, no fair sample. Their numbers are no effects of the treatment.",
            f"These {unit}s cannot be what was assigned to an arm, or the assignment leaks. If "
            f"{other}s were assigned, take the {other} as unit; else look at what wrote "
            "model_version into the log.",
        ),
    )


def _sample_ratio_fails(test: ABTest) -> Verdict:
    p_value = test.ratio.p_value or 0.0
    rarely = "less than once in a billion" if p_value < RAREST else f"once in {_about(1 / p_value)}"
    return Verdict(
        "sample_ratio",
        "Do not use this test: the arms did not get the traffic that was planned.",
        (
            f"{ratio_in_words(test)}; chance alone does that {rarely} tests, and the alarm "
            f"stands at once in {1 / ALARM:,.0f}.",
            "Something other than the model decides which searches reach an arm: look for lost "
            "logs, redirects, bots, or an arm that began later. Then run it again; the differences "
            "of this one are no effects of the treatment.",
            *_saved_by_bots(test),
        ),
    )


def _saved_by_bots(test: ABTest) -> tuple[str, ...]:
    """Where flagged sessions alone break the split."""
    bots = test.bots
    if bots is None or test.plan.without_bots or bots.ratio_without.alarm:
        return ()
    if bots.ratio_without.p_value is None:
        return ()
    return (
        f"It is the bots: {bots_in_words(test)}. Look at them (goldsmith events bots), and if they "
        "are none of your users, test without them (--without-bots).",
    )


def _about(number: float) -> str:
    """One digit of it: 49,751 is "50,000"."""
    return f"{float(f'{number:.1g}'):,.0f}"


def _different(test: ABTest, found: list[str]) -> Verdict:
    good = [name for name in found if _is_good(name, test.metrics[name])]
    bad = [name for name in found if name not in good]
    plan = test.plan
    if good and bad:
        code, headline = "mixed", f"{plan.treatment} is better in some ways and worse in others."
    elif good:
        code, headline = "better", f"{plan.treatment} is better than {plan.control}."
    else:
        code, headline = "worse", f"{plan.treatment} is worse than {plan.control}."
    if is_small(test):
        headline = f"A first hint: {headline}"
    told = [_told(test, name) for name in [*good, *bad]]
    if "ctr" not in found:
        told.append(f"No difference is established in CTR: {_of(test, 'ctr')}.")
    return Verdict(code, headline, (*told, *_shifted(test), *_weight(test)))


def _significant(test: ABTest) -> list[str]:
    return [name for name, arms in test.metrics.items() if arms.difference.significant]


def _shifted(test: ABTest) -> tuple[str, ...]:
    """What differs, and says neither better nor worse."""
    why = (
        "This is a share of clicks, which more clicks further down lower too: neither good nor bad."
    )
    return tuple(f"{_told(test, name)} {why}" for name in _significant(test) if name in NEITHER_WAY)


def _told(test: ABTest, name: str) -> str:
    arms = test.metrics[name]
    tested = sum(arms.difference.p_value is not None for arms in test.metrics.values())
    rises = "rises" if (arms.difference.value or 0) > 0 else "falls"
    corrected = f", corrected for {tested} metrics" if tested > 1 else ""
    return (
        f"{_capital(TITLES[name])} {rises} from {value_in_words(name, arms.control.value)} to "
        f"{value_in_words(name, arms.treatment.value)}: {change_in_words(name, arms)}, "
        f"{p_in_words(arms.difference.p_holm)}{corrected}."
    )


def _cannot_tell(test: ABTest) -> Verdict:
    said = why_no_interval(test, "ctr")
    return Verdict("cannot_tell", "Nothing can be said about CTR yet.", (said, *_weight(test)))


def _no_difference(test: ABTest) -> Verdict:
    arms, plan = test.metrics["ctr"], test.plan
    return Verdict(
        "no_difference",
        f"No difference between {plan.treatment} and {plan.control} is established.",
        (
            f"CTR: {_of(test, 'ctr')}.",
            *_only_by_itself(arms),
            *_shifted(test),
            *_found_by_now(test),
            *_weight(test),
        ),
    )


def _found_by_now(test: ABTest) -> tuple[str, ...]:
    smallest = test.metrics["ctr"].difference.smallest_effect
    if smallest is None:
        return ()
    return (
        f"That does not make them equal: a test of this size finds a true difference of "
        f"{100 * smallest:.1f} points 4 times in 5, and smaller ones more rarely.",
    )


def _only_by_itself(arms: Arms) -> tuple[str, ...]:
    """Where the interval excludes 0 and the corrected p-value does not follow."""
    found = arms.difference
    if found.p_value is None or found.p_value >= 0.05:
        return ()
    return (
        f"Taken alone it would count ({p_in_words(found.p_value)}); corrected for the other "
        f"metrics it may be chance ({p_in_words(found.p_holm)}). Take it as a warning sign.",
    )


def _missed(test: ABTest) -> str:
    smallest = test.metrics["ctr"].difference.smallest_effect
    if smallest is None:
        return "small differences are missed more often than not."
    return f"a difference in CTR of less than {100 * smallest:.1f} points is easily missed."


def _weight(test: ABTest) -> tuple[str, ...]:
    words = f"With fewer than {FEW_SEARCHES:,} searches in an arm this is a hint, no decision."
    return (words,) if is_small(test) else ()


def _of(test: ABTest, name: str) -> str:
    arms = test.metrics[name]
    values = [value_in_words(name, value) for value in (arms.control.value, arms.treatment.value)]
    return f"{' and '.join(values)}, {change_in_words(name, arms)}"


def _is_good(name: str, arms: Arms) -> bool:
    return ((arms.difference.value or 0) > 0) != (name in LOWER_IS_BETTER)


def _bots(test: ABTest) -> str:
    """How much of the test flagged sessions are, and whether the split depends on them."""
    bots = test.bots
    if bots is None or not any(bots.searches):
        return ""
    other = bots.ratio_with if test.plan.without_bots else bots.ratio_without
    if other.alarm and not test.ratio.alarm:
        return (
            f"The sample ratio passes only {'without' if test.plan.without_bots else 'with'} "
            f"bots; {bots_in_words(test)}. Find out why before you believe the test."
        )
    if test.plan.without_bots:
        return ""
    searches = sum(bots.searches)
    share = 100 * searches / sum(test.searches)
    return f"{searches:,} searches ({share:.1f} %) are of sessions flagged as bots, and count."


def _one_sided_days(test: ABTest) -> str:
    if not all(test.units):
        # Which days an arm had is not known where its units are left out.
        return ""
    both = sum(all(day.searches) for day in test.days)
    if not both:
        return (
            "No day has searches of both arms: this compares a time before with a time after, and "
            "whatever else changed between them is taken for the model."
        )
    if both < len(test.days):
        return f"On {len(test.days) - both} of {len(test.days)} days only one arm has searches."
    return ""


def _crossing(test: ABTest) -> str:
    if not test.crossing_units:
        return ""
    share = crossing_share(test)
    if share > MOST_CROSSING and all(test.units):
        # The verdict says it.
        return ""
    words = (
        f"{test.crossing_units:,} {test.unit}s ({100 * share:.1f} %) saw both arms and are left "
        f"out, with {test.crossing_searches:,} searches."
    )
    if share < LEAKING:
        return words
    return f"{words} So many mean that the {test.unit} is not what was assigned, or that it leaks."


def _few_searches(test: ABTest) -> str:
    fewest = min(test.searches)
    if fewest >= FEW_SEARCHES:
        return ""
    arm = test.plan.control if test.searches[0] == fewest else test.plan.treatment
    return f"Fewer than {FEW_SEARCHES:,} searches in {arm} ({fewest:,}): too few for a decision."


def _without_unit(test: ABTest) -> str:
    if not test.without_unit:
        return ""
    return f"{test.without_unit:,} searches name no {test.unit} and are left out."


def _sessions_made_up(test: ABTest) -> str:
    if test.unit != "session" or not test.sessions_made_up:
        return ""
    return (
        f"{test.sessions_made_up:,} searches name no session and count as one each: if they are "
        "of one visit, the intervals are too narrow."
    )


def _without_rank(test: ABTest) -> str:
    if not test.without_rank:
        return ""
    return f"{test.without_rank:,} clicked searches log no rank and count 0 in click-MRR."


def _small(words: str) -> str:
    return words[:1].lower() + words[1:]


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
