"""Draws queries from the log, shows what the sample stands for, and brings it into the store."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from builder.errors import BuilderError
from builder.mining.deciding import deciding_evidence, flagged_of
from builder.mining.drawing import Drawing, SampledQuery, draw_queries
from builder.mining.matching import Matched, match_queries
from builder.mining.options import Sampling
from builder.mining.outcome import nothing_to_sample, outcome_of
from builder.mining.superseding import losing_weight, superseding_warnings
from builder.mining.weak_grades import count_labelled
from builder.people import Person, actor_called, authorize, called
from builder.store import Connection, activity
from builder.store.queries import insert_queries
from builder.store.samplings import (
    SampleRow,
    SamplingRow,
    add_sampling,
    all_samplings,
    find_sampling,
    latest_sampling,
    queries_left,
    samples_of,
    texts_of_queries,
)
from builder.workspace import Workspace
from evals.records import Progress, Query

SOURCE = "log"
"""Where queries come from that a sampling brought."""
DRAWN = "sampling.draw"


def mine(
    workspace: Workspace,
    options: Sampling,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
    actor: Person | None = None,
) -> dict[str, Any]:
    """Draw queries from the log, and bring those into the workspace that it does not have.

    The same sampling again, of a log and with options that did not change, writes nothing.

    Args:
        workspace: Its log, and where the queries go.
        options: How they are drawn.
        dry_run: Only tell what would come; nothing is written.
        progress: Hears what is done; may raise to cancel, and then nothing was written.
        actor: Who asks for it in the browser; None at the terminal.

    Returns:
        queries: {"seen", "eligible", "sampled", "dropped": {reason: n}, "new", "known", "retired"
        (known ones that nobody is asked for), "merged" (groups that became part of another; also
        a reason of dropped), "masked", "lose_weight" (those of the latest sampling that this one
        does not draw)}; seen = eligible + all dropped, in query groups.
        evidence: {"pairs", "labelled", "flagged": {"left_out", "counted"}} of the whole choice;
        without flagged sessions where the rule of weak grades or the choice leaves them out.
        traffic: {"searches" (seen), "eligible_searches", "sampled_searches", "share"}.
        strata: [{"stratum", "queries", "searches", "share_of_searches" (of the eligible ones),
        "sampled", "sampled_searches", "share_of_stratum" (of its searches; None without any),
        "inclusion_probability" (None where it differs within the stratum, or none is drawn)}].
        tags: by tag {"several": queries that carry several tags, "too_rarely": queries that carry
        a tag in less than half of their searches, and so are untagged}; else None.
        personal_data: {"handling", "queries", "searches", "by_kind": {kind: queries}}.
        sampling_id: its number; None where nothing was written.
        unchanged: the number of the latest sampling where that holds the same, else None.
        seed; parameters: `options`; warnings: [text].
        sample: [{"query_id", "text", "stratum", "searches", "sessions", "inclusion_probability",
        "weight", "known", "retired", "variants": [[text, searches]]}], by stratum, the most
        searches first.

    Raises:
        BuilderError: The log is empty, or no query of it is eligible; counted with reasons.
        NotAllowedError: The actor is no analyst.
        OnlineError: The lake is damaged.
    """
    authorize(workspace, actor, "analyst")
    with workspace.lake.connect() as log:
        drawing = draw_queries(log, options, workspace.settings.language, progress)
    if not drawing.queries:
        raise nothing_to_sample(drawing.units)
    evidence = _evidence(workspace, options, progress)
    if progress is not None:
        progress("keeping the sample", 0, None)
    store = workspace.store
    with workspace.lake.connect() as log, store.read() if dry_run else store.write() as connection:
        matched = match_queries(connection, log, drawing.queries)
        rows = [_row(one, match) for one, match in zip(drawing.queries, matched, strict=True)]
        outcome = outcome_of(drawing, matched, options, evidence)
        outcome |= {"sampling_id": None, "unchanged": _same_as_latest(connection, options, rows)}
        if outcome["unchanged"] is None:
            _tell_who_loses_weight(connection, options, rows, outcome)
        if not dry_run and outcome["unchanged"] is None:
            outcome["sampling_id"] = _keep(connection, drawing, rows, outcome, called(actor))
    return outcome


def mine_job(
    workspace: Workspace, parameters: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """The job that mines: `parameters` holds actor (a name) and sampling (`Sampling.as_json`).

    With "dry_run": True it only tells what would come.

    Returns:
        As `mine`; without "sample" where it was kept, for `sample_of` tells it.

    Raises:
        BuilderError: As `mine`; NotAllowedError likewise.
    """
    actor = actor_called(workspace, parameters["actor"])
    options, dry_run = Sampling.from_json(parameters["sampling"]), bool(parameters.get("dry_run"))
    told = mine(workspace, options, dry_run=dry_run, progress=progress, actor=actor)
    return told if dry_run else _without_sample(told)


def list_samplings(workspace: Workspace) -> list[dict[str, Any]]:
    """All samplings, the latest first.

    Returns:
        [{"sampling_id", "created_at", "created_by", "parameters" (`Sampling.as_json`), "outcome"
        (as `mine`, without "sample"), "taken_back_at", "taken_back_by" (None while it stands),
        "left": queries that it made and that are here}].
    """
    with workspace.store.read() as connection:
        left = queries_left(connection)
        return [
            _told(row) | {"left": left.get(row.sampling_id, 0)} for row in all_samplings(connection)
        ]


def sample_of(workspace: Workspace, sampling_id: int) -> list[dict[str, Any]]:
    """What a sampling drew and is still here, the most searches first.

    Returns:
        [{"query_id", "text" (as it is here now), "stratum", "searches", "sessions",
        "inclusion_probability", "weight", "new" (whether it made the query), "retired",
        "variants"}]; none of a sampling whose queries all went when it was taken back.

    Raises:
        BuilderError: There is no such sampling.
    """
    with workspace.store.read() as connection:
        known_sampling(connection, sampling_id)
        here = {one.query_id: one for one in texts_of_queries(connection)}
        rows = samples_of(connection, sampling_id)
    rows.sort(key=lambda row: (-row.searches, row.query_id))
    return [
        {
            "query_id": row.query_id,
            "text": here[row.query_id].text,
            "stratum": row.stratum,
            "searches": row.searches,
            "sessions": row.sessions,
            "inclusion_probability": row.inclusion_probability,
            "weight": 1 / row.inclusion_probability,
            "new": row.new_query,
            "retired": not here[row.query_id].active,
            "variants": [list(variant) for variant in row.variants],
        }
        for row in rows
    ]


def repeat(
    workspace: Workspace,
    sampling_id: int,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
    actor: Person | None = None,
) -> dict[str, Any]:
    """Draw again as this sampling did, from the log as it is now; as `mine`.

    Raises:
        BuilderError: There is no such sampling; else as `mine`.
    """
    with workspace.store.read() as connection:
        row = known_sampling(connection, sampling_id)
    options = Sampling.from_json(row.parameters)
    return mine(workspace, options, dry_run=dry_run, progress=progress, actor=actor)


def known_sampling(connection: Connection, sampling_id: int) -> SamplingRow:
    """The record of this number.

    Raises:
        BuilderError: There is none.
    """
    row = find_sampling(connection, sampling_id)
    if row is None:
        raise BuilderError(
            f"there is no sampling {sampling_id} in this workspace",
            hint="`goldsmith mine --list` tells those that there are.",
        )
    return row


def _evidence(workspace: Workspace, options: Sampling, progress: Progress | None) -> dict[str, Any]:
    """How many pairs clicks tell of, and of how many enough for a weak grade."""
    found = deciding_evidence(workspace, options.choice, progress)
    labelled = count_labelled(found, workspace.settings.weak_grades)
    flagged = flagged_of(found.summary)
    return {"pairs": found.summary.pairs, "labelled": labelled, "flagged": dict(flagged)}


def _row(one: SampledQuery, match: Matched) -> SampleRow:
    return SampleRow(
        query_id=match.query_id,
        stratum=one.stratum,
        inclusion_probability=one.inclusion_probability,
        searches=one.searches,
        sessions=one.sessions,
        variants=one.variants,
        new_query=match.known is None,
    )


def _tell_who_loses_weight(
    connection: Connection, options: Sampling, rows: Sequence[SampleRow], outcome: dict[str, Any]
) -> None:
    n = losing_weight(connection, {row.query_id for row in rows})
    outcome["queries"]["lose_weight"] = n
    outcome["warnings"] += superseding_warnings(connection, options, n)


def _same_as_latest(
    connection: Connection, options: Sampling, rows: Sequence[SampleRow]
) -> int | None:
    """The latest sampling that stands, if it was asked for alike and drew the same."""
    latest = latest_sampling(connection)
    if latest is None or dict(latest.parameters) != options.as_json():
        return None
    drawn = [row._replace(new_query=False) for row in samples_of(connection, latest.sampling_id)]
    now = sorted(row._replace(new_query=False) for row in rows)
    return latest.sampling_id if sorted(drawn) == now else None


def _keep(
    connection: Connection,
    drawing: Drawing,
    rows: Sequence[SampleRow],
    outcome: Mapping[str, Any],
    who: str,
) -> int:
    """Write new queries, what was drawn, and that it was done."""
    texts = {row.query_id: one.text for row, one in zip(rows, drawing.queries, strict=True)}
    new = (Query(row.query_id, texts[row.query_id], source=SOURCE) for row in rows if row.new_query)
    insert_queries(connection, new)
    told = _without_sample(outcome)
    sampling_id = add_sampling(connection, told["parameters"], told, who, rows)
    counts = {name: told["queries"][name] for name in ("sampled", "new", "known")}
    activity.note(connection, who, DRAWN, str(sampling_id), counts)
    return sampling_id


def _without_sample(outcome: Mapping[str, Any]) -> dict[str, Any]:
    return {name: told for name, told in outcome.items() if name != "sample"}


def _told(row: SamplingRow) -> dict[str, Any]:
    outcome = {**row.outcome, "sampling_id": row.sampling_id}
    return {"sampling_id": row.sampling_id} | asdict(row) | {"outcome": outcome}
