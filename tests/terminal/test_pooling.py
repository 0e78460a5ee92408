"""`goldsmith pool`: fill, list, repeat, take back."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from builder.store.documents import insert_documents
from builder.store.queries import insert_queries
from builder.workspace import init_workspace
from cli import goldsmith
from evals.records import Document, Query

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    folder = tmp_path / "w"
    with init_workspace(folder, "shop") as workspace, workspace.store.write() as connection:
        texts = [f"apple {word}" for word in ("pie", "jam", "tart", "cake", "juice")]
        insert_documents(connection, [Document(f"d{n}", "", text) for n, text in enumerate(texts)])
        insert_queries(connection, [Query("q1", "apple jam"), Query("q2", "apple", tags=("t",))])

    def pool(*options: str) -> Result:
        return CliRunner().invoke(goldsmith, ["--workspace", str(folder), "pool", *options])

    return pool


def told(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_filled_listed_repeated_and_taken_back(run: Run) -> None:
    dry = run("--depth", "2", "--dry-run")
    assert "4 pairs would join the pool (4 from bm25)" in dry.stdout
    assert "Nothing was written" in dry.stdout
    done = run("--depth", "2")
    assert "4 new pairs to grade (4 from bm25)" in done.stdout
    assert "2 queries, 2 to 2 new pairs each; 0 of 4 candidates were there already" in done.stdout
    assert "8 grades, 3 minutes at 20 s each (nobody has graded enough here" in done.stdout
    assert "how much of it is relevant cannot be told" in done.stdout
    assert "goldsmith pool --take-back 1 undoes this" in done.stdout
    assert told(run("--repeat", "1", "--json"))["repeats"] == 1
    listed = told(run("--list", "--json"))["poolings"]
    assert [pooling["pooling_id"] for pooling in listed] == [2, 1]
    back = run("--take-back", "1")
    assert "filling 1: 0 pairs are gone" in back.stdout
    assert "4 stay: another filling named them, too" in back.stdout
    rows = run("--list").stdout.splitlines()
    assert rows[0].split() == [
        "filling",
        "when",
        "by",
        "sources",
        "added",
        "in",
        "the",
        "pool",
        "graded",
    ]
    assert "taken back" in rows[2]


def test_sources_budget_and_tag(run: Run, tmp_path: Path) -> None:
    trec = tmp_path / "splade.trec"
    trec.write_text("q2 Q0 d4 1 2.0 x\nq2 Q0 d3 2 1.0 x\nbroken\n", encoding="utf-8")
    options = ("--run", str(trec), "--random", "3", "--tag", "t", "--budget", "2", "--seed", "3")
    outcome = told(run(*options, "--json"))
    assert outcome["by_source"]["run:splade"] == 2
    assert outcome["pairs_added"] == 2
    assert outcome["dropped"]["run_lines_broken"] == 1
    # No source at all is bm25; with one, bm25 is not asked.
    assert "bm25" not in outcome["by_source"]
    again = run(*options)
    assert "splade.trec: no rows of a run in lines 3" in again.stderr
    assert "lines of run files that are no rows: 1" in again.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--list", "--repeat", "1"), "one at a time"),
        (("--repeat", "1", "--random", "3"), "a source belongs to a new filling"),
        (("--limit", "3"), "belong to --from-results"),
        (("--budget", "3", "--hours", "1"), "not both"),
        (("--hours", "0"), "0.0 is not in the range"),
    ],
)
def test_bad_usage(run: Run, options: tuple[str, ...], message: str) -> None:
    result = run(*options)
    assert result.exit_code == 2
    assert message in result.output
