"""Review of what a model wrote: each candidate is accepted, edited and accepted, or rejected.

A reviewer says whether a query is one that somebody would ask; how relevant its document is, only
raters say.
"""

from builder.people import Person
from builder.store.synthetic_review import ReviewCandidate, ReviewProgress, Wanted
from builder.workspace import Workspace

__all__ = [
    "ReviewCandidate",
    "ReviewProgress",
    "Wanted",
    "accept",
    "accept_all",
    "reject",
    "review_progress",
    "undo_review",
    "waiting_for_review",
]


def waiting_for_review(
    workspace: Workspace, wanted: Wanted | None = None, *, limit: int | None = None
) -> list[ReviewCandidate]:
    """What waits for a reviewer, in the order in which it was written.

    Candidates of syntheses that were taken back are left out, and those that no filter has seen.

    Args:
        workspace: Whose candidates.
        wanted: Which of them; None: all that the filters kept.
        limit: At most so many; None: all.
    """
    raise NotImplementedError


def review_progress(workspace: Workspace, wanted: Wanted | None = None) -> ReviewProgress:
    """How many of the wanted candidates there are, and what was said of them."""
    raise NotImplementedError


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
        BuilderError: There is no such candidate, its synthesis was taken back, it was reviewed
            otherwise, the text is no query, or a query of the set says the same.
        NotAllowedError: The actor is no analyst.
    """
    raise NotImplementedError


def reject(workspace: Workspace, candidate_id: int, actor: Person | None = None) -> None:
    """Let a candidate become nothing; rejected already: nothing changes.

    Raises:
        BuilderError: There is no such candidate, its synthesis was taken back, or it was accepted.
        NotAllowedError: The actor is no analyst.
    """
    raise NotImplementedError


def undo_review(workspace: Workspace, candidate_id: int, actor: Person | None = None) -> None:
    """Let a candidate wait again; an accepted one's query is retired, its grade undone.

    Waits it already: nothing changes.

    Raises:
        BuilderError: There is no such candidate, its synthesis was taken back, or somebody has
            judged the query that it became; nothing has changed then.
        NotAllowedError: The actor is no analyst.
    """
    raise NotImplementedError


def accept_all(
    workspace: Workspace,
    synthesis_id: int | None = None,
    only_unflagged: bool = False,  # noqa: FBT001, FBT002 - as the command has it
    actor: Person | None = None,
) -> dict[str, int]:
    """Accept all that the filters kept and nobody has reviewed, as `accept` does, at once.

    Args:
        workspace: Where.
        synthesis_id: Only what this run wrote; None: of all runs that stand.
        only_unflagged: Leave those waiting that a filter flagged.
        actor: Who asks for it in the browser; None at the terminal.

    Returns:
        accepted; same_text: left waiting since a query of the set says the same; flagged: left
        waiting since flagged.

    Raises:
        BuilderError: There is no such synthesis, or it was taken back.
        NotAllowedError: The actor is no analyst.
    """
    raise NotImplementedError
