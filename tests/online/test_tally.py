"""The sum of several imports of logs."""

from collections import Counter

from estimates import ImportTally
from online.tally import EventTally


def test_counts_of_one_application_in_several_logs_are_added() -> None:
    first = EventTally(accepted=2, applications={"web": {"rows": 2, "rank_base": 0, "time": "iso"}})
    second = EventTally(accepted=1, applications={"web": {"rows": 3, "time": "iso"}, "b": {}})
    whole = EventTally.total([first, second, ImportTally(reasons=Counter(bad_json=4))])
    assert (whole.accepted, whole.quarantined) == (3, 4)
    assert whole.as_json()["applications"] == {
        "web": {"rows": 5, "rank_base": 0, "time": "iso"},
        "b": {},
    }


def test_what_is_no_count_is_not_added_and_what_one_log_cannot_say_is_told_by_the_other() -> None:
    queries = {"rank_base": None, "without_query": 0, "times": {"iso": 2}, "outnumbered": None}
    events = {"rank_base": 1, "without_query": None, "times": {"iso": 3, "s": 1}, "outnumbered": 7}
    expected = {
        "rank_base": 1,
        "without_query": None,
        "times": {"iso": 5, "s": 1},
        "outnumbered": 7,
    }
    for parts in ([queries, events], [events, queries]):
        whole = EventTally.total(EventTally(applications={"web": part}) for part in parts)
        assert whole.applications == {"web": expected}
    again = EventTally.total(EventTally(applications={"web": events}) for _ in range(2))
    assert again.applications["web"]["rank_base"] == 1
