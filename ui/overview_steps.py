"""What each step of the loop says: a count, a state, and the next action."""

from collections.abc import Mapping, Sequence
from typing import Any

from builder.errors import BuilderError
from builder.evaluation import Contest, contests, newest_with_results
from builder.evaluation.holes import Holes
from builder.export.release import latest_provenance
from builder.mining import list_samplings
from builder.store.documents import count_documents
from builder.store.judgments import JudgmentCounts, count_judgments
from builder.store.pool import count_pairs, pool_by_source
from builder.store.queries import count_queries
from builder.store.query_lists import Sought, count_sought
from builder.store.releases import Release
from builder.workspace import Workspace
from evals.records import EvalsError
from evals.results import MAIN_SCORE
from ui import numbers
from ui.dashboards.counting import log_of, report_of, whole
from ui.holes import TOP, holes_of
from ui.overview import Step
from ui.pooling.words import source_name
from ui.releases import releases_of
from ui.synthesis.step import generated_step
from ui.text import inline

FROM_LOG = "log"
MOST_SOURCES = 4
"""Of the pool's sources, on its card; the page names all."""


def steps_of(workspace: Workspace) -> list[Step]:
    """The steps in the order of the loop."""
    with workspace.store.read() as connection:
        documents, queries = count_documents(connection), count_queries(connection)
        from_log = count_sought(connection, Sought(source=FROM_LOG))
        pairs, by_source = count_pairs(connection), pool_by_source(connection)
        judged = count_judgments(connection, workspace.settings.raters_per_pair)
    found = contests(workspace)
    drawn = _latest_drawing(workspace)
    log = _log(workspace, drawn)
    return [
        _counted("Corpus", documents, "documents", "corpus"),
        log,
        generated_step(workspace),
        _queries(queries, from_log, drawn, has_log=log.done),
        _pool(pairs, judged, by_source),
        _grades(workspace, judged, pairs),
        _release(workspace, releases_of(workspace)),
        _models(found),
        _holes(workspace, found),
    ]


def _counted(name: str, n: int, what: str, imported: str) -> Step:
    state = what if n else f"no {what} yet"
    return Step(name, numbers.count(n), state, "imports", f"Import {what}", n > 0, imported)


def _latest_drawing(workspace: Workspace) -> Mapping[str, Any] | None:
    """The latest drawing of queries from the log that stands."""
    return next((row for row in list_samplings(workspace) if row["taken_back_at"] is None), None)


def _log(workspace: Workspace, drawn: Mapping[str, Any] | None) -> Step:
    """The searches; a workspace without any is whole, too."""
    log = log_of(workspace)
    if log is None:
        state = "no search log; the loop closes without one"
        return Step(
            "Search log", "0", state, "imports", "Import events",
            done=False, imported="events", optional=True,
        )  # fmt: skip
    metrics = report_of(workspace, whole(workspace, log))["overall"]
    low, high = metrics["intervals"].get("ctr") or (None, None)
    mark = workspace.settings.marks.events
    state = (
        f"{inline(mark)} searches, " if mark else "searches, "
    ) + f"CTR {numbers.percent(metrics['ctr'])} ({numbers.percent_interval(low, high)})"
    n = numbers.count(metrics["searches"])
    page, action = ("dashboard", "Dashboard") if drawn else ("logs_to_queries", "Draw queries")
    return Step("Search log", n, state, page, action, done=True, optional=True)


def _queries(n: int, from_log: int, drawn: Mapping[str, Any] | None, *, has_log: bool) -> Step:
    """The queries, how many came from the log, and for how much of it the drawing stands."""
    if not n and not has_log:
        return _counted("Queries", n, "queries", "queries")
    state = "queries" if n else "no queries yet"
    if n and has_log:
        state += f", {numbers.count(from_log)} from the log"
    if drawn is not None:
        sampled = numbers.count(drawn["outcome"]["queries"]["sampled"])
        share = numbers.percent(drawn["outcome"]["traffic"]["share"])
        state += f"<br>{sampled} drawn ones stand for {share} of the searches"
    if has_log:
        return Step("Queries", numbers.count(n), state, "logs_to_queries", "Draw queries", n > 0)
    return Step("Queries", numbers.count(n), state, "imports", "Import queries", n > 0, "queries")


def _pool(pairs: int, judged: JudgmentCounts, by_source: Mapping[str, int]) -> Step:
    """The pairs; those that only a language model named give raters nothing to do."""
    if not pairs:
        return Step("Pool", "0", "no pairs yet", "pool", "Pool pairs", done=False)
    largest = sorted(by_source.items(), key=lambda pair: (-pair[1], pair[0]))
    named = [
        f"{inline(source_name(name))} {numbers.count(n)}" for name, n in largest[:MOST_SOURCES]
    ]
    if (more := len(largest) - MOST_SOURCES) > 0:
        named.append(numbers.count_of(more, "more source"))
    asked, waiting = pairs - judged.unasked_pairs, judged.waiting_of(pairs)
    alone = f", {numbers.count(judged.unasked_pairs)} with a model's grade only"
    state = (
        f"pairs, {numbers.count(waiting)} without a grade{alone if judged.unasked_pairs else ''}"
        f"<br>{', '.join(named)}"
    )
    if not asked:
        state = f"pairs, none asked of raters yet<br>{', '.join(named)}"
    return Step("Pool", numbers.count(pairs), state, "pool", "Pool pairs", done=asked > 0)


def _grades(workspace: Workspace, judged: JudgmentCounts, pairs: int) -> Step:
    asked = pairs - judged.unasked_pairs
    graded = f"of {numbers.count(asked)} pairs graded{_complete(workspace, judged)}"
    if judged.unasked_pairs:
        graded = (
            f"of {numbers.count(pairs)} pairs graded by people{_complete(workspace, judged)}, "
            f"{numbers.count(judged.unasked_pairs)} by a language model only"
        )
    state = graded if judged.judged_pairs else "no grades yet"
    done, waiting = judged.judged_pairs > 0, judged.waiting_of(pairs)
    waits = f"{numbers.count_of(waiting, 'pair')} {'waits' if waiting == 1 else 'wait'} for grades."
    return Step(
        "Grades", numbers.count(judged.judged_pairs), state, "grade", "Grade",
        done=done, goes_on=waits if waiting else "",
    )  # fmt: skip


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


def _models(found: Sequence[Contest]) -> Step:
    """The best among models that can be compared: those on the newest release with results."""
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


def _holes(workspace: Workspace, found: Sequence[Contest]) -> Step:
    """What the models of the newest release with results show and nobody judged."""
    shown = newest_with_results(found)
    try:
        holes = None if shown is None else holes_of(workspace, shown, exact=False)
    except (BuilderError, EvalsError):
        # The task folder is broken: the other steps stand all the same.
        return _unknown_holes("cannot be counted; the leaderboard says why")
    if holes is None or holes.reason in ("no_results", "no_kept_run"):
        return _unknown_holes("known once models are evaluated on a release")
    new, waiting = len(holes.holes), len(holes.queued)
    state = f"unjudged documents in the models' top {TOP}{_waiting(waiting)}<br>{_judged(holes)}"
    action = "Have them judged" if new else "Leaderboard"
    goes_on = (
        f"{numbers.count_of(new, 'document')} in the models' top {TOP} "
        f"{'is' if new == 1 else 'are'} unjudged."
    )
    return Step(
        "Holes", numbers.count(new + waiting), state, "leaderboard", action,
        done=True, optional=True, goes_on=goes_on if new else "",
    )  # fmt: skip


def _unknown_holes(state: str) -> Step:
    return Step(
        "Holes", numbers.MISSING, state, "leaderboard", "Leaderboard", done=False, optional=True
    )


def _waiting(n: int) -> str:
    return f", {numbers.count(n)} of them in the queue" if n else ""


def _judged(holes: Holes) -> str:
    """judged@10 of each model; safe HTML."""
    shares = (
        f"{inline(row['model'])} {numbers.decimal(row['judged_before'])}" for row in holes.models
    )
    return f"judged@{TOP}: {', '.join(shares)}"
