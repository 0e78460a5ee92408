"""The loop as a row of steps: what is there, what state it is in, and what comes next."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from builder.evaluation import Contest, contests, newest_with_results
from builder.export.release import latest_provenance
from builder.store.documents import count_documents
from builder.store.judgments import JudgmentCounts, count_judgments
from builder.store.pool import count_pairs, pool_by_source
from builder.store.queries import count_queries
from builder.store.releases import Release
from builder.workspace import Workspace
from evals.results import MAIN_SCORE
from ui import numbers
from ui.dashboards.counting import log_of, report_of, whole
from ui.imports import KINDS
from ui.releases import releases_of
from ui.text import inline

_PAGES = "ui/pages"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the loop.

    Attributes:
        name: What it is called.
        count: The number that matters.
        state: Safe HTML: what state it is in.
        page: The page's file on which it is done.
        action: What to do there.
        done: Whether the next step can begin.
        imported: Which kind of things the page Import is to ask for, one of `KINDS`.
    """

    name: str
    count: str
    state: str
    page: str
    action: str
    done: bool
    imported: str = ""

    @property
    def asked(self) -> dict[str, str] | None:
        """What the page's address says; the page Import chooses by the title of a kind."""
        return {"what": KINDS[self.imported].title} if self.imported else None


def steps_of(workspace: Workspace) -> list[Step]:
    """The steps in the order of the loop."""
    with workspace.store.read() as connection:
        documents, queries = count_documents(connection), count_queries(connection)
        pairs, by_source = count_pairs(connection), pool_by_source(connection)
        judged = count_judgments(connection, workspace.settings.raters_per_pair)
    releases = releases_of(workspace)
    return [
        _counted("Corpus", documents, "documents", "corpus"),
        _counted("Queries", queries, "queries", "queries"),
        _pool(pairs, by_source),
        _grades(workspace, judged, pairs),
        _release(workspace, releases),
        _models(workspace),
        _searches(workspace),
    ]


def show_steps(steps: Sequence[Step]) -> None:
    """The steps side by side, as many in a row as fit; the next one is marked."""
    upcoming = next_step(steps)
    with st.container(key="steps", horizontal=True, gap="small"):
        for number, step in enumerate(steps, start=1):
            is_next = step is upcoming
            key = f"step_next_{number}" if is_next else f"step_{number}"
            with st.container(border=True, key=key, gap="small"):
                st.html(_card(number, step))
                st.page_link(
                    f"{_PAGES}/{step.page}.py",
                    label=step.action,
                    icon=":material/arrow_forward:",
                    query_params=step.asked,
                )


def is_empty(steps: Sequence[Step]) -> bool:
    """Whether nothing is there at all: a log of searches alone is something already."""
    return not any(step.done for step in steps)


def next_step(steps: Sequence[Step]) -> Step | None:
    """The first step that is not done; None when the loop is closed."""
    return next((step for step in steps if not step.done), None)


def _card(number: int, step: Step) -> str:
    return (
        f'<div class="gs-step"><div class="gs-step-name"><span class="gs-step-number">{number}'
        f'</span>{inline(step.name)}</div><div class="gs-step-count">{inline(step.count)}</div>'
        f'<div class="gs-step-state">{step.state}</div></div>'
    )


def _counted(name: str, n: int, what: str, imported: str) -> Step:
    state = what if n else f"no {what} yet"
    return Step(name, numbers.count(n), state, "imports", f"Import {what}", n > 0, imported)


def _pool(pairs: int, by_source: dict[str, int]) -> Step:
    sources = ", ".join(f"{inline(name)} {numbers.count(n)}" for name, n in by_source.items())
    state = f"pairs to grade ({sources})" if pairs else "no pairs yet"
    return Step("Pool", numbers.count(pairs), state, "pool", "Pool pairs", pairs > 0)


def _grades(workspace: Workspace, judged: JudgmentCounts, pairs: int) -> Step:
    graded = f"of {numbers.count(pairs)} pairs graded{_complete(workspace, judged)}"
    state = graded if judged.judged_pairs else "no grades yet"
    done = judged.judged_pairs > 0
    return Step("Grades", numbers.count(judged.judged_pairs), state, "grade", "Grade", done)


def _complete(workspace: Workspace, judged: JudgmentCounts) -> str:
    """How many pairs have all the grades they shall get; "" where one grade is all."""
    k, share = workspace.settings.raters_per_pair, workspace.settings.overlap_share
    if k == 1:
        return ""
    each = f" ({numbers.count(k)} grades each)" if share == 1 else ""
    return f", {numbers.count(judged.complete_pairs)} complete{each}"


def _release(workspace: Workspace, releases: Sequence[Release]) -> Step:
    if not releases:
        return Step("Release", "0", "nothing released yet", "release", "Make a release", done=False)
    latest = max(releases, key=lambda release: release.created_at)
    provenance = latest_provenance(workspace.evals_folder, latest.name) or {}
    state = f"{inline(f'{latest.name}@{latest.number}')}{_agreement(provenance)}"
    n = numbers.count(len(releases))
    return Step("Releases", n, state, "release", "Make a release", done=True)


def _agreement(provenance: dict[str, Any]) -> str:
    """The raters' agreement on what was released, with its n; "" where there is none."""
    alpha = provenance.get("agreement", {}).get("alpha_ordinal", {})
    if alpha.get("value") is None:
        return ""
    span = numbers.interval(alpha["low"], alpha["high"])
    n = f"n = {numbers.count_of(alpha['n'], 'pair')}"
    beside = ", ".join(part for part in (span, n) if part)
    return f"<br>agreement \u03b1 {numbers.decimal(alpha['value'])} ({beside})"


def _models(workspace: Workspace) -> Step:
    """The best among models that can be compared: those on the newest release with results."""
    found = contests(workspace)
    shown = newest_with_results(found)
    newest = next((contest for contest in found if contest.release is not None), shown)
    if newest is None or not newest.results:
        return Step("Models", "0", _not_yet(newest, shown), "leaderboard", "Evaluate", done=False)
    n, behind = len({result.model for result in newest.results}), len(newest.behind)
    state = _best(newest)
    if behind:
        state += f"<br>{numbers.count(behind)} more not evaluated on it yet"
    action = "Evaluate again" if behind else "Leaderboard"
    return Step("Models", numbers.count(n), state, "leaderboard", action, done=True)


def _not_yet(newest: Contest | None, shown: Contest | None) -> str:
    """That the newest release has no results, and which older one has."""
    if newest is None:
        return "none evaluated yet"
    older = "" if shown is None else f"<br>{_best(shown)}"
    return f"none evaluated on {inline(newest.name)} yet{older}"


def _best(contest: Contest) -> str:
    """The first of a contest, and on what; safe HTML."""
    best = contest.results[0]
    mean = best.scores.means[MAIN_SCORE]
    who = "best" if len(contest.results) > 1 else "only"
    return (
        f"{who} on {inline(contest.name)}: {inline(best.model)}, nDCG@10 "
        f"{numbers.decimal(mean.value)} ({numbers.beside(mean, 'queries')})"
    )


def _searches(workspace: Workspace) -> Step:
    log = log_of(workspace)
    if log is None:
        return _counted("Searches", 0, "events", "events")
    metrics = report_of(workspace, whole(workspace, log))["overall"]
    low, high = metrics["intervals"].get("ctr") or (None, None)
    mark = workspace.settings.marks.events
    state = (
        f"{inline(mark)} searches, " if mark else ""
    ) + f"CTR {numbers.percent(metrics['ctr'])} ({numbers.percent_interval(low, high)})"
    n = numbers.count(metrics["searches"])
    return Step("Searches", n, state, "dashboard", "Dashboard", done=True)
