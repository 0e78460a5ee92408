"""Review of what a model wrote: each candidate is accepted, edited and accepted, or rejected.

A reviewer says whether a query is one that somebody would ask; how relevant its document is, only
raters say.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from builder.curation.acting import analyst
from builder.curation.contents import QueryContent, check_lengths, clean_content
from builder.errors import BuilderError
from builder.people import Person, called
from builder.store import Connection, activity
from builder.store import synthetic_review as stored
from builder.store.batches import batches
from builder.store.folding import fold
from builder.store.query_lists import queries_of_text, query_row_of, texts_to_compare
from builder.store.synthetic_queries import Candidate, candidates_by_id, find_candidate
from builder.store.synthetic_review import Kind, ReviewProgress, Wanted
from builder.synthesis.entering import enter, withdraw
from builder.workspace import Workspace

__all__ = [
    "Candidate",
    "Kind",
    "ReviewProgress",
    "Sight",
    "Wanted",
    "accept",
    "accept_all",
    "kinds_to_review",
    "latest_reviewed",
    "look",
    "reject",
    "undo_review",
]

KEPT_ALL = Wanted()

_AT_ONCE = 50
"""So many candidates enter in one transaction: raters wait for no longer one."""

_STAYS = {
    "judged": "Somebody has judged it",
    "decided": "An analyst has decided on it",
    "discussed": "A rater has said something about it",
    "in_drawing": "It is in the drawing of a validation",
}


@dataclass(frozen=True, slots=True)
class Sight:
    """What a reviewer has before them.

    Attributes:
        candidate: The one in hand; None where none waits.
        progress: How far the review is.
        later: How many of the waiting ones were put off.
    """

    candidate: Candidate | None
    progress: ReviewProgress
    later: int


def look(
    workspace: Workspace,
    wanted: Wanted = KEPT_ALL,
    later: Sequence[int] = (),
    first: int | None = None,
) -> Sight:
    """The next candidate, and how far the review is.

    Args:
        workspace: Whose candidates.
        wanted: Which of them.
        later: candidate_ids that were put off, in that order: they come once no other waits.
        first: The one that comes first if it waits, wanted or not; None: none in particular.
    """
    place = {candidate_id: n for n, candidate_id in enumerate(later)}
    with workspace.store.read() as connection:
        waiting = stored.waiting_ids(connection, wanted)
        asked = None if first is None else find_candidate(connection, first)
        if asked is None or asked.review is not None:
            following = min(waiting, key=lambda one: place.get(one, -1), default=None)
            asked = None if following is None else find_candidate(connection, following)
        progress = stored.count_reviewed(connection, wanted)
    return Sight(asked, progress, sum(one in place for one in waiting))


def kinds_to_review(workspace: Workspace) -> list[Kind]:
    """Which runs, types and verdicts there are to choose from."""
    with workspace.store.read() as connection:
        return stored.kinds_to_review(connection)


def latest_reviewed(workspace: Workspace, actor: Person | None) -> Candidate | None:
    """Of which candidate the reviewer said last what stands; None where nothing does."""
    with workspace.store.read() as connection:
        found = stored.latest_reviewed(connection, called(actor))
        return None if found is None else find_candidate(connection, found)


def accept(
    workspace: Workspace, candidate_id: int, text: str | None = None, actor: Person | None = None
) -> str:
    """Let a candidate become a query of the set, with its document as pair and grade 2.

    In one transaction: the query (source synthetic), the pair (named by synthetic, asked of
    nobody), the judgment of a rater of kind synthetic. What the filters rejected can be accepted,
    too. Accepted already with this text: nothing changes.

    Args:
        workspace: Where.
        candidate_id: Which.
        text: What the reviewer made of it; None: as the model wrote it.
        actor: Who reviews in the browser; None at the terminal.

    Returns:
        The query_id: "syn-" and 10 hexadecimal digits.

    Raises:
        BuilderError: There is no such candidate, its synthesis was taken back, no filter has seen
            it, it was reviewed otherwise, the text is no query, or a query of the set says the
            same.
        NotAllowedError: The actor is no analyst.
    """
    with workspace.store.write() as connection:
        name = analyst(connection, actor)
        candidate = _standing(connection, candidate_id)
        said = _query_text(candidate.text if text is None else text)
        if candidate.review == "accepted" and (text is None or _says(candidate) == said):
            return str(candidate.query_id)
        _refuse_reviewed(candidate)
        _refuse_same(connection, candidate, said)
        _refuse_graded_text(connection, candidate, said)
        _enter(connection, [(candidate, said)], name)
        query_id = str(_existing(connection, candidate_id).query_id)
        details = {**_told(candidate), "text": said, "edited": said != candidate.text.strip()}
        activity.note(connection, name, "synthetic.accept", query_id, details)
    return query_id


def reject(workspace: Workspace, candidate_id: int, actor: Person | None = None) -> None:
    """Let a candidate become nothing; rejected already: nothing changes.

    Raises:
        BuilderError: There is no such candidate, its synthesis was taken back, no filter has seen
            it, or it was accepted.
        NotAllowedError: The actor is no analyst.
    """
    with workspace.store.write() as connection:
        name = analyst(connection, actor)
        candidate = _standing(connection, candidate_id)
        if candidate.review == "rejected":
            return
        _refuse_reviewed(candidate)
        stored.note_rejected(connection, candidate_id, name)
        activity.note(
            connection, name, "synthetic.reject", _short(candidate.text), _told(candidate)
        )


def undo_review(workspace: Workspace, candidate_id: int, actor: Person | None = None) -> None:
    """Let a candidate wait again; an accepted one's query is retired, its grade undone.

    Waits it already: nothing changes.

    Raises:
        BuilderError: There is no such candidate, its synthesis was taken back, or the query that it
            became was retired otherwise, judged, decided on, talked about or drawn for validation;
            nothing has changed then.
        NotAllowedError: The actor is no analyst.
    """
    with workspace.store.write() as connection:
        name = analyst(connection, actor)
        candidate = _standing(connection, candidate_id)
        if candidate.review is None:
            return
        if candidate.review == "accepted":
            _withdraw(connection, str(candidate.query_id))
        stored.note_waiting(connection, candidate_id)
        details = {**_told(candidate), "review": candidate.review}
        activity.note(connection, name, "synthetic.undo", _short(_says(candidate)), details)


def accept_all(
    workspace: Workspace,
    synthesis_id: int | None = None,
    only_unflagged: bool = False,  # noqa: FBT001, FBT002 - as the command has it
    actor: Person | None = None,
    *,
    prompt: str | None = None,
) -> dict[str, int]:
    """Accept all that the filters kept and nobody has reviewed, as `accept` does each.

    Fifty enter in one transaction, so that raters go on meanwhile; stopped on the way, those
    that have entered stay.

    Args:
        workspace: Where.
        synthesis_id: Only what this run wrote; None: of all runs that stand.
        only_unflagged: Leave those waiting that a filter flagged.
        actor: Who asks for it in the browser; None at the terminal.
        prompt: Only queries of this type; None: of all.

    Returns:
        accepted; same_text: left waiting since a query of the set says the same; unfit: left
        waiting since the text cannot be a query as it stands; flagged: left waiting since flagged.

    Raises:
        BuilderError: There is no such synthesis, or it was taken back.
        NotAllowedError: The actor is no analyst.
    """
    wanted = Wanted(synthesis_id, prompt)
    with workspace.store.read() as connection:
        analyst(connection, actor)
        _refuse_taken_back(connection, synthesis_id)
        flagged = Wanted(synthesis_id, prompt, flagged=True)
        n_flagged = len(stored.waiting_ids(connection, flagged)) if only_unflagged else 0
        chosen = Wanted(synthesis_id, prompt, flagged=False) if only_unflagged else wanted
        ids = stored.waiting_ids(connection, chosen)
    became: Counter[str] = Counter(accepted=0, same_text=0, unfit=0, flagged=n_flagged)
    for batch in batches(ids, _AT_ONCE):
        became.update(_accept_batch(workspace, batch, actor))
    return dict(became)


def _accept_batch(workspace: Workspace, ids: Sequence[int], actor: Person | None) -> Counter[str]:
    """What became of these, as `accept_all` says."""
    with workspace.store.read() as connection:
        candidates = candidates_by_id(connection, ids)
    with workspace.store.write() as connection:
        name = analyst(connection, actor)
        here = {fold(text) for _, text in texts_to_compare(connection)}
        chosen, left = [], Counter[str]()
        for candidate_id in stored.still_waiting(connection, ids):
            candidate = candidates[candidate_id]
            said, reason = _fate(candidate.text, here)
            if reason:
                left[reason] += 1
            else:
                here.add(fold(said))
                chosen.append((candidate, said))
        if chosen:
            _enter(connection, chosen, name)
            activity.note(connection, name, "synthetic.accept_all", str(len(chosen)))
    return left + Counter(accepted=len(chosen))


def _fate(text: str, here: Collection[str]) -> tuple[str, str]:
    """The text of a query, and why it is none."""
    try:
        said = _query_text(text)
    except BuilderError:
        return "", "unfit"
    return said, "same_text" if fold(said) in here else ""


def _enter(connection: Connection, chosen: Sequence[tuple[Candidate, str]], name: str) -> None:
    for (candidate, said), entered in zip(chosen, enter(connection, chosen), strict=True):
        edited = None if said == candidate.text else said
        key = entered.query_key
        stored.note_accepted(connection, candidate.candidate_id, name, key, edited)


def _withdraw(connection: Connection, query_id: str) -> None:
    row = query_row_of(connection, query_id)
    if row is None or row.status == "retired":
        raise BuilderError(
            f"The query {query_id} was retired or merged meanwhile, so its review stays.",
            hint="The page Queries brings it back.",
        )
    reason = withdraw(connection, row.query_key)
    if reason is not None:
        raise BuilderError(
            f"The query {query_id} stays. {_STAYS[reason]}.",
            hint="Take the validation back first."
            if reason == "in_drawing"
            else "The page Queries retires it; what was said of it is kept.",
        )


def _standing(connection: Connection, candidate_id: int) -> Candidate:
    """A candidate that can be reviewed."""
    candidate = _existing(connection, candidate_id)
    _refuse_taken_back(connection, candidate.synthesis_id)
    if candidate.verdict is None:
        raise BuilderError(
            f"No filter has seen the candidate {candidate_id} yet.",
            hint="Let the synthesis go on to its end first.",
        )
    return candidate


def _existing(connection: Connection, candidate_id: int) -> Candidate:
    candidate = find_candidate(connection, candidate_id)
    if candidate is None:
        raise BuilderError(f"There is no candidate {candidate_id}.")
    return candidate


def _refuse_taken_back(connection: Connection, synthesis_id: int | None) -> None:
    stands = True if synthesis_id is None else stored.synthesis_stands(connection, synthesis_id)
    if stands is None:
        raise BuilderError(
            f"There is no synthesis {synthesis_id}.", hint="`goldsmith synth --list` shows all."
        )
    if not stands:
        raise BuilderError(f"The synthesis {synthesis_id} was taken back: nothing of it enters.")


def _refuse_reviewed(candidate: Candidate) -> None:
    if candidate.review is not None:
        raise BuilderError(
            f"{candidate.reviewed_by} has {candidate.review} this query already.",
            hint="Undo that first.",
        )


def _refuse_same(connection: Connection, candidate: Candidate, said: str) -> None:
    for same in queries_of_text(connection, said):
        if same.query_id != candidate.query_id:
            raise BuilderError(
                f"The query {same.query_id} says the same already.",
                hint="Edit this one, or reject it.",
            )


def _refuse_graded_text(connection: Connection, candidate: Candidate, said: str) -> None:
    """Refuse another text of a query that it was before, where people have judged that one."""
    row = None if candidate.query_id is None else query_row_of(connection, candidate.query_id)
    if row is None or row.text == said:
        return
    if stored.worked_on(connection, [row.query_key]):
        raise BuilderError(
            f"The query {row.query_id} was judged as: {row.text}",
            hint="Accept it with that text, or reject it and add a query of your own.",
        )


def _query_text(text: str) -> str:
    content = clean_content(QueryContent(text))
    check_lengths(content)
    return content.text


def _says(candidate: Candidate) -> str:
    return candidate.text.strip() if candidate.edited_text is None else candidate.edited_text


def _told(candidate: Candidate) -> dict[str, int]:
    return {"candidate_id": candidate.candidate_id, "synthesis_id": candidate.synthesis_id}


def _short(text: str) -> str:
    kept = " ".join(text.split())
    return kept if len(kept) <= 100 else kept[:99] + "…"
