"""Sessions that behave as no person does: flagged in the lake's table `bots`, never deleted.

Metrics count them unless they are asked not to, and say how many there are. The rules are "strong"
criteria: what a person hardly can do, not what few people do, so that who searches much is kept
(O. M. Duskin and D. G. Feitelson, Distinguishing Humans from Bots in Web Search Logs, 2010). A
session that no longer meets a rule, as more of it came in, loses its flag.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from online.columns import BOTS
from online.engines import fetch
from online.lake import Connection, Lake, Progress, Writing, create_view
from online.sql import sql

FAST_SEARCHES = 30
FAST_S = 60
MANY_SEARCHES = 500
ENDLESS_S = 24 * 3600
CANNED_SEARCHES = 50
MOST = 0.5
"""Where a larger share of searches or sessions is flagged, the rules are in doubt, and say so."""

CRAWLERS = (
    r"(^|[^u]|[^c]u)bot([^a-z]|$)|crawl|spider|slurp|headless|"
    r"\b(curl|wget|python-requests|python-urllib|python-httpx|aiohttp|scrapy|go-http-client)\b"
)
"""What names a crawler in a user agent in small letters: what crawlers and scripts call themselves.

No "cubot": a maker of phones (omrilotan/isbot#29). No "okhttp" or "java": apps of people use them.
"""


@dataclass(frozen=True, slots=True)
class Rule:
    """A reason to take a session for a machine's.

    Attributes:
        what: What a session does that meets it, with its limit, for a person to read.
        why: Why no person does that, and where the rule comes from.
    """

    what: str
    why: str


RULES: Mapping[str, Rule] = {
    "declared": Rule(
        "at least half of its searches name a crawler in `user_agent`",
        "Honest crawlers and scripts name themselves, and reach search pages by links "
        "(discourse/discourse#42611, matomo-org/matomo-log-analytics#217).",
    ),
    "too_fast": Rule(
        f"{FAST_SEARCHES} searches or more within {FAST_S} s",
        "A person types, reads and decides: a search every two seconds for a minute is none. Rates "
        "are a limit of the body (US patent application 2009/0265317; Duskin and Feitelson).",
    ),
    "too_many": Rule(
        f"{MANY_SEARCHES} searches or more",
        "At one search a minute that is a visit of more than eight hours.",
    ),
    "endless": Rule(
        f"more than {ENDLESS_S // 3600} h from its first search to its last",
        "Sessions that last for days or months are machines, or no sessions "
        "(snowplow/dbt-snowplow-web#47, #41).",
    ),
    "canned": Rule(
        f"{CANNED_SEARCHES} searches or more of one same query, none of them clicked",
        "Monitoring repeats its canned searches, which then lead the reports "
        "(emory-libraries/dlp-curate#1961).",
    ),
}
"""Rule -> what it says; its limits are written out in sql/suspects.sql and sql/bots.sql."""


@dataclass(frozen=True, slots=True)
class Flagged:
    """What an import found out about the sessions that it touched.

    Attributes:
        searches: Searches of this import that stand in flagged sessions.
        named: The same beside all searches of these sessions in the lake, as earlier imports
            brought some; each rule that is met, with its counts in the lake; and a doubt where the
            flagged are most of what was judged. Whole sentences, for `named` of a tally.
    """

    searches: int
    named: list[str]


def flag_bots(writing: Writing) -> Flagged:
    """Judge the sessions that an import touched, and place the table `bots` of after it.

    All searches of these sessions are read, also those of earlier imports; flags of other sessions
    stay as they were. Call it when the searches are placed, before the commit.

    Args:
        writing: The import's right to write. Its connection has a table `touched_sessions` with a
            column session_id: the sessions of searches that are new or written anew, and those that
            these had before. Repeats do no harm but take memory.
    """
    connection = writing.connection
    _judge(writing, "SEMI JOIN touched_sessions USING (session_id)")
    before = writing.manifest.bots
    create_view(connection, "bots_before", [writing.root / before.path] if before else [], BOTS)
    connection.execute(f"CREATE TEMP TABLE bots_after AS {sql('duckdb/bots_after')}")
    writing.view("searches_before", writing.manifest.searches)
    _place(writing)
    return _flagged(connection)


def _flagged(connection: Connection) -> Flagged:
    if not connection.execute("SELECT 1 FROM fresh_bots LIMIT 1").fetchall():
        return Flagged(0, [])
    rows = connection.execute(sql("duckdb/flagged")).fetchall()
    in_lake, of_log, judged = (int(number) for number in rows[0][3:])
    named = [
        f"{of_log:,} of this log's searches are in flagged sessions ({in_lake:,} in the lake)",
        *(f"{rule}: {n:,} searches, sessions: {sessions:,}" for rule, sessions, n, *_ in rows),
    ]
    return Flagged(of_log, [*named, *_doubts(in_lake, judged, "searches")])


def _doubts(flagged: int, of_all: int, what: str) -> list[str]:
    """A sentence where so many are flagged that the rules are in doubt."""
    if flagged <= MOST * of_all:
        return []
    return [
        f"{100 * flagged / of_all:.0f} % of the {what} are flagged: no bot makes so many. Look "
        "whether session_id names a visit in this log, or a person, a program, or nothing."
    ]


def judge_all(lake: Lake, progress: Progress | None = None) -> None:
    """Judge all sessions of a lake anew: those of imports that knew other rules, or none.

    Args:
        lake: The events. Another import at work is waited for.
        progress: Told that we wait; may raise to cancel.

    Raises:
        OnlineError: Another import did not finish in time, or the lake is damaged.
    """
    with lake.writing(progress) as writing:
        judge_again(writing)
        writing.change_former(lambda former: replace(former, bots=None, judge_bots=True))
        writing.commit()


def judge_again(writing: Writing) -> None:
    """Judge all sessions by the searches that the commit will leave, and place `bots` of after it.

    For who erases searches: no flag outlives its session, nor what it says of a user.
    """
    _judge(writing)
    writing.connection.execute("CREATE TEMP TABLE bots_after AS FROM fresh_bots")
    _place(writing)


def _judge(writing: Writing, only: str = "") -> None:
    """Make the table `fresh_bots`, by the searches of after the commit."""
    connection = writing.connection
    writing.view("searches_after", writing.files("searches"))
    connection.execute("SET VARIABLE crawlers = ?", [CRAWLERS])
    connection.execute(f"CREATE TEMP VIEW judged AS {sql('duckdb/judged').rstrip()} {only}")
    for table, query in (("suspects", "suspects"), ("met", "bots")):
        connection.execute(f"CREATE TEMP TABLE {table} AS {sql(query)}")
    connection.execute(f"CREATE TEMP TABLE fresh_bots AS {sql('duckdb/fresh_bots')}")


def _place(writing: Writing) -> None:
    """Place the rows of `bots_after` as the table `bots`, which is nothing where there are none."""
    connection = writing.connection
    if not connection.execute("SELECT 1 FROM bots_after LIMIT 1").fetchall():
        writing.place_bots(None)
        return
    file = writing.scratch / "bots.parquet"
    target = str(file).replace("'", "''")
    ordered = "FROM bots_after ORDER BY session_id, rule"
    connection.execute(f"COPY ({ordered}) TO '{target}' (FORMAT parquet)")
    writing.place_bots(file)


@dataclass(frozen=True, slots=True)
class BotCounts:
    """How much of a lake is flagged.

    Attributes:
        sessions: Flagged sessions.
        searches: Their searches.
        all_sessions: Sessions of the lake.
        all_searches: Searches of the lake.
        by_rule: Rule -> flagged sessions and their searches; a session may meet several rules.
        largest: The ten flagged sessions with the most searches: session_id, user_id (None: not
            logged), session_given, rules, searches, began, ended.
    """

    sessions: int
    searches: int
    all_sessions: int
    all_searches: int
    by_rule: Mapping[str, tuple[int, int]]
    largest: list[dict[str, Any]]

    @property
    def doubts(self) -> list[str]:
        """Why the flags may be wrong, in sentences; empty where nothing speaks against them."""
        return _doubts(self.searches, self.all_searches, "searches") or _doubts(
            self.sessions, self.all_sessions, "sessions"
        )


def count_bots(connection: Connection) -> BotCounts:
    """How much of a lake its imports flagged; over a connection of `Lake.connect`."""
    (whole,) = fetch(connection, "bots_in_all")
    by_rule = {
        row["rule"]: (int(row["sessions"]), int(row["searches"]))
        for row in fetch(connection, "bots_by_rule")
    }
    return BotCounts(
        sessions=int(whole["sessions"]),
        searches=int(whole["searches"] or 0),
        all_sessions=int(whole["all_sessions"]),
        all_searches=int(whole["all_searches"]),
        by_rule={rule: by_rule.get(rule, (0, 0)) for rule in RULES},
        largest=_largest(fetch(connection, "largest_bots")),
    )


def _largest(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One entry a session, with all its rules."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        rule = row.pop("rule")
        found.setdefault(row["session_id"], row | {"rules": []})["rules"].append(rule)
    return list(found.values())


def bots_document(counts: BotCounts) -> dict[str, Any]:
    """The document that `goldsmith events bots --json` prints."""
    return {
        "sessions": counts.sessions,
        "searches": counts.searches,
        "all": {"sessions": counts.all_sessions, "searches": counts.all_searches},
        "rules": {
            rule: {
                "what": said.what,
                "why": said.why,
                "sessions": counts.by_rule[rule][0],
                "searches": counts.by_rule[rule][1],
            }
            for rule, said in RULES.items()
        },
        "largest": [
            row | {"began": row["began"].isoformat(), "ended": row["ended"].isoformat()}
            for row in counts.largest
        ],
        "warnings": counts.doubts,
    }
