"""A release says how its queries were drawn from the log, and what each weighs."""

import json
from pathlib import Path
from typing import Any

import pytest

from builder.export import export_task
from builder.export.folders import PROVENANCE
from builder.importers.folder import import_folder
from builder.mining import Sampling, mine, take_back_sampling
from builder.workspace import Workspace, init_workspace
from evals.records import Sample
from evals.taskfolder import read_task
from tests.builder.export.conftest import grade
from tests.online.logs import lake_of


def exported(workspace: Workspace) -> tuple[Path, dict[str, Any], str]:
    folder = Path(export_task(workspace, "shop")["task_dir"])
    told = json.loads((folder / PROVENANCE).read_text("utf-8"))
    return folder, told, (folder / "README.md").read_text("utf-8")


def metadata(folder: Path) -> dict[str, dict[str, Any]]:
    lines = (folder / "queries_metadata.jsonl").read_text("utf-8").splitlines()
    return {row.pop("_id"): row for row in map(json.loads, lines)}


def sampled(workspace: Workspace) -> None:
    """ "two", which is known and graded, is the head: 8 of 16 searches; "mixed" is in no log."""
    traffic = {"TWO": 8, "three": 5, "four": 2, "five": 1}
    lake_of(workspace.root, [{"query": query} for query, n in traffic.items() for _ in range(n)])
    drawn = mine(workspace, Sampling(limit=3))
    assert (drawn["queries"]["known"], drawn["queries"]["new"]) == (1, 2)


def test_without_a_sampling_nothing_is_said(workspace: Workspace) -> None:
    folder, told, card = exported(workspace)
    assert told["sampling"] is None
    assert "weight" not in json.dumps(metadata(folder))
    assert "search log" not in card


def test_weights_go_with_the_release(workspace: Workspace, tmp_path: Path) -> None:
    sampled(workspace)
    folder, _, _ = exported(workspace)
    rows = metadata(folder)
    assert rows["q-two"] == {
        "need": "", "tags": ["x"], "source": "log", "stratum": "head",
        "inclusion_probability": 1.0, "searches": 8, "weight": 1.0,
    }  # fmt: skip
    assert "weight" not in rows["q-mixed"]
    read = {query.query_id: query.sample for query in read_task(folder).queries}
    assert read == {"q-two": Sample("head", 1.0, 8), "q-mixed": None}
    with init_workspace(tmp_path / "other", "other") as other:
        assert import_folder(other, folder)["queries"].accepted == 2


def test_a_release_says_how_its_queries_were_drawn(workspace: Workspace) -> None:
    sampled(workspace)
    _, told, card = exported(workspace)
    sampling = told["sampling"]
    assert (sampling["queries"], sampling["elsewhere"]) == (1, 1)
    (one,) = sampling["samplings"]
    how = {"sampling": 1, "method": "stratified", "seed": 0, "min_sessions": 1}
    assert one | how == one
    strata = {row["stratum"]: (row["queries"], row["sampled"]) for row in one["strata"]}
    assert strata == {"head": (1, 1), "torso": (1, 1), "tail": (2, 1)}
    assert one["traffic"]["share"] == one["traffic"]["sampled_searches"] / 16 >= 14 / 16
    assert "3 queries were drawn from a search log of 16 searches for 4 different queries" in card
    # Two are drawn and not graded: one weighs 1, one of the tail 2.
    assert one["weights"] == {"drawn": 4.0, "here": 1.0}
    assert "The weights of all 3 queries drawn sum to 4; 2 of them are not here" in card
    assert "1 query of this release came from elsewhere: no weight." in card


def test_a_release_says_whose_weights_were_taken_back(workspace: Workspace) -> None:
    sampled(workspace)
    exported(workspace)
    take_back_sampling(workspace, 1)
    folder, told, card = exported(workspace)
    counts = {"queries": 0, "earlier": 0, "taken_back": 1, "elsewhere": 1, "samplings": []}
    assert told["sampling"] == counts
    assert "1 query of this release came by a sampling that was taken back: no weight." in card
    assert "weight" not in json.dumps(metadata(folder))


def test_weights_of_a_release_are_those_of_one_design(workspace: Workspace) -> None:
    """They sum to the queries that could be drawn, after each further draw of another design."""
    traffic = {f"query {n}": 1 + 60 // (n + 1) for n in range(60)}
    lake_of(workspace.root, [{"query": query} for query, n in traffic.items() for _ in range(n)])
    draws = [Sampling(limit=24), Sampling(limit=15, seed=1), Sampling(15, "random", seed=5)]
    before: set[str] = set()
    for number, options in enumerate(draws, start=1):
        drawn = {query["query_id"] for query in mine(workspace, options)["sample"]}
        with workspace.store.write() as connection:
            for query_id in drawn:
                grade(connection, "Bob", {"d2": 2}, query=query_id)
        folder, told, card = exported(workspace)
        weights = {key: row["weight"] for key, row in metadata(folder).items() if "weight" in row}
        assert weights.keys() == drawn
        assert sum(weights.values()) == pytest.approx(60, abs=1e-9)
        assert [one["sampling"] for one in told["sampling"]["samplings"]] == [number]
        assert told["sampling"]["earlier"] == len(before - drawn)
        assert (" came by an earlier sampling " in card) == bool(before - drawn)
        assert f"all {len(drawn)} queries drawn sum to 60." in card
        before |= drawn
    assert "queries that were drawn from the log have no weight" in str(
        export_task(workspace, "shop")["warnings"]
    )
    take_back_sampling(workspace, 3, anyway=True)
    weights = {key: row for key, row in metadata(exported(workspace)[0]).items() if "weight" in row}
    assert sum(row["weight"] for row in weights.values()) == pytest.approx(60, abs=1e-9)
