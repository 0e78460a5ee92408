"""The log of who did what when, as people read it: filtered, in words, as a table to take away.

Whatever changes something writes into the log itself, in its own transaction
(`builder.store.activity.note`); here it is only read.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any
from zoneinfo import ZoneInfo

from builder.spreadsheets import safe_csv
from builder.store import activity as log
from builder.store.activity import Entry
from builder.workspace import Workspace
from estimates import ImportTally

__all__ = [
    "ACTIONS",
    "FOLDED",
    "ActivityPage",
    "Entry",
    "Wanted",
    "action_words",
    "activity_csv",
    "detail_lines",
    "kind_of",
    "kind_words",
    "kinds_and_actors",
    "note_events",
    "read_activity",
    "read_folded",
]

PAGE = 50
_CHUNK = 1000
_LONGEST_VALUE = 160

ACTIONS = {
    "adjudication.decide": "Decided on a disputed pair of the query",
    "adjudication.undo": "Took back a decision on a pair of the query",
    "backup.daily": "Daily copy of the database",
    "backup.daily.failed": "Daily copy failed",
    "backup.make": "Copied the database",
    "backup.restore": "Restored the database from",
    "demo.fill": "Filled the workspace with the demo",
    "events.expire": "Removed search events older than",
    "events.forget": "Erased the search events of",
    "events.take_back": "Took back the import of search events",
    "guidelines.file": "Took from guidelines.md",
    "guidelines.save": "Saved the guidelines as",
    "import.corpus": "Imported documents",
    "import.events": "Imported search events",
    "import.judgments": "Imported judgments",
    "import.pool": "Imported pairs",
    "import.queries": "Imported queries",
    "job.cancel": "Asked to stop the job",
    "job.start": "Started the job",
    "judgments.export": "Exported judgments",
    "person.add": "Added",
    "person.deactivate": "Deactivated",
    "person.invite": "Made a link for",
    "person.join": "Joined as",
    "person.reactivate": "Reactivated",
    "person.role": "Changed the role of",
    "pool.add": "Pooled pairs by",
    "pool.take_back": "Took back the filling",
    "query.absorb": "Took in another query",
    "query.add": "Added the query",
    "query.ask_again": "Had raters asked again about the query",
    "query.ask_more": "Had more raters asked about a pair of the query",
    "query.edit": "Edited the query",
    "query.merge": "Merged away the query",
    "query.priority": "Changed the priority of the query",
    "query.restore": "Restored the query",
    "query.retire": "Retired the query",
    "rater.exclude": "Left out the grades of",
    "rater.include": "Let count again the grades of",
    "recheck.send": "Had pairs graded once more that clicks contradict",
    "recheck.take_back": "Took back pairs that were to be graded once more",
    "release.make": "Made the release",
    "sampling.draw": "Drew queries from the log as sampling",
    "sampling.take_back": "Took back the sampling",
    "synthesis.end": "The language model's work ended, of the synthesis",
    "synthesis.resume": "Went on with the synthesis",
    "synthesis.start": "Had a language model write queries, as synthesis",
    "synthesis.take_back": "Took back the synthesis",
    "validation.draw": "Drew synthetic queries for experts as validation",
    "validation.take_back": "Took back the validation",
    "synthetic.accept": "Accepted the generated query",
    "synthetic.accept_all": "Accepted generated queries at once:",
    "synthetic.reject": "Rejected the generated query",
    "synthetic.undo": "Took back what was said of the generated query",
}
"""What is written in the log -> what a person reads before the subject."""

_KINDS = {
    "adjudication": "Decisions",
    "person": "People",
    "query": "Queries",
    "rater": "Raters left out",
    "synthetic": "Generated queries",
    "validation": "Validations",
    "job": "Jobs",
    "import": "Imports",
    "events": "Events removed",
}
FOLDED: Mapping[str, str] = {
    "synthetic.accept": "Accepted generated queries one by one:",
    "synthetic.accept_all": ACTIONS["synthetic.accept_all"],
    "synthetic.reject": "Rejected generated queries one by one:",
}
"""Deeds that come by the dozen -> what stands before the number of those in a row."""

_LISTS = ("candidates",)
"""Details of earlier entries that are long lists of numbers."""
_PAIRS = (("from", "to"), ("before", "after"))


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which deeds somebody wants to see.

    Attributes:
        actor: Only what this one did; None for everybody.
        kind: Only of this kind, such as "query"; None for all.
    """

    actor: str | None = None
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class ActivityPage:
    """Some deeds, newest first.

    Attributes:
        entries: The deeds; names, subjects and details are untrusted.
        older: What `before` brings the next page; None on the last one.
    """

    entries: list[Entry]
    older: int | None


def read_activity(
    workspace: Workspace, wanted: Wanted = Wanted(), before: int | None = None, limit: int = PAGE
) -> ActivityPage:
    """A page of the log, newest first.

    Args:
        workspace: Whose log.
        wanted: Which deeds.
        before: `older` of the page above; None for the newest.
        limit: How many deeds at most.
    """
    with workspace.store.read() as connection:
        found = log.entries(
            connection,
            limit=limit + 1,
            before=before,
            actor=wanted.actor,
            prefix=f"{wanted.kind}." if wanted.kind else None,
        )
    shown = found[:limit]
    return ActivityPage(shown, shown[-1].activity_id if len(found) > limit else None)


def read_folded(
    workspace: Workspace, wanted: Wanted = Wanted(), before: int | None = None, limit: int = PAGE
) -> tuple[ActivityPage, dict[int, int]]:
    """A page of the log on which many small deeds of one person in a row are one.

    Args:
        workspace: Whose log.
        wanted: Which deeds.
        before: `older` of the page above; None for the newest.
        limit: How many entries at most, folded ones counted once.

    Returns:
        The page, with the newest deed of each row of deeds; and its activity_id -> how much was
        done in all of these, of those that are several.
    """
    page = read_activity(workspace, wanted, before, _CHUNK)
    rows = [list(row) for _, row in groupby(page.entries, _alike)]
    shown = rows[:limit]
    older = shown[-1][-1].activity_id if len(rows) > limit else page.older
    folded = {row[0].activity_id: sum(map(_done, row)) for row in shown if len(row) > 1}
    return ActivityPage([row[0] for row in shown], older), folded


def _alike(entry: Entry) -> tuple[object, ...]:
    """The same for deeds that are told as one."""
    if entry.action in FOLDED:
        return (entry.actor, entry.action)
    return (entry.activity_id,)


def _done(entry: Entry) -> int:
    """How many things a deed was done to."""
    at_once = entry.action == "synthetic.accept_all" and entry.subject.isdecimal()
    return int(entry.subject) if at_once else 1


def kinds_and_actors(workspace: Workspace) -> tuple[list[str], list[str]]:
    """The kinds of deeds that there are, and who did any, each in alphabetical order."""
    with workspace.store.read() as connection:
        kinds = {kind_of(action) for action in log.actions(connection)}
        return sorted(kinds, key=kind_words), log.actors(connection)


def kind_of(action: str) -> str:
    """The kind of a deed: "query" of "query.edit"."""
    return action.partition(".")[0]


def kind_words(kind: str) -> str:
    """A kind of deeds as people read it."""
    return _KINDS.get(kind, _capital(kind.replace("_", " ")))


def action_words(action: str) -> str:
    """A deed as people read it, in front of its subject."""
    return ACTIONS.get(action) or _capital(action.replace(".", " ").replace("_", " "))


def detail_lines(details: Mapping[str, Any], longest: int | None = _LONGEST_VALUE) -> list[str]:
    """What is known beside actor, action and subject: a line a detail that is not empty; untrusted.

    Args:
        details: As in the log. What changed is {"need": {"from": …, "to": …}}, or lies in the
            mappings "before" and "after".
        longest: Longer texts are cut to so many characters; None: they are not.
    """
    before, after = (_mapping(details.get(key)) for key in ("before", "after"))
    lines = list(_changes(before, after, longest))
    rest = {
        key: value
        for key, value in details.items()
        if value not in ({}, [])
        and key not in _LISTS
        and (key not in ("before", "after") or not isinstance(value, Mapping))
    }
    return lines + [_line(key, value, longest) for key, value in rest.items()]


def activity_csv(workspace: Workspace, wanted: Wanted = Wanted()) -> bytes:
    """All that is wanted of the log, newest first, as a CSV file that no spreadsheet runs."""
    columns = ("when", "timezone", "who", "action", "subject", "details")
    zone = workspace.settings.timezone
    rows = (
        (
            _local(entry.happened_at, zone),
            zone,
            entry.actor,
            entry.action,
            entry.subject,
            "; ".join(detail_lines(entry.details, longest=None)),
        )
        for entry in _all_entries(workspace, wanted)
    )
    return safe_csv(columns, rows)


def note_events(workspace: Workspace, name: str, tally: ImportTally, actor: str) -> None:
    """Write into the log that search events were imported: they lie in the lake, not the store."""
    if not tally.read:
        return
    told = {key: value for key, value in tally.as_json().items() if key != "quarantine_file"}
    with workspace.store.write() as connection:
        log.note(connection, actor, "import.events", name, told)


def _all_entries(workspace: Workspace, wanted: Wanted) -> Iterator[Entry]:
    before: int | None = None
    while True:
        page = read_activity(workspace, wanted, before, _CHUNK)
        yield from page.entries
        if page.older is None:
            return
        before = page.older


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _changes(
    before: Mapping[str, Any], after: Mapping[str, Any], longest: int | None
) -> Iterator[str]:
    for key in {**before, **after}:
        if key in before and key in after:
            yield _changed(key, before[key], after[key], longest)
        else:
            yield _line(key, after.get(key, before.get(key)), longest)


def _line(key: str, value: object, longest: int | None) -> str:
    if isinstance(value, Mapping):
        for old, new in _PAIRS:
            if set(value) == {old, new}:
                return _changed(key, value[old], value[new], longest)
    return f"{_field(key)}: {_value(value, longest)}"


def _changed(key: str, before: object, after: object, longest: int | None) -> str:
    return f"{_field(key)}: from {_quoted(before, longest)} to {_quoted(after, longest)}"


def _quoted(value: object, longest: int | None) -> str:
    if isinstance(value, str):
        return f"\u201c{_shortened(value, longest)}\u201d" if value else "nothing"
    return _value(value, longest)


def _value(value: object, longest: int | None) -> str:
    """Any JSON as a person reads it."""
    if value is None or value in ("", [], {}):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"
    if isinstance(value, Mapping):
        told = (f"{_field(str(key))} {_value(part, longest)}" for key, part in value.items())
        return _shortened(", ".join(told), longest)
    if isinstance(value, list):
        return _shortened(", ".join(_value(part, longest) for part in value), longest)
    return _shortened(str(value), longest)


def _field(key: str) -> str:
    return key.replace("_", " ")


def _shortened(text: str, longest: int | None) -> str:
    if longest is None or len(text) <= longest:
        return text
    return text[: longest - 1].rstrip() + "\u2026"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _local(moment: str, zone: str) -> str:
    local = datetime.fromisoformat(moment).astimezone(ZoneInfo(zone))
    return local.strftime("%Y-%m-%d %H:%M:%S")
