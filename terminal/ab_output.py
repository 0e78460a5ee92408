"""An A/B test as the terminal shows it: traffic first, then the verdict, then the numbers.

Model versions come from logs: what steers a terminal is taken out.
"""

import click

from online.ab import ABTest, Arms
from online.verdict import (
    advice,
    verdict,
    warnings,
)
from online.wording import (
    MOST_CROSSING,
    NO_SHARE,
    TITLES,
    bots_in_words,
    crossing_share,
    days_in_words,
    is_doubtful,
    p_in_words,
    ratio_in_words,
    signed,
    value_in_words,
    without_user_in_words,
)
from terminal.output import print_table
from terminal.texts import plain

COLUMNS = ("", "control", "treatment", "difference", "95 % interval", "p", "p (Holm)")


def print_ab(test: ABTest, mark: str = "") -> None:
    """The whole test; `mark` says what the events really are, such as "simulated"."""
    found, plan = verdict(test), test.plan
    told = [f"{mark} events"] if mark else []
    told += [f"tag {plan.tag}"] if plan.tag else []
    told += [f"{plan.query_class} queries".replace("_", " ")] if plan.query_class else []
    told += ["without bots"] if plan.without_bots else []
    marked = f" ({', '.join(told)})" if told else ""
    click.echo(
        plain(f"{plan.control} (control) against {plan.treatment} (treatment){marked}", None)
    )
    _print_ratio(test)
    click.echo(plain(found.headline, None))
    for sentence in found.sentences:
        click.echo(plain(f"  {sentence}", None))
    click.echo()
    print_table(COLUMNS, [_row(name, arms) for name, arms in test.metrics.items()])
    click.echo(_counts(test))
    click.echo()
    for line in _power(test):
        click.echo(line)
    for warning in warnings(test):
        click.echo(plain(f"Warning: {warning}", None))
    for line in advice(test):
        click.echo(plain(f"Advice: {line}", None))


def _print_ratio(test: ABTest) -> None:
    """The traffic; not where most units saw both arms, as that of the rest says nothing."""
    if all(test.units) and crossing_share(test) > MOST_CROSSING:
        return
    if words := without_user_in_words(test):
        click.echo(f"{words.rstrip('.')} (--unit user).")
    said = "SAMPLE RATIO FAILS" if test.ratio.alarm else "Sample ratio"
    doubt = is_doubtful(test)
    click.echo(f"{said}: {ratio_in_words(test)}{'; DOUBTFUL, no alarm' if doubt else ''}")
    if other := bots_in_words(test):
        click.echo(f"  {other}")
    click.echo()


def _row(name: str, arms: Arms) -> list[str]:
    found = arms.difference
    values = [value_in_words(name, value) for value in (arms.control.value, arms.treatment.value)]
    if found.p_value is None or found.low is None or found.high is None:
        why = (found.reason or "").replace("_", " ")
        return [TITLES[name], *values, _signed(name, found.value), why, "-", "-"]
    interval = f"{_signed(name, found.low)} to {_signed(name, found.high)}"
    return [
        TITLES[name],
        *values,
        _signed(name, found.value),
        interval,
        p_in_words(found.p_value).removeprefix("p ").removeprefix("= "),
        p_in_words(found.p_holm).removeprefix("p ").removeprefix("= "),
    ]


def _counts(test: ABTest) -> str:
    searches, units = test.searches, test.units
    return (
        f"{searches[0]:,} and {searches[1]:,} searches of {units[0]:,} and {units[1]:,} "
        f"{test.unit}s in {test.duration:,} days; intervals unadjusted, clustered by {test.unit}"
    )


def _power(test: ABTest) -> list[str]:
    found = test.metrics["ctr"].difference
    if found.smallest_effect is None:
        return []
    return [
        f"Found 4 times in 5 by now: a difference in CTR of {100 * found.smallest_effect:.1f} "
        f"points. For a change of {100 * test.plan.effect:g} % of the control's value: "
        f"{days_in_words(test, 'ctr')}."
    ]


def _signed(name: str, value: float | None) -> str:
    if value is None:
        return "-"
    return signed(name, value) + ("" if name in NO_SHARE else " pt")
