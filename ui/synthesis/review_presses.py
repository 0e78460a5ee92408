"""What a press in the review does: nothing if it was not meant, else it is stored at once."""

from builder.people import Person
from builder.synthesis.review import Candidate, accept, latest_reviewed, reject, undo_review
from builder.workspace import Workspace
from ui.presses import Press, refusal_of
from ui.sitting import Said, shortened
from ui.synthesis.review_state import Reviewing


def press_key(workspace: Workspace, person: Person, reviewing: Reviewing, press: Press) -> None:
    """Do what was pressed and note what is said of it.

    Raises:
        BuilderError: It cannot be done; nothing was stored.
    """
    reviewing.answers += 1
    is_there = reviewing.candidate is not None
    if refusal := refusal_of(reviewing, press, is_there=is_there, what="query"):
        reviewing.said = Said("ignored", refusal)
    elif press.key == "u":
        _undo(workspace, person, reviewing)
    elif reviewing.candidate is not None:
        _deal_with(workspace, person, reviewing, press, reviewing.candidate)


def _deal_with(
    workspace: Workspace,
    person: Person,
    reviewing: Reviewing,
    press: Press,
    candidate: Candidate,
) -> None:
    """Store what was said of the query; only then say so, and go on."""
    which, title = candidate.candidate_id, shortened(candidate.text)
    if press.key == "a":
        accept(workspace, which, actor=person)
        reviewing.said = Said("saved", "Last: accepted \u201c", title, "\u201d, saved")
    elif press.key == "e":
        accept(workspace, which, press.comment, person)
        reviewing.said = Said(
            "saved", "Last: accepted as \u201c", shortened(press.comment), "\u201d, saved"
        )
    elif press.key == "r":
        reject(workspace, which, person)
        reviewing.said = Said("saved", "Last: rejected \u201c", title, "\u201d, saved")
    elif press.key == "s":
        reviewing.put_off(which)
        reviewing.said = Said("", "Put off: \u201c", title, "\u201d comes at last")
    else:
        reviewing.said = Said("ignored", "This key does nothing here.")
        return
    reviewing.leave()


def _undo(workspace: Workspace, person: Person, reviewing: Reviewing) -> None:
    last = latest_reviewed(workspace, person)
    if last is None:
        reviewing.said = Said("ignored", "There is nothing to undo.")
        return
    undo_review(workspace, last.candidate_id, person)
    reviewing.leave()
    reviewing.first = last.candidate_id
    said = "accepted" if last.review == "accepted" else "rejected"
    reviewing.said = Said(
        "undone", f"Undone: you had {said} \u201c", shortened(last.says), "\u201d. Here it is."
    )
