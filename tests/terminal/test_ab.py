"""`goldsmith ab`: the document, the exit code of the guard, and what is said on a screen."""

import json
from collections.abc import Iterator

import pytest

from tests.terminal.conftest import Terminal


def _log(sessions: dict[str, tuple[int, int]]) -> Iterator[str]:
    """Model -> sessions of one search each, and how many of them clicked at rank 1."""
    for model, (n_sessions, clicks) in sessions.items():
        for n in range(n_sessions):
            yield json.dumps(
                {
                    "timestamp": f"2026-11-{1 + n % 7:02}T10:00:00Z",
                    "query": f"gold {n}",
                    "session_id": f"{model}-{n}",
                    "model_version": model,
                    "retrieved_doc_ids": ["d1", "d2"],
                    "clicked_doc_id": "d1" if n < clicks else None,
                    "click_rank": 1 if n < clicks else None,
                }
            )


@pytest.fixture(scope="module")
def tested(tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    """A and B as in the known example, C with too many sessions, D with few clicks, E with none."""
    goldsmith = Terminal(tmp_path_factory.mktemp("ab"))
    goldsmith("init")
    sessions = {
        "A": (1000, 100),
        "B": (1000, 130),
        "C": (1200, 120),
        "D": (1000, 20),
        "E": (1000, 0),
    }
    log = goldsmith.write("log.jsonl", *_log(sessions))
    assert goldsmith("events", "import", log).code == 0
    return goldsmith


def test_the_document_holds_the_known_answer(tested: Terminal) -> None:
    answer = tested.processes("ab", "A", "B", "--guard", "--json")
    document = answer.document
    assert answer.code == 0
    ctr = document["metrics"]["ctr"]
    assert ctr["difference"] == pytest.approx(0.03)
    assert (ctr["low"], ctr["high"]) == pytest.approx((0.0021, 0.0579), abs=5e-5)
    assert ctr["p_value"] == pytest.approx(0.035, abs=5e-4)
    assert document["srm"]["alarm"] is False
    assert document["unit"] == "session"


@pytest.mark.parametrize(
    ("arguments", "code", "reasons"),
    [
        (("A", "C"), 3, ["sample_ratio"]),
        (("A", "C", "--expected", "10:12"), 0, []),
        (("A", "D"), 3, ["ctr_dropped"]),
        (("A", "E"), 3, ["ctr_dropped"]),
        (("D", "A"), 0, []),
        (("B", "A"), 3, ["ctr_dropped"]),
        (("A", "D", "--from", "2026-11-01", "--to", "2026-11-01"), 3, ["ctr_dropped"]),
    ],
)
def test_the_guard_ends_with_3(
    tested: Terminal, arguments: tuple[str, ...], code: int, reasons: list[str]
) -> None:
    answer = tested("ab", *arguments, "--guard", "--json")
    assert (answer.code, answer.document["guard"]["reasons"]) == (code, reasons)
    assert ("the guard fires" in answer.stderr) == (code == 3)


def test_without_guard_the_exit_code_is_0(tested: Terminal) -> None:
    assert tested("ab", "A", "C").code == 0


def test_a_screen_shows_traffic_first_then_the_verdict(tested: Terminal) -> None:
    lines = tested("ab", "A", "C").stdout.splitlines()
    assert lines[1].startswith("SAMPLE RATIO FAILS: 50:50 planned, 1,000 and 1,200 sessions came")
    assert lines[3].startswith("Do not use this test")
    told = tested("ab", "A", "D").stdout
    assert "D is worse than A." in told
    assert "CTR falls from 10.0 % to 2.0 %: -8.0 points" in told
    assert "Warning: Fix the last day before the test begins" in told


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("A", "F"), 1, "no searches of 'F'"),
        (("A", "A"), 1, "both 'A'"),
        (("A",), 2, "Missing argument"),
        (("A", "B", "--expected", "50"), 2, "no split"),
        (("A", "B", "--expected", "0:1"), 2, "positive"),
        (("A", "B", "--expected", "nan:1"), 2, "positive"),
        (("A", "B", "--unit", "user"), 1, "names a user"),
        (("A", "B", "--unit", "query"), 2, "query"),
        (("A", "B", "--effect", "0"), 2, "effect"),
    ],
)
def test_an_error_is_one_message(
    tested: Terminal, arguments: tuple[str, ...], code: int, message: str
) -> None:
    answer = tested("ab", *arguments, "--json")
    assert answer.code == code
    assert message in answer.document["error"]["message"]
