"""Filters what a model wrote: the cheap questions first, and nothing is thrown away.

A rejected candidate keeps its reasons with their numbers, so that a reviewer can see and rescue it.
Near-duplicates are looked for among those that nothing else speaks against. The round trip rejects
nothing: to drop what a retriever does not find would favour that retriever.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final

from builder.errors import BuilderError
from builder.store import Connection
from builder.store.batches import batches
from builder.store.samplings import texts_of_queries
from builder.store.syntheses import find_synthesis
from builder.store.synthetic_queries import (
    BATCH,
    Candidate,
    Judged,
    candidates_of,
    count_candidates,
    kept_texts,
    note_judged,
    texts_of,
)
from builder.synthesis.filters.in_log import in_log
from builder.synthesis.filters.injection import common_words
from builder.synthesis.filters.one_query import Asking, judge_alone
from builder.synthesis.filters.repeated import CANDIDATE, QUERY, Known, find_repeated
from builder.synthesis.injection import suspicious
from builder.synthesis.log_queries import searches_of
from builder.synthesis.prompts import Prompt, load_prompts
from builder.synthesis.round_trip import DEPTH, RETRIEVERS, retrieve, travelled, tried
from builder.workspace import Workspace
from evals.records import Progress
from online.events import OnlineError

REASONS: Final = (
    "finish_reason",
    "more_than_asked",
    "empty",
    "length",
    "foreign_address",
    "refers_to_document",
    "language",
    "example_copy",
    "copied_span",
    "injection",
    "in_log",
    "near_duplicate_document",
    "near_duplicate_set",
)
"""Why a candidate is rejected, in the order in which it is asked."""

FLAGS: Final = ("not_found", "suspect_document")
"""What a reviewer should know of a candidate that is kept."""

_TELL_EVERY = 200
_ENOUGH = 500
"""Passages tell which words texts use everywhere."""


def filter_synthesis(
    workspace: Workspace,
    synthesis_id: int,
    *,
    retrievers: Sequence[str] = RETRIEVERS,
    progress: Progress | None = None,
    anew: bool = False,
) -> dict[str, Any]:
    """Let the filters see what a run wrote, and write what they say beside it.

    What is kept is known to be so before the round trip begins; a round trip that was cancelled is
    made good by the next call.

    Args:
        workspace: Whose.
        synthesis_id: Which run.
        retrievers: Of the round trip; one that is not installed is told, not left out silently.
        progress: Hears what is done; may raise to cancel.
        anew: See those again that were seen before; never those that somebody has reviewed.

    Returns:
        generated, kept, rejected ({reason: n}, the decisive one of each) and flagged ({flag: n}):
        of the whole run, generated = kept + all rejected; not_run: {what could not be asked, a
        retriever or "log": why}.

    Raises:
        BuilderError: There is no such run.
    """
    seen_now, not_asked = _see(workspace, synthesis_id, progress, anew=anew)
    _note(workspace, seen_now)
    with_ranks, not_run = _travel(workspace, synthesis_id, retrievers, progress)
    _note(workspace, with_ranks)
    with workspace.store.read() as connection:
        counts = count_candidates(connection, synthesis_id)
    return {
        "generated": counts.generated,
        "kept": counts.kept,
        "rejected": dict(counts.rejected),
        "flagged": dict(counts.flagged),
        "not_run": not_asked | not_run,
    }


def _note(workspace: Workspace, judged: Iterable[Judged]) -> None:
    """Write a part at a time, so that raters need not wait for all of a great run."""
    for batch in batches(judged, BATCH):
        with workspace.store.write() as connection:
            note_judged(connection, batch)


def _see(
    workspace: Workspace, synthesis_id: int, progress: Progress | None, *, anew: bool
) -> tuple[list[Judged], dict[str, str]]:
    """What all filters but the round trip say of what is new to them; why the log was not asked."""
    with workspace.store.read() as connection:
        every = candidates_of(connection, synthesis_id)
        asking = _asking(workspace, connection, synthesis_id, every)
        unseen = [one for one in every if one.review is None and (anew or one.verdict is None)]
        known = _known(connection, {one.candidate_id for one in unseen})
    judged: dict[int, Judged] = {}
    for done, one in enumerate(unseen):
        if progress is not None and done % _TELL_EVERY == 0:
            progress("filtering queries", done, len(unseen))
        judged[one.candidate_id] = judge_alone(one, asking)
    why = _reject_what_is_typed(workspace, _good(unseen, judged), judged, progress)
    if progress is not None:
        progress("looking for near-duplicates", 0, None)
    for candidate_id, repeats in find_repeated(_good(unseen, judged), known).items():
        judged[candidate_id] = replace(judged[candidate_id], reasons=(repeats,))
    return list(judged.values()), why


def _good(candidates: Iterable[Candidate], judged: Mapping[int, Judged]) -> list[Candidate]:
    """Those that nothing speaks against yet."""
    return [one for one in candidates if not judged[one.candidate_id].reasons]


def _reject_what_is_typed(
    workspace: Workspace,
    good: Iterable[Candidate],
    judged: dict[int, Judged],
    progress: Progress | None,
) -> dict[str, str]:
    """Reject what the log has; where it cannot be read, nothing, and the reason comes back."""
    texts = {one.candidate_id: (one.text, one.language) for one in good}
    try:
        searches = searches_of(workspace, texts, progress)
    except OnlineError as error:
        return {"log": error.message}
    for candidate_id, times in searches.items():
        judged[candidate_id] = replace(judged[candidate_id], reasons=(in_log(times),))
    return {}


def _known(connection: Connection, being_seen: set[int]) -> list[Known]:
    """Active queries of the set, and what was kept of all runs that stand, reviewed or not.

    A candidate that became a query is known as that. What a reviewer rejected is known, too: nobody
    wants to reject it again.
    """
    kept = kept_texts(connection)
    of_document = {one.query_id: one.doc_id for one in kept}
    queries = [
        Known(QUERY, one.query_id, of_document.get(one.query_id, ""), one.text)
        for one in texts_of_queries(connection)
        if one.active
    ]
    generated = [
        Known(CANDIDATE, str(one.candidate_id), one.doc_id, one.text)
        for one in kept
        if one.query_id is None and one.candidate_id not in being_seen
    ]
    return queries + generated


def _asking(
    workspace: Workspace, connection: Connection, synthesis_id: int, every: Sequence[Candidate]
) -> Asking:
    run = find_synthesis(connection, synthesis_id)
    if run is None:
        raise BuilderError(f"there is no synthesis {synthesis_id}")
    prompts = _prompts(workspace, run.parameters)
    looked_at = cache(suspicious)  # each passage is looked at for several questions
    passages = list(dict.fromkeys(one.passage for one in every))
    is_suspect = any(map(looked_at, passages))
    sample = passages[:: len(passages) // _ENOUGH + 1]
    return Asking(
        per_call=int(run.parameters["plan"]["per_call"]),
        max_words={name: prompt.max_words for name, prompt in prompts.items()},
        shown=_shown(connection, every, prompts),
        suspicious=looked_at,
        common=common_words(sample, looked_at) if is_suspect else frozenset(),
    )


def _prompts(workspace: Workspace, parameters: Mapping[str, Any]) -> dict[str, Prompt]:
    """As the run kept them, else as they are now."""
    kept = parameters.get("prompts")
    if not kept:
        return load_prompts(workspace)
    return {name: Prompt.from_json(told) for name, told in kept.items()}


def _shown(
    connection: Connection, every: Iterable[Candidate], prompts: Mapping[str, Prompt]
) -> dict[tuple[str, str, str], str]:
    """What the model was shown: queries of the set, and examples that a prompt brings along."""
    names = {(one.prompt, *example) for one in every for example in one.examples}
    texts = texts_of(connection, {query_id for _, query_id, _ in names if query_id})
    shown = {}
    for prompt, query_id, doc_id in names:
        if query_id in texts:
            shown[prompt, query_id, doc_id] = texts[query_id]
        elif not query_id and prompt in prompts:
            of_prompt = prompts[prompt].examples
            if int(doc_id) < len(of_prompt):
                shown[prompt, query_id, doc_id] = of_prompt[int(doc_id)].query
    return shown


def _travel(
    workspace: Workspace,
    synthesis_id: int,
    retrievers: Sequence[str],
    progress: Progress | None,
) -> tuple[list[Judged], dict[str, str]]:
    """The round trip of what was kept and has not made it; why which retriever did not run."""
    with workspace.store.read() as connection:
        kept = candidates_of(connection, synthesis_id, verdict="kept", review="waiting")
    waiting = [one for one in kept if not tried(one) >= set(retrievers)]
    if not waiting:
        return [], {}
    texts = {str(one.candidate_id): one.text for one in waiting}
    retrieved = retrieve(workspace, texts, retrievers, DEPTH, progress)
    return [travelled(one, retrieved) for one in waiting], retrieved.not_run
