"""The command that has queries written by a language model: `goldsmith synth`."""

import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from terminal import output as out
from terminal.options import BAD_INPUT, json_option, with_workspace
from terminal.stopping import StoppedMidway
from terminal.synth_options import (
    CAPS,
    cap_options,
    deed_options,
    plan_options,
    validation_options,
)
from terminal.synth_output import (
    print_accepted,
    print_calls,
    print_drawn,
    print_estimate,
    print_rejected,
    print_syntheses,
    print_synthesis,
    print_taken_back,
    print_validation,
    print_validation_taken_back,
    say_waiting,
)

if TYPE_CHECKING:
    from builder.synthesis.plan import SynthPlan
    from builder.workspace import Workspace

_DEED_OF = {
    "listed": "--list",
    "resume": "--resume",
    "calls": "--calls",
    "rejected": "--rejected",
    "accept_all": "--accept-all",
    "take_back": "--take-back",
    "validate": "--validate",
    "validation": "--validation",
    "take_back_validation": "--take-back-validation",
}
_LIMITS = ("cap_calls", "cap_tokens", "cap_cost")
"""Why a run stopped, where that was what somebody asked for."""

_BELONGS = {
    "retry_failed": "resume",
    "only_unflagged": "accept_all",
    "anyway": "take_back",
    "share": "validate",
    "others": "validate",
}
_WITH_DRY_RUN = ("take_back", "validate", "take_back_validation")


@click.command()
@plan_options
@cap_options
@deed_options
@validation_options
@json_option
@with_workspace
def synth(workspace: "Workspace", *, as_json: bool, **asked: Any) -> int:
    """Have a language model write queries for documents of the corpus, for experts to validate.

    Texts of your documents go to the server that workspace.toml or --base-url names; what that is,
    what it takes and costs is said before, and asked. The key stands in the environment, in
    OPENAI_API_KEY or the variable that workspace.toml names. Filters look at each query; what they
    keep waits for a reviewer (goldsmith app, Generate), and counts only once people validated it.
    """
    deed = _deed(asked, as_json=as_json)
    told, show = _DEEDS[deed](workspace, asked | {"as_json": as_json})
    if as_json:
        out.print_json(told)
    else:
        show(told)
    return _code(told) if deed in ("new", "resume") else 0


def _deed(asked: Mapping[str, Any], *, as_json: bool) -> str:
    """What is asked for.

    Raises:
        click.UsageError: Two things at once, an option that belongs to something else, or texts
            would be sent without anybody having been asked.
    """
    # 0 is a number here: it stands for all runs.
    deeds = [name for name in _DEED_OF if asked[name] is not None and asked[name] is not False]
    if len(deeds) > 1:
        raise click.UsageError(f"{_listed(deeds)} are asked for one at a time")
    deed = deeds[0] if deeds else "new"
    typed = _typed(asked)
    for name, owner in _BELONGS.items():
        if name in typed and deed != owner:
            raise click.UsageError(f"{_flag(name)} belongs to {_DEED_OF[owner]}")
    _refuse_idle(deed, typed)
    if as_json and deed in ("new", "resume") and not (asked["yes"] or asked["dry_run"]):
        raise click.UsageError("with --json nobody can be asked: say --yes, or --dry-run")
    return deed


def _refuse_idle(deed: str, typed: set[str]) -> None:
    """Refuse options of a new run beside something else that would pass them over."""
    if deed == "new":
        return
    takes = {deed, "yes", "as_json", *(name for name, owner in _BELONGS.items() if owner == deed)}
    takes |= {"dry_run"} if deed in _WITH_DRY_RUN else set()
    takes |= {*CAPS} if deed == "resume" else set()
    takes |= {"seed", "retrievers"} if deed == "validate" else set()
    if idle := sorted(typed - takes):
        raise click.UsageError(f"{_flag(idle[0])} says nothing beside {_DEED_OF[deed]}")


def _typed(asked: Mapping[str, Any]) -> set[str]:
    """The options that somebody typed."""
    context = click.get_current_context()
    typed = click.core.ParameterSource.COMMANDLINE
    return {name for name in asked if context.get_parameter_source(name) is typed}


def _flag(name: str) -> str:
    """How the option of this name is typed."""
    options = click.get_current_context().command.params
    return next(option.opts[0] for option in options if option.name == name)


def _listed(deeds: list[str]) -> str:
    *first, last = (_DEED_OF[deed] for deed in deeds)
    return f"{', '.join(first)} and {last}"


_Told = tuple[Any, Callable[[Any], None]]


def _plan(asked: Mapping[str, Any]) -> "SynthPlan":
    from dataclasses import fields

    from builder.synthesis.plan import SynthPlan

    named = {field.name: asked[field.name] for field in fields(SynthPlan)}
    # What is not named is as the plan has it.
    return SynthPlan.from_json(
        {name: told for name, told in named.items() if told not in (None, ())}
    )


def _new(workspace: "Workspace", asked: Mapping[str, Any]) -> _Told:
    from builder.synthesis.estimate import estimate
    from builder.synthesis.running import synth as run

    plan = _plan(asked)
    with out.progress_bar() as progress:
        expected = estimate(workspace, plan, progress, environment=os.environ)
    if asked["dry_run"]:
        return expected, lambda told: print_estimate(told, dry_run=True)
    if not asked["as_json"]:
        print_estimate(expected, dry_run=False)
    # Without a key nothing can be sent, and nobody need be asked: the run is refused.
    is_refused = expected["key_needed"] and not expected["key_found"]
    if not (asked["yes"] or is_refused):
        texts = out.count_of(expected["documents"], "document")
        _ask(f"Send passages of {texts} to {expected['host']}?")
    digest = expected["digest"]
    outcome = _sent(
        workspace,
        lambda key, progress: run(
            workspace,
            plan,
            key=key,
            progress=progress,
            digest=digest,
            waiting_for=say_waiting,
        ),
    )
    return outcome, lambda told: print_synthesis(told, said=expected["warnings"])


def _resumed(workspace: "Workspace", asked: Mapping[str, Any]) -> _Told:
    from builder.synthesis.running import resume_synthesis
    from builder.synthesis.syntheses import what_is_left

    number = asked["resume"]
    left = what_is_left(workspace, number)
    n = left["waiting"] + (left["failed"] if asked["retry_failed"] else 0)
    if n and not asked["yes"]:
        unknown = f" ({left['unknown']:,} sent without a recorded answer)" * bool(left["unknown"])
        _ask(f"Ask {left['host']} for {out.count_of(n, 'answer')} more{unknown}?")
    how = {name: asked[name] for name in (*CAPS, "retry_failed")}
    outcome = _sent(
        workspace,
        lambda key, progress: resume_synthesis(
            workspace, number, key=key, progress=progress, waiting_for=say_waiting, **how
        ),
        number,
    )
    return outcome, print_synthesis


def _ask(question: str) -> None:
    """Ask the person at the terminal; where nobody sits there, --yes has to be said."""
    if not sys.stdin.isatty():
        raise click.UsageError(f"{question} Nobody can be asked here: say --yes.")
    click.confirm(question, abort=True, err=True)


def _sent(
    workspace: "Workspace",
    send: Callable[[str | None, out.Progress], dict[str, Any]],
    number: int | None = None,
) -> dict[str, Any]:
    """What sending brought; who stops it learns how it goes on.

    Args:
        workspace: Whose texts.
        send: Takes the key and the progress.
        number: The run that goes on; None for a new one.

    Raises:
        StoppedMidway: By Ctrl-C; what was sent is on record.
    """
    from builder.synthesis.llm import key_from
    from builder.synthesis.syntheses import latest_synthesis

    before = latest_synthesis(workspace)
    try:
        with out.progress_bar() as progress:
            return send(key_from(workspace.settings, os.environ), progress)
    except KeyboardInterrupt as stop:
        begun = number or latest_synthesis(workspace)
        if begun is None or (number is None and begun == before):
            raise
        raise StoppedMidway(
            f"goldsmith synth --resume {begun} goes on; no answer that is recorded is paid for "
            "twice."
        ) from stop


def _code(told: Mapping[str, Any]) -> int:
    """1 where nothing was written, or the server or the model ended the run.

    A limit that was asked for ends it well, unless it let no call through.
    """
    if "state" not in told:  # an estimate
        return 0
    stopped = told["stopped"]
    is_idle = stopped in _LIMITS and not told["sent"]
    is_ended = stopped is not None and stopped not in _LIMITS
    return BAD_INPUT if is_ended or is_idle or not told["generated"] else 0


def _list(workspace: "Workspace", _: Mapping[str, Any]) -> _Told:
    from builder.synthesis.syntheses import list_syntheses

    told = {"syntheses": list_syntheses(workspace)}
    return told, lambda shown: print_syntheses(shown["syntheses"])


def _calls(workspace: "Workspace", asked: Mapping[str, Any]) -> _Told:
    from builder.synthesis.syntheses import calls_of

    told = {"synthesis_id": asked["calls"], "calls": calls_of(workspace, asked["calls"])}
    return told, lambda shown: print_calls(shown["calls"])


def _rejected(workspace: "Workspace", asked: Mapping[str, Any]) -> _Told:
    from builder.synthesis.candidates import candidates

    found = candidates(workspace, asked["rejected"] or None, verdict="rejected")
    names = ("candidate_id", "synthesis_id", "text", "prompt", "language", "doc_id", "review")
    rows = [
        {name: getattr(one, name) for name in names}
        | {"reasons": [reason._asdict() for reason in one.reasons]}
        for one in found
    ]
    return {"rejected": rows}, lambda shown: print_rejected(shown["rejected"])


def _accept_all(workspace: "Workspace", asked: Mapping[str, Any]) -> _Told:
    from builder.synthesis.review import accept_all

    return accept_all(
        workspace, asked["accept_all"] or None, asked["only_unflagged"]
    ), print_accepted


def _taken_back(workspace: "Workspace", asked: Mapping[str, Any]) -> _Told:
    from builder.synthesis.taking_back import take_back_synthesis

    dry_run, anyway = asked["dry_run"], asked["anyway"]
    told = take_back_synthesis(workspace, asked["take_back"], anyway=anyway, dry_run=dry_run)
    return told, lambda shown: print_taken_back(shown, dry_run=dry_run)


def _validate(workspace: "Workspace", asked: Mapping[str, Any]) -> _Told:
    from builder.synthesis.validation import draw_validation

    dry_run = asked["dry_run"]
    how = {name: asked[name] for name in ("share", "seed", "others")}
    how |= {"retrievers": asked["retrievers"]} if asked["retrievers"] else {}
    with out.progress_bar() as progress:
        told = draw_validation(workspace, **how, dry_run=dry_run, progress=progress)
    return told, lambda shown: print_drawn(shown, dry_run=dry_run)


def _validation(workspace: "Workspace", _: Mapping[str, Any]) -> _Told:
    from builder.synthesis.validation_report import validation_report

    return validation_report(workspace), print_validation


def _validation_taken_back(workspace: "Workspace", asked: Mapping[str, Any]) -> _Told:
    from builder.synthesis.validation import take_back_validation

    told = take_back_validation(workspace, dry_run=asked["dry_run"])
    return told, lambda shown: print_validation_taken_back(shown, dry_run=asked["dry_run"])


_DEEDS: Mapping[str, Callable[["Workspace", Mapping[str, Any]], _Told]] = {
    "new": _new,
    "resume": _resumed,
    "listed": _list,
    "calls": _calls,
    "rejected": _rejected,
    "accept_all": _accept_all,
    "take_back": _taken_back,
    "validate": _validate,
    "validation": _validation,
    "take_back_validation": _validation_taken_back,
}
