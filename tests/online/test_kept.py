"""What was counted is kept: found again by any process, never old, never wrong, never too much."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from online import kept as kept_module
from online.ab import ABTest, Plan, compare_arms
from online.engines import Choice
from online.kept import kept, kept_file, kept_record, sweep_kept
from online.lake import Lake
from online.report import DayMetrics, daily, report
from tests.online.logs import clicked, event, take


class Counter:
    """Counts how often it was asked to compute."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.answer, self.asked = answer, 0

    def __call__(self) -> dict[str, Any]:
        self.asked += 1
        return self.answer


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    take(tmp_path, [event(), clicked(2, session_id="s2", model_version="minilm")])
    return Lake(tmp_path / "events")


def _files(cache: Path) -> list[Path]:
    return sorted((cache / "online").iterdir())


def test_the_second_look_computes_nothing(tmp_path: Path, lake: Lake) -> None:
    compute = Counter({"b": 1, "a": {"x": None}})
    asked = {"what": "report", "start": date(2026, 11, 1), "choice": Choice(model="bm25")}
    first = kept(tmp_path, lake, asked, compute)
    turned = dict(reversed(asked.items()))
    assert kept(tmp_path, lake, turned, compute) == first == {"b": 1, "a": {"x": None}}
    assert list(first) == ["b", "a"]
    assert compute.asked == 1
    kept(tmp_path, lake, asked | {"choice": Choice(model="minilm")}, compute)
    assert compute.asked == 2


def test_an_import_a_restored_backup_and_new_code_are_another_question(
    tmp_path: Path, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    compute = Counter({})
    manifest = lake.root / "manifest.json"
    backup = manifest.read_bytes()
    kept(tmp_path, lake, {}, compute)
    take(tmp_path, [event(query="one more")])
    kept(tmp_path, lake, {}, compute)
    version = lake.version
    manifest.write_bytes(backup)
    take(tmp_path, [event(query="another")])
    assert lake.version == version
    kept(tmp_path, lake, {}, compute)
    assert compute.asked == 3
    monkeypatch.setattr(kept_module, "_code", lambda: "newer")
    kept(tmp_path, lake, {}, compute)
    assert compute.asked == 4
    assert len(_files(tmp_path)) == 1


def test_an_import_while_counting_keeps_nothing(tmp_path: Path, lake: Lake) -> None:
    def compute() -> dict[str, Any]:
        take(tmp_path, [event(query="meanwhile")])
        return {"of": "who knows"}

    assert kept(tmp_path, lake, {}, compute) == {"of": "who knows"}
    assert not (tmp_path / "online").exists()


@pytest.mark.parametrize(
    "harm",
    [
        lambda whole: whole[:-3],
        lambda whole: whole.replace(b"12", b"13"),
        lambda _: b"",
        lambda _: b'{"n": 13}',
        lambda _: b"\xff\n\xff",
    ],
)
def test_a_damaged_file_is_written_anew(
    tmp_path: Path, lake: Lake, harm: Callable[[bytes], bytes]
) -> None:
    compute = Counter({"n": 12})
    kept(tmp_path, lake, {}, compute)
    (file,) = _files(tmp_path)
    whole = file.read_bytes()
    file.write_bytes(harm(whole))
    assert kept(tmp_path, lake, {}, compute) == {"n": 12}
    assert file.read_bytes() == whole
    assert compute.asked == 2


def test_what_cannot_be_kept_is_given_all_the_same(tmp_path: Path, lake: Lake) -> None:
    (tmp_path / "online").write_text("no folder")
    assert kept(tmp_path, lake, {}, Counter({"n": 1})) == {"n": 1}


def test_no_nan_is_kept_and_no_answer_that_is_no_json(tmp_path: Path, lake: Lake) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        kept(tmp_path, lake, {}, Counter({"ctr": float("nan")}))
    with pytest.raises(TypeError, match="set is no part"):
        kept(tmp_path, lake, {"tags": {"a"}}, Counter({}))


def test_the_folder_is_bounded_and_what_was_asked_for_last_stays(
    tmp_path: Path, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_module, "MOST_BYTES", 3_500)
    compute = Counter({"long": "x" * 900})
    for number in (1, 2, 3, 1, 4):
        kept(tmp_path, lake, {"number": number}, compute)
        time.sleep(0.01)
    assert compute.asked == 4
    assert sum(file.stat().st_size for file in _files(tmp_path)) <= 3_500
    kept(tmp_path, lake, {"number": 1}, compute)
    assert compute.asked == 4
    kept(tmp_path, lake, {"number": 2}, compute)
    assert compute.asked == 5


def test_large_tables_make_no_answer_go_and_the_latest_stays(
    tmp_path: Path, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_module, "MOST_BYTES", 3_500)
    monkeypatch.setattr(kept_module, "MOST_FILE_BYTES", 5_000)
    compute = Counter({"short": ""})
    kept(tmp_path, lake, {}, compute)
    written = []

    def write(file: Path) -> None:
        written.append(file)
        file.write_bytes(b"x" * 9_000 + b"PAR1")

    first = kept_file(tmp_path, lake, {"table": 1}, write)
    assert kept_file(tmp_path, lake, {"table": 1}, write) == first
    time.sleep(0.01)
    second = kept_file(tmp_path, lake, {"table": 2}, write)
    assert (first.exists(), second.exists(), len(written)) == (False, True, 2)
    second.write_bytes(b"cut short")
    assert kept_file(tmp_path, lake, {"table": 2}, write) == second
    assert len(written) == 3
    kept(tmp_path, lake, {}, compute)
    assert compute.asked == 1


def test_what_is_of_another_lake_can_be_swept_at_once(tmp_path: Path, lake: Lake) -> None:
    sweep_kept(tmp_path, lake)
    kept(tmp_path, lake, {}, Counter({"query": "typed by somebody"}))
    sweep_kept(tmp_path, lake)
    assert len(_files(tmp_path)) == 1
    take(tmp_path, [event(query="one more")])
    sweep_kept(tmp_path, lake)
    assert _files(tmp_path) == []


def test_of_threads_that_ask_the_same_at_once_one_counts(tmp_path: Path, lake: Lake) -> None:
    asked: list[int] = []

    def compute() -> dict[str, Any]:
        asked.append(1)
        time.sleep(0.1)
        return {"n": 1}

    threads = [threading.Thread(target=kept, args=(tmp_path, lake, {}, compute)) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert asked == [1]


def test_records_come_back_as_they_were(tmp_path: Path, lake: Lake) -> None:
    plan = Plan("bm25", "minilm")

    def compare() -> ABTest:
        return compare_arms(lake, plan)

    first = kept_record(tmp_path, lake, {"plan": plan}, ABTest, compare)
    assert kept_record(tmp_path, lake, {"plan": plan}, ABTest, _not_again) == first == compare()
    days = kept_record(tmp_path, lake, {}, list[DayMetrics], lambda: daily(lake))
    assert kept_record(tmp_path, lake, {}, list[DayMetrics], _not_again) == days == daily(lake)
    assert days[1].metrics.clicks_by_rank == {2: 1}


def _not_again() -> Any:
    raise AssertionError("it is kept already")


@dataclass
class Third:
    share: float


@pytest.mark.parametrize("share", [1 / 3, 0.1 + 0.2, 5e-324, 1.7976931348623157e308])
def test_numbers_of_records_lose_no_digit(tmp_path: Path, lake: Lake, share: float) -> None:
    for _ in range(2):
        assert kept_record(tmp_path, lake, {}, Third, lambda: Third(share)).share == share


def test_another_process_finds_it_in_no_time(tmp_path: Path, lake: Lake) -> None:
    document = report(lake) | {"by_query": [report(lake)["overall"]] * 100}
    kept(tmp_path, lake, {"what": "report"}, lambda: document)
    program = """
import json, sys, time
from pathlib import Path
from online.kept import kept
from online.lake import Lake
cache, lake = map(Path, sys.argv[1:])
began = time.perf_counter()
answer = kept(cache, Lake(lake), {"what": "report"}, lambda: sys.exit("counted again"))
print(json.dumps([time.perf_counter() - began, answer]))
"""
    command = [sys.executable, "-c", program, str(tmp_path), str(lake.root)]
    told = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, answer = json.loads(told.stdout)
    assert answer == document
    assert seconds < 0.25  # 50 ms on a quiet machine
