"""The command that compares two model versions on what users did."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from terminal import output as out
from terminal.options import json_option, with_workspace
from terminal.texts import plain

if TYPE_CHECKING:
    from datetime import datetime

    from builder.workspace import Workspace
    from online.ab import ABTest, Plan

GUARD_FIRED = 3
DAY = click.DateTime(["%Y-%m-%d"])


class Split(click.ParamType[tuple[float, float]]):
    """Planned traffic of control and treatment, such as 50:50 or 90:10."""

    name = "split"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float]:
        """The two shares; usage error unless they are two positive numbers."""
        if isinstance(value, tuple):
            return value
        parts = str(value).split(":")
        try:
            control, treatment = (float(part) for part in parts)
        except ValueError:
            self.fail(f"{value!r} is no split; write 50:50 or 90:10", param, ctx)
        if not (0 < control < float("inf") and 0 < treatment < float("inf")):
            self.fail(f"{value!r}: both shares must be positive", param, ctx)
        return control, treatment


@click.command()
@click.argument("control")
@click.argument("treatment")
@click.option(
    "--unit",
    type=click.Choice(["user", "session"]),
    help="What was assigned to an arm; the user where every search names one, else the session.",
)
@click.option(
    "--expected",
    type=Split(),
    default="50:50",
    show_default=True,
    help="Planned traffic of control and treatment.",
)
@click.option("--from", "start", type=DAY, help="First UTC day.")
@click.option("--to", "end", type=DAY, help="Last UTC day.")
@click.option("--tag", help="Only searches that carry this tag.")
@click.option(
    "--class",
    "query_class",
    type=click.Choice(["empty", "question", "with_number", "long", "keyword"]),
    help="Only searches whose query is of this class.",
)
@click.option(
    "--without-bots",
    is_flag=True,
    help="Leave out the sessions that `events bots` flags; the traffic is checked both ways.",
)
@click.option(
    "--effect",
    type=click.FloatRange(0, 1000, min_open=True),
    default=5.0,
    show_default=True,
    help="Smallest change worth finding, in percent of the control's value; for the days needed.",
)
@click.option(
    "--guard",
    is_flag=True,
    help="Exit code 3 where the sample ratio fails, CTR drops significantly, or an arm is empty.",
)
@json_option
@with_workspace
def ab(
    workspace: "Workspace",
    start: "datetime | None",
    end: "datetime | None",
    effect: float,
    *,
    as_json: bool,
    guard: bool,
    **asked: Any,
) -> int:
    """Compare two model versions on what users did: an A/B test, its traffic checked first."""
    from online.ab import compare_arms
    from online.ab_document import ab_document

    test = compare_arms(workspace.lake, _plan(asked, start, end, effect))
    if guard:
        _say_guard(test)
    if as_json:
        out.print_json(ab_document(test))
    else:
        from terminal.ab_output import print_ab

        print_ab(test, workspace.settings.marks.events)
    return GUARD_FIRED if guard and test.guard_reasons else 0


def _say_guard(test: "ABTest") -> None:
    """Before all else: whoever reads only the first line of the table hears it, too."""
    from online.verdict import guard_sentence

    if sentence := guard_sentence(test):
        out.say(f"goldsmith: {plain(sentence, None)}")


def _plan(
    asked: Mapping[str, Any], start: "datetime | None", end: "datetime | None", effect: float
) -> "Plan":
    from online.ab import Plan

    return Plan(
        asked["control"],
        asked["treatment"],
        asked["unit"],
        asked["expected"],
        start.date() if start else None,
        end.date() if end else None,
        effect / 100,
        tag=asked["tag"],
        query_class=asked["query_class"],
        without_bots=asked["without_bots"],
    )
