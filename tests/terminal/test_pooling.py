"""`goldsmith pool`: fill, list, repeat, take back."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from builder.errors import BuilderError
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
    assert "4 pairs would join the pool: bm25 4\n" in dry.stdout
    assert "  warning: The corpus has 5 documents" in dry.stderr
    assert "    what to do: Import the documents that your search really searches" in dry.stderr
    assert "Nothing was written" in dry.stdout
    done = run("--depth", "2")
    assert (
        "4 pairs joined the pool: bm25 4\n  named in all, known ones too: bm25 4\n" in done.stdout
    )
    assert "2 queries, 2 new pairs each; 0 of 4 candidates in the pool before" in done.stdout
    assert "  warning: The corpus has 5 documents" in done.stderr
    assert "what to do" not in done.stderr.replace(", and what to do", "")
    assert "`goldsmith pool --dry-run` tells why" in done.stderr
    assert "8 grades, 3 minutes at 20 s each (nobody has graded enough here" in done.stdout
    assert "how much of it is relevant cannot be told" in done.stdout
    assert "goldsmith pool --take-back 1 undoes this" in done.stdout
    more = run("--depth", "3", "--budget", "1")
    assert "1 pair joined the pool: bm25 1\n" in more.stdout
    assert "named in all, known ones too: bm25 5\n" in more.stdout
    assert "0 to 1 new pairs each" in more.stdout
    assert "cost: 2 grades, 1 minute at 20 s each" in more.stdout
    assert "cut by the budget: 1 pair\n" in more.stdout
    listed = told(run("--list", "--json"))["poolings"]
    assert [pooling["pooling_id"] for pooling in listed] == [2, 1]
    back = run("--take-back", "1")
    assert "filling 1: 0 pairs are gone" in back.stdout
    assert "4 stay: named by another filling, too" in back.stdout
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
        "known",
    ]
    assert "taken back, 4 stayed" in rows[2]


def test_what_brings_nothing_says_so_and_is_no_filling(run: Run) -> None:
    run("--depth", "2")
    again = told(run("--repeat", "1", "--json"))
    assert (again["repeats"], again["pairs_added"], again["pooling_id"]) == (1, 0, None)
    said = run("--repeat", "1").stdout
    assert said.startswith("0 pairs joined the pool\n  named in all, known ones too: bm25 4\n")
    assert "Nothing is new, so there is no filling to take back." in said
    assert "name another source" in run("--repeat", "1", "--dry-run").stdout
    noted = run("--random", "5", "--negatives", "0").stdout
    assert "Filling 2 only notes who named these pairs, too." in noted
    none = run("--only-new")
    assert none.stdout == (
        "0 pairs joined the pool\nNext: import queries, or leave out --only-new.\n"
    )
    assert "each of these queries has a pair already" in none.stderr
    assert len(told(run("--list", "--json"))["poolings"]) == 2
    early = run("--from-results")
    assert isinstance(early.exception, BuilderError)
    assert early.exception.hint == "Run `goldsmith eval` first."


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
