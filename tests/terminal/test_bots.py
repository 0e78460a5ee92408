"""`goldsmith events bots`: the document, and what is said on a screen."""

import json
from typing import Any

from online.bots import RULES, judge_all
from tests.online.logs import event, lake_of
from tests.terminal.conftest import Terminal


def test_flags_are_told_and_can_be_made_anew(goldsmith: Terminal) -> None:
    goldsmith("init")
    hostile = "s\x1b[2J"
    searches: list[dict[str, Any]] = [
        *({"timestamp": f"2026-11-30T12:00:{n:02}Z", "session_id": hostile} for n in range(40)),
        *({"session_id": f"s{n}"} for n in range(60)),
    ]
    lake_of(goldsmith.folder / "w", searches)

    before = goldsmith("events", "bots", "--json").document
    assert (before["sessions"], before["all"]) == (0, {"sessions": 61, "searches": 100})
    told = goldsmith.processes("events", "bots", "--again", "--json").document
    assert told["rules"].keys() == RULES.keys()
    assert told["rules"]["too_fast"]["searches"] == told["searches"] == 40
    assert [s["session_id"] for s in told["largest"]] == [hostile]

    shown = goldsmith("events", "bots")
    assert "flagged: 1 of 61 sessions, 40 of 100 searches" in shown.stdout
    assert "\x1b" not in shown.stdout
    assert shown.code == 0


def test_a_test_without_bots_tells_the_traffic_both_ways(goldsmith: Terminal) -> None:
    goldsmith("init")
    crawler = {"extra": '{"user_agent": "curl/8"}', "model_version": "minilm"}
    searches: list[dict[str, Any]] = [
        *({"session_id": f"a{n}", "tags": ["beta"]} for n in range(1000)),
        *(
            {"session_id": f"b{n}", "tags": ["beta"], "model_version": "minilm"}
            for n in range(1000)
        ),
        *({"session_id": f"bot{n}", "tags": ["beta"], **crawler} for n in range(200)),
        {"session_id": "other"},
    ]
    judge_all(lake_of(goldsmith.folder / "w", searches))

    asked = ("ab", "bm25", "minilm", "--tag", "beta", "--class", "keyword", "--guard")
    fires = goldsmith(*asked)
    assert fires.code == 3
    assert "SAMPLE RATIO FAILS" in fires.stdout
    assert "without the 0 and 200 searches of flagged sessions: 50:50 planned" in fires.stdout
    calm = goldsmith(*asked, "--without-bots")
    first, second, third = calm.stdout.splitlines()[:3]
    assert first.endswith("(tag beta, keyword queries, without bots)")
    assert second == "Sample ratio: 50:50 planned, 1,000 and 1,000 sessions came (p = 1)"
    assert third.strip().startswith(
        "with the 0 and 200 searches of flagged sessions: 50:50 planned"
    )
    assert calm.code == 0


def test_an_import_tells_its_doubts_in_full(goldsmith: Terminal) -> None:
    goldsmith("init")
    lines = [json.dumps(event(timestamp=f"2026-11-30T12:00:{n:02}Z")) for n in range(40)]
    told = goldsmith("events", "import", goldsmith.write("log.jsonl", *lines)).stdout
    assert "  40 of this log's searches are in flagged sessions (40 in the lake)\n" in told
    assert told.rstrip().endswith("names a visit in this log, or a person, a program, or nothing.")
