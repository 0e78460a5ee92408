"""`goldsmith events bots`: the document, and what is said on a screen."""

from online.bots import RULES
from tests.online.logs import lake_of
from tests.terminal.conftest import Terminal


def test_flags_are_told_and_can_be_made_anew(goldsmith: Terminal) -> None:
    goldsmith("init")
    hostile = "s\x1b[2J"
    searches = [
        *({"timestamp": f"2026-11-30T12:00:{n:02}Z", "session_id": hostile} for n in range(40)),
        *({"session_id": f"s{n}"} for n in range(60)),
    ]
    lake_of(goldsmith.folder / "w", searches)

    before = goldsmith("events", "bots", "--json").document
    assert (before["sessions"], before["all"]) == (0, {"sessions": 61, "searches": 100})
    told = goldsmith("events", "bots", "--again", "--json").document
    assert told["rules"].keys() == RULES.keys()
    assert told["rules"]["too_fast"]["searches"] == told["searches"] == 40
    assert [s["session_id"] for s in told["largest"]] == [hostile]

    shown = goldsmith("events", "bots")
    assert "flagged: 1 of 61 sessions, 40 of 100 searches" in shown.stdout
    assert "\x1b" not in shown.stdout
    assert shown.code == 0
