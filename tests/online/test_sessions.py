"""Sessions by user and silence, against a plain reading of the rule, in any order of arrival."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from online.lake import Connection
from online.sessions import LONGEST_SEARCH_S, SILENCE_S, find_sessions

MIDNIGHT = datetime(2026, 12, 1, tzinfo=UTC)
COLUMNS = (
    "search_key BIGINT, timestamp TIMESTAMPTZ, user_id VARCHAR, session_id VARCHAR, "
    "session_given BOOLEAN, active_until TIMESTAMPTZ, in_lake BOOLEAN"
)


@dataclass(frozen=True)
class Search:
    """A search; times in seconds from midnight."""

    key: int
    at: float
    user: str | None = "ann"
    given: str | None = None
    until: float | None = None

    @property
    def micros(self) -> int:
        return round((MIDNIGHT.timestamp() + self.at) * 1_000_000)

    @property
    def end(self) -> float:
        late = self.until is None or not 0 <= self.until - self.at <= LONGEST_SEARCH_S
        return self.at if late or self.until is None else self.until


@pytest.fixture(scope="module")
def connection() -> Iterator[Connection]:
    with duckdb.connect() as opened:
        opened.execute("SET TimeZone = 'UTC'")
        yield opened


def oracle(searches: list[Search]) -> dict[int, str]:
    """Search -> session: the rule, read word by word."""
    found = {s.key: s.given or f"search:{s.key}" for s in searches}
    waiting = [s for s in searches if not s.given and s.user]
    for user in {s.user for s in waiting}:
        begun, quiet_since = 0, float("-inf")
        for search in sorted((s for s in waiting if s.user == user), key=lambda s: s.at):
            if search.at - quiet_since >= SILENCE_S:
                begun = search.micros
            quiet_since = max(quiet_since, search.end)
            found[search.key] = f"user:{user}:{begun}"
    return found


class Imports:
    """The searches of a lake and their sessions, after one import or many."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.lake: dict[int, Search] = {}
        self.sessions: dict[int, str] = {}

    def take(self, searches: list[Search]) -> None:
        """As an import does: a search with a known key replaces the one of the lake."""
        self._fill("lake_searches", list(self.lake.values()))
        self._fill("new_searches", searches)
        find_sessions(self.connection)
        self.lake |= {s.key: s for s in searches}
        self.sessions |= {s.key: s.given or f"search:{s.key}" for s in searches}
        rows = self.connection.execute("SELECT * FROM sessions_found").fetchall()
        assert len({key for key, _, _ in rows}) == len(rows)
        for key, moment, session in rows:
            assert moment == MIDNIGHT + timedelta(seconds=self.lake[key].at)
            assert self.sessions[key] != session
            self.sessions[key] = session

    def _fill(self, table: str, searches: list[Search]) -> None:
        self.connection.execute(f"CREATE OR REPLACE TABLE {table} ({COLUMNS})")
        rows = [self._row(s, known=table == "lake_searches") for s in searches]
        if rows:
            marks = ", ".join(["(?, ?, ?, ?, ?, ?, ?)"] * len(rows))
            values = [value for row in rows for value in row]
            self.connection.execute(f"INSERT INTO {table} VALUES {marks}", values)  # noqa: S608

    def _row(self, s: Search, *, known: bool) -> list[Any]:
        moments = [None if t is None else MIDNIGHT + timedelta(seconds=t) for t in (s.at, s.until)]
        session = self.sessions[s.key] if known else s.given or f"search:{s.key}"
        return [s.key, moments[0], s.user, session, bool(s.given), moments[1], s.key in self.lake]


def sessions(connection: Connection, *imports: list[Search]) -> dict[int, str]:
    lake = Imports(connection)
    for searches in imports:
        lake.take(searches)
    return lake.sessions


def test_thirty_minutes_of_silence_end_a_session(connection: Connection) -> None:
    found = sessions(connection, [Search(1, 0), Search(2, 1799.999999), Search(3, 3599.999999)])
    assert found[1] == found[2] == f"user:ann:{Search(1, 0).micros}"
    assert found[3] == f"user:ann:{Search(3, 3599.999999).micros}"


def test_a_session_that_crosses_midnight_stays_one(connection: Connection) -> None:
    assert len(set(sessions(connection, [Search(1, -600), Search(2, 600)]).values())) == 1


def test_a_click_holds_a_session_open_and_one_of_the_next_day_does_not(
    connection: Connection,
) -> None:
    found = sessions(connection, [Search(1, 0, until=1500), Search(2, 3000)])
    assert found[1] == found[2]
    found = sessions(connection, [Search(1, 0, until=90_000), Search(2, 3000), Search(3, 89_000)])
    assert len(set(found.values())) == 3


def test_a_search_that_comes_late_makes_one_session_of_two(connection: Connection) -> None:
    lake = Imports(connection)
    lake.take([Search(1, 0), Search(2, 3000)])
    assert lake.sessions[1] != lake.sessions[2]
    lake.take([Search(3, 1500)])
    assert len(set(lake.sessions.values())) == 1


def test_a_search_that_gets_a_session_of_its_own_leaves_two_behind(connection: Connection) -> None:
    lake = Imports(connection)
    lake.take([Search(1, 0), Search(2, 1500), Search(3, 3000)])
    lake.take([Search(2, 1500, given="s1")])
    assert lake.sessions[2] == "s1"
    assert lake.sessions[1] != lake.sessions[3]


def test_given_sessions_and_other_users_do_not_take_part(connection: Connection) -> None:
    between = [Search(3, 1500, given="s1"), Search(4, 1500, user="bob")]
    found = sessions(connection, [Search(1, 0), Search(2, 3000), *between])
    assert len(set(found.values())) == 4


def test_without_a_user_each_search_is_a_session(connection: Connection) -> None:
    found = sessions(connection, [Search(1, 0, user=None), Search(2, 1, user="")])
    assert found == {1: "search:1", 2: "search:2"}


def test_what_the_rows_say_already_is_not_told_again(connection: Connection) -> None:
    lake = Imports(connection)
    lake.take([Search(1, 0), Search(2, 10)])
    lake.take([Search(3, 90_000), Search(4, 50, user="bob")])
    told = connection.execute("SELECT search_key FROM sessions_found ORDER BY 1").fetchall()
    assert told == [(3,), (4,)]


TIMES = st.one_of(
    st.integers(0, 20).map(lambda n: n * 600),
    st.integers(-4, 4).map(lambda n: n * 1800 - 1),
    st.floats(-9000, 9000).map(lambda t: round(t, 3)),
)
SEARCH = st.builds(
    Search,
    st.integers(0, 9),
    TIMES,
    st.sampled_from(["ann", "ann", "bob", "", None]),
    st.sampled_from([None, None, None, "s1"]),
    st.none() | st.floats(-100, 10_000).map(round),
)


def after(search: Search) -> Search:
    """With `until` as the time behind the search."""
    return replace(search, until=None if search.until is None else search.at + search.until)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(SEARCH.map(after), max_size=6, unique_by=lambda s: s.key), max_size=5))
def test_any_order_and_any_split_give_the_sessions_of_the_rule(
    connection: Connection, imports: list[list[Search]]
) -> None:
    """Known keys replace what the lake holds: with another time, user or session."""
    lake = Imports(connection)
    for searches in imports:
        lake.take(searches)
        assert lake.sessions == oracle(list(lake.lake.values()))
