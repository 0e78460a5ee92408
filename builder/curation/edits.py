"""Changes of one query: what it says, whether it is asked for, and when.

Whoever changes says what the query was when they began. If it says something else by now, nothing
is written, and they are told. Each change is recorded with what was before and after.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from builder.curation.acting import analyst, existing_query
from builder.curation.contents import QueryContent, check_lengths, clean_content, content_of
from builder.errors import BuilderError
from builder.people import Person
from builder.store import Connection, activity
from builder.store.activity import Entry
from builder.store.query_edits import count_grades, update_content
from builder.store.query_lists import QueryRow
from builder.store.query_outcomes import settle_outcomes
from builder.store.quota import set_query_priority, set_query_state
from builder.workspace import Workspace

PRIORITIES = {2: "first", 1: "as it comes", 0: "later"}
"""When raters are asked for a query, the number in the store and the word for people."""

LONGEST_REASON = 500


class QueryChangedError(BuilderError):
    """Somebody else changed the query since it was read.

    Attributes:
        now: What it says now.
    """

    def __init__(self, message: str, now: QueryContent, hint: str) -> None:
        super().__init__(message, hint=hint)
        self.now = now


class GradedTextError(BuilderError):
    """Grades were made under the text or need that is to be changed.

    Attributes:
        grades: How many of them stand.
    """

    def __init__(self, grades: int) -> None:
        were = "1 grade was" if grades == 1 else f"{grades:,} grades were"
        super().__init__(
            f"{were} made under the text as it was. They stay and count for the new one.",
            hint="If the query means something else now, retire it and add a new one instead.",
        )
        self.grades = grades


@dataclass(frozen=True, slots=True)
class Edited:
    """What became of an edit.

    Attributes:
        changed: Which of text, need and tags are other than before; empty if nothing changed.
        grades: How many grades stand that were made under the text and need as they were; 0 if
            only tags changed.
        dismissed: How many words of raters about the query stand no more.
    """

    changed: tuple[str, ...]
    grades: int = 0
    dismissed: int = 0


def edit_query(  # noqa: PLR0913 - what is changed, and what the editor knows
    workspace: Workspace,
    query_id: str,
    before: QueryContent,
    after: QueryContent,
    actor: Person | None,
    *,
    despite_grades: bool = False,
    ask_raters_again: bool = False,
) -> Edited:
    """Let the query say something else.

    Args:
        workspace: Where it lies.
        query_id: The query.
        before: What it said when the edit was begun.
        after: What it shall say.
        actor: Who edits, at least an analyst; None is the terminal.
        despite_grades: Whether the editor knows that grades were made under the old text.
        ask_raters_again: Whether raters' words about the old query stand no more.

    Raises:
        NotAllowedError: The actor is no analyst.
        QueryChangedError: It says something else than `before` by now; nothing was written.
        GradedTextError: Grades stand and `despite_grades` is not said; nothing was written.
        BuilderError: There is no such query, or the content cannot be kept.
    """
    said = _as_before(clean_content(after), before)
    check_lengths(said, before)
    with workspace.store.write() as connection:
        name = analyst(connection, actor)
        row = existing_query(connection, query_id)
        changed = _changed(content_of(row), said)
        if changed:
            _refuse_changed(connection, row, before)
        grades = _grades_under(connection, row, changed)
        if grades and not despite_grades:
            raise GradedTextError(grades)
        if changed:
            update_content(connection, row.query_key, said.text, said.need, said.tags)
        dismissed = settle_outcomes(connection, row.query_key) if ask_raters_again else 0
        edited = Edited(changed, grades, dismissed)
        if changed or dismissed:
            details = _difference(content_of(row), said, changed) | _effects(edited)
            activity.note(connection, name, "query.edit", query_id, details)
    return edited


def retire_query(
    workspace: Workspace, query_id: str, actor: Person | None, *, reason: str = ""
) -> bool:
    """Ask nobody for the query any more and leave it out of releases; its grades stay.

    Returns:
        Whether it was active until now.

    Raises:
        NotAllowedError: The actor is no analyst.
        BuilderError: There is no such query, or the reason has more than 500 characters.
    """
    if len(reason) > LONGEST_REASON:
        raise BuilderError(f"A reason has at most {LONGEST_REASON} characters.")
    details = {"reason": reason.strip()} if reason.strip() else {}
    return _set_status(workspace, query_id, "retired", actor, details)


def restore_query(workspace: Workspace, query_id: str, actor: Person | None) -> bool:
    """Bring a retired query back; whether it was retired until now.

    Raises:
        NotAllowedError: The actor is no analyst.
        BuilderError: There is no such query.
    """
    return _set_status(workspace, query_id, "active", actor, {})


def set_priority(workspace: Workspace, query_id: str, priority: int, actor: Person | None) -> bool:
    """Let raters come to the query first (2), as it comes (1) or later (0).

    Returns:
        Whether it had another priority until now.

    Raises:
        NotAllowedError: The actor is no analyst.
        BuilderError: There is no such query or priority.
    """
    if priority not in PRIORITIES:
        raise BuilderError(f"A priority is 0, 1 or 2, not {priority!r}.")
    with workspace.store.write() as connection:
        name = analyst(connection, actor)
        row = existing_query(connection, query_id)
        if row.priority == priority:
            return False
        set_query_priority(connection, row.query_key, priority)
        details = {"before": {"priority": row.priority}, "after": {"priority": priority}}
        activity.note(connection, name, "query.priority", query_id, details)
    return True


def query_history(workspace: Workspace, query_id: str, limit: int = 200) -> list[Entry]:
    """What was done to the query, newest first."""
    with workspace.store.read() as connection:
        return activity.entries(connection, limit=limit, prefix="query.", subject=query_id)


def _set_status(
    workspace: Workspace,
    query_id: str,
    status: str,
    actor: Person | None,
    details: Mapping[str, Any],
) -> bool:
    with workspace.store.write() as connection:
        name = analyst(connection, actor)
        row = existing_query(connection, query_id)
        if row.status == status:
            return False
        set_query_state(connection, row.query_key, status=status)
        change = {"before": {"status": row.status}, "after": {"status": status}, **details}
        action = "query.retire" if status == "retired" else "query.restore"
        activity.note(connection, name, action, query_id, change)
    return True


def _as_before(said: QueryContent, before: QueryContent) -> QueryContent:
    """Without differences that only the form made: line ends, and white space around."""
    same_text = said.text == before.text.replace("\r\n", "\n").strip()
    same_need = said.need == before.need.replace("\r\n", "\n").strip()
    return QueryContent(
        before.text if same_text else said.text, before.need if same_need else said.need, said.tags
    )


def _changed(now: QueryContent, after: QueryContent) -> tuple[str, ...]:
    names = ("text", "need", "tags")
    return tuple(name for name in names if getattr(now, name) != getattr(after, name))


def _refuse_changed(connection: Connection, row: QueryRow, before: QueryContent) -> None:
    """Refuse if the query says something else than what the edit was begun from."""
    if content_of(row) == before:
        return
    found = activity.entries(connection, limit=1, prefix="query.edit", subject=row.query_id)
    who = found[0].actor if found else "an import"
    raise QueryChangedError(
        f"The query {row.query_id} was changed meanwhile by {who}. Nothing was saved.",
        content_of(row),
        "See what it says now, and edit that.",
    )


def _grades_under(connection: Connection, row: QueryRow, changed: tuple[str, ...]) -> int:
    """How many grades stand under a text or need that changes."""
    return count_grades(connection, row.query_key) if {"text", "need"} & set(changed) else 0


def _effects(edited: Edited) -> dict[str, int]:
    """What else is recorded of an edit, where there is any."""
    effects = {"grades_before": edited.grades, "dismissed": edited.dismissed}
    return {name: n for name, n in effects.items() if n}


def _difference(
    before: QueryContent, after: QueryContent, changed: tuple[str, ...]
) -> dict[str, Any]:
    """The fields that change, before and after, as the log of activity keeps them."""
    return {
        when: {name: _plain(getattr(content, name)) for name in changed}
        for when, content in (("before", before), ("after", after))
    }


def _plain(value: str | tuple[str, ...]) -> str | list[str]:
    return value if isinstance(value, str) else list(value)
