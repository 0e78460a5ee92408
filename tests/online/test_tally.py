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
