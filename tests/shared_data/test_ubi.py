"""Real UBI logs: the Chorus shop and two demos in one file, and a simulated shop."""

import io
import json
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from online.ingest import import_events
from online.lake import Lake
from online.report import report
from online.tally import EventTally
from tests.online.logs import rows, write_log

pytestmark = pytest.mark.shared_data

Record = dict[str, Any]
CLICKED = ("click", "item_click")


@pytest.fixture
def chorus(shared_data: Path) -> Path:
    return shared_data / "ubi-chorus" / "raw" / "ubi_queries_events.ndjson"


@pytest.fixture
def simulated(shared_data: Path) -> Path:
    return shared_data / "ubi-chorus" / "raw" / "log_events.zip"


def chorus_records(file: Path) -> Iterator[tuple[Record, Record]]:
    """Action line and record."""
    with file.open(encoding="utf-8") as lines:
        for action in lines:
            yield json.loads(action), json.loads(next(lines))


def simulated_records(file: Path) -> Iterator[Record]:
    with zipfile.ZipFile(file) as archive, archive.open(archive.namelist()[0]) as log:
        for line in io.TextIOWrapper(log, encoding="utf-8"):
            yield json.loads(line.split("\t", 1)[1])


def by_hand(records: list[Record], rank_bases: dict[str, int]) -> dict[str, dict[str, Any]]:
    """Application -> searches, CTR and click-MRR, counted without a line of Goldsmith."""
    searches: dict[str, set[str]] = defaultdict(set)
    for record in records:
        if "action_name" not in record:
            name = record.get("application") or record["query_attributes"]["application"]
            searches[name].add(record["query_id"])
    best: dict[str, float] = {}
    for record in records:
        if record.get("action_name") in CLICKED:
            place = record["event_attributes"]["position"]["ordinal"]
            rank = place + 1 - rank_bases[record["application"]]
            best[record["query_id"]] = min(rank, best.get(record["query_id"], rank))
    return {
        name: {
            "searches": len(ids),
            "ctr": sum(i in best for i in ids) / len(ids),
            "click_mrr": sum(1 / best[i] for i in ids if i in best) / len(ids),
        }
        for name, ids in searches.items()
    }


def take(folder: Path, file: Path) -> EventTally:
    return import_events(Lake(folder / "events"), file, quarantine_folder=folder / "quarantine")


def traces(folder: Path) -> int:
    """How many rows of the log left a row in the lake."""
    query = """SELECT COUNT(DISTINCT row_key) FROM (
        SELECT row_key FROM searches UNION ALL SELECT row_key FROM interactions)"""
    return int(rows(Lake(folder / "events"), query)[0][0])


def content(folder: Path) -> list[tuple[Any, ...]]:
    """All that the lake says, but for where in which file it stood."""
    lake = Lake(folder / "events")
    searches = rows(lake, "SELECT * EXCLUDE (line) FROM searches ORDER BY ALL")
    interactions = """SELECT * REPLACE (regexp_replace(extra, '"line":[0-9]+', '') AS extra)
        FROM interactions ORDER BY ALL"""
    return searches + rows(lake, interactions)


def distinct(records: list[Record]) -> int:
    return len({json.dumps(record, sort_keys=True) for record in records})


def lost(records: list[Record]) -> list[Record]:
    """Events without a query record."""
    known = {record["query_id"] for record in records if "action_name" not in record}
    found = [record for record in records if record["query_id"] not in known]
    assert len(found) == 946
    return found


def test_no_event_of_chorus_is_unaccounted_for(chorus: Path, tmp_path: Path) -> None:
    records = [record for _, record in chorus_records(chorus)]
    tally = take(tmp_path, chorus)
    assert tally.read == 3921 == tally.accepted + tally.duplicate + tally.quarantined
    assert (tally.quarantined, tally.updated) == (0, 0)
    assert tally.accepted == distinct(records) == traces(tmp_path)
    assert tally.notes["without_search"] + tally.notes["no_search_id"] == distinct(lost(records))
    again = take(tmp_path, chorus)
    assert (again.accepted, again.duplicate) == (0, 3921)
    assert traces(tmp_path) == tally.accepted


def test_three_producers_are_told_apart(chorus: Path, tmp_path: Path) -> None:
    found = take(tmp_path, chorus).applications
    events = Counter(
        record["application"] for _, record in chorus_records(chorus) if "action_name" in record
    )
    assert {name: said["events"] for name, said in found.items()} == dict(events)
    assert sum(said["queries"] for said in found.values()) == 473
    assert sum(said["distinct_query_ids"] for said in found.values()) == 284
    assert sum(said["without_query"] for said in found.values()) == 946
    assert {name: said["rank_base"] for name, said in found.items()} == {
        "Chorus": 1,
        "esci_ubi_sample": 0,
        "ubi-demo": 1,
    }
    assert found["ubi-demo"]["time_formats"] == {"epoch_milliseconds": 429}
    shop = found["Chorus"]
    assert shop["time_formats"] == {"iso_8601": 2232}
    assert (shop["queries"], shop["distinct_query_ids"], shop["repeated"]) == (273, 84, 189)
    assert (shop["without_query"], shop["clicks"], shop["impressions"]) == (517, 227, 999)
    assert shop["more_clicks_than_impressions"] == outnumbered(chorus)


def outnumbered(chorus: Path) -> int:
    """Pairs of a search and a product in the shop with more clicks than impressions."""
    seen: Counter[tuple[str, str]] = Counter()
    for _, event in chorus_records(chorus):
        if event["application"] == "Chorus" and event.get("action_name") in ("click", "impression"):
            pair = (event["query_id"], event["event_attributes"]["object"]["object_id"])
            seen[pair] += 1 if event["action_name"] == "click" else -1
    return sum(n > 0 for n in seen.values())


def test_report_of_chorus_is_what_counting_by_hand_gives(chorus: Path, tmp_path: Path) -> None:
    take(tmp_path, chorus)
    records = [record for _, record in chorus_records(chorus)]
    bases = {"Chorus": 1, "esci_ubi_sample": 0, "ubi-demo": 1}
    compare(tmp_path, by_hand(records, bases))


def compare(folder: Path, expected: dict[str, dict[str, Any]]) -> None:
    found = report(Lake(folder / "events"))["by_model"]
    assert set(found) == set(expected)
    for name, numbers in expected.items():
        assert {key: found[name][key] for key in numbers} == pytest.approx(numbers)


def test_what_was_shown_is_the_result_of_searches_that_log_none(
    chorus: Path, tmp_path: Path
) -> None:
    shown: dict[str, dict[int, str]] = defaultdict(dict)
    for _, event in chorus_records(chorus):
        if event["application"] == "esci_ubi_sample" and event.get("action_name") == "impression":
            attributes = event["event_attributes"]
            place = attributes["position"]["ordinal"]
            shown[event["query_id"]][place] = attributes["object"]["object_id"]
    take(tmp_path, chorus)
    found = rows(
        Lake(tmp_path / "events"),
        "SELECT search_id, retrieved_doc_ids FROM searches WHERE model_version = 'esci_ubi_sample'",
    )
    assert dict(found) == {
        search_id: [places[place] for place in range(5)] for search_id, places in shown.items()
    }


def test_queries_and_events_apart_give_the_same_lake(chorus: Path, tmp_path: Path) -> None:
    pairs = list(chorus_records(chorus))
    parts = {}
    for index in ("ubi_queries", "ubi_events"):
        chosen = [line for pair in pairs if pair[0]["index"]["_index"] == index for line in pair]
        parts[index] = write_log(tmp_path / f"{index}.ndjson", chosen)
    take(tmp_path / "mixed", chorus)
    mixed = content(tmp_path / "mixed")
    for first, second in (("ubi_queries", "ubi_events"), ("ubi_events", "ubi_queries")):
        folder = tmp_path / first
        tallies = [take(folder, parts[first]), take(folder, parts[second])]
        assert sum(tally.read for tally in tallies) == 3921
        assert content(folder) == mixed


def test_all_events_of_the_simulated_shop_find_their_search(
    simulated: Path, tmp_path: Path
) -> None:
    records = list(simulated_records(simulated))
    tally = take(tmp_path, simulated)
    assert tally.read == 30_958 == tally.accepted + tally.duplicate
    assert tally.accepted == distinct(records) == traces(tmp_path)
    assert {"without_search", "no_search_id"}.isdisjoint(tally.notes)
    said = tally.applications["ubi-demo"]
    assert (said["queries"], said["events"], said["without_query"]) == (4130, 26_828, 0)
    assert rows(Lake(tmp_path / "events"), "SELECT COUNT(*) FROM searches") == [(4130,)]
    compare(tmp_path, by_hand(records, {"ubi-demo": 1}))
    again = take(tmp_path, simulated)
    assert (again.accepted, again.duplicate) == (0, 30_958)
