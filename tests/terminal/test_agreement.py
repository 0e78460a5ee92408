"""`goldsmith agreement`: the verdict first, one JSON document, and the exit codes."""

import json
import shutil
from pathlib import Path

import pytest

from builder.judging.trust import report_of
from builder.store.grades import GradeRow
from builder.store.ratings import ratings_of
from builder.store.repeats import Repeats
from terminal.click_words import MEANINGS
from terminal.texts import plain
from terminal.trust_output import print_agreement
from tests.builder.clicked import clicked_workspace
from tests.terminal.conftest import Terminal

STATISTIC = {"value", "low", "high", "n", "reason"}
HOSTILE = "\x1b]0;owned\x07red \u202eevil"


@pytest.fixture(scope="module")
def ungraded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an empty pool: six documents and two queries."""
    goldsmith = Terminal(tmp_path_factory.mktemp("ungraded"))
    assert goldsmith("init").code == 0
    documents = [{"_id": f"d{n}", "title": f"T {n} {HOSTILE}", "text": "x"} for n in range(6)]
    queries = [{"_id": f"q{n}", "text": f"query {n}", "tags": ["t"]} for n in range(2)]
    for what, rows in (("corpus", documents), ("queries", queries)):
        file = goldsmith.write(f"{what}.jsonl", *map(json.dumps, rows))
        assert goldsmith(what, "import", file).code == 0
    return goldsmith.folder


@pytest.fixture(scope="module")
def graded(ungraded: Path, tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    """ann and bob graded twelve pairs, and differ on the last of each query; only read."""
    rows = [
        f"q{query}\td{n}\t{rater}\t{(n + 2 * (rater == 'bob' and n == 5)) % 4}\t{HOSTILE}"
        for query in range(2)
        for n in range(6)
        for rater in ("ann", "bob")
    ]
    goldsmith = copy_of(ungraded, tmp_path_factory.mktemp("graded") / "copy")
    file = goldsmith.write("grades.tsv", "query-id\tcorpus-id\trater\tgrade\tcomment", *rows)
    assert goldsmith("judgments", "import", file).code == 0
    return goldsmith


def copy_of(folder: Path, to: Path) -> Terminal:
    return Terminal(Path(shutil.copytree(folder, to)))


def test_one_document_with_all_that_was_promised(graded: Terminal) -> None:
    told = graded.processes("agreement", "--json")
    assert told.code == 0
    document = told.document
    counts = ("n_raters", "n_judged", "n_pairs", "n_grades", "n_disagreements", "n_disputed")
    assert [document[name] for name in counts] == [2, 12, 12, 24, 2, 2]
    for level in ("ordinal", "nominal", "interval"):
        assert set(document[f"alpha_{level}"]) >= STATISTIC
    assert document["percent_agreement"]["value"] == pytest.approx(10 / 12)
    (pair,) = document["pairwise"]
    assert (pair["raters"], pair["n"]) == (["ann", "bob"], 12)
    assert set(pair["kappa_quadratic"]) >= STATISTIC
    assert set(pair["kappa_nominal"]) >= STATISTIC
    assert [(row["rater"], row["n"]) for row in document["raters"]] == [("ann", 12), ("bob", 12)]
    assert all(isinstance(row["flags"], list) for row in document["raters"])
    assert set(document["verdict"]) == {"level", "sentence", "next"}
    assert not {"by_tag", "disagreements", "cost"} & set(document)


def test_more_on_demand(graded: Terminal) -> None:
    document = graded("agreement", "--by", "query", "--disagreements", "--json").document
    assert {(row["name"], row["query"]) for row in document["by_query"]} == {
        ("q0", "query 0"),
        ("q1", "query 1"),
    }
    first = document["disagreements"][0]
    assert (first["query_id"], first["doc_id"], first["low"], first["high"]) == ("q0", "d5", 1, 3)
    assert [(said["rater"], said["grade"]) for said in first["grades"]] == [("ann", 1), ("bob", 3)]
    assert first["disputed"] is True
    assert first["decided"] is None


def test_the_verdict_stands_first_then_numbers_with_interval_and_n(graded: Terminal) -> None:
    verdict = graded("agreement", "--json").document["verdict"]
    lines = graded("agreement", "--by", "week", "--disagreements").stdout.splitlines()
    assert lines[0] == verdict["sentence"]
    assert lines[1] == f"Next: {verdict['next']}"
    assert "24 grades of 12 pairs by 2 raters; 12 pairs had two raters or more" in lines
    (same,) = [line for line in lines if line.startswith("same grade")]
    assert same.split()[2] == "83.3%"
    assert same.split()[-1] == "12"
    assert [line for line in lines if line.startswith("AC1 ")]
    assert [line for line in lines if line.startswith("week ")]


def test_nothing_steers_the_terminal(graded: Terminal) -> None:
    printed = graded("agreement", "--disagreements").stdout
    assert "query 0 | T 5 ]0;owned red evil" in printed
    assert not {"\x1b", "\x07", "\u202e"} & set(printed)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], "no_human_grades"),
        (["q0\td0\tann\t1"], "one_rater"),
        (["q0\td0\tann\t1", "q0\td1\tbob\t1"], "no_pair_graded_by_two"),
        (["q0\td0\tann\t1", "q0\td0\tbob\t1"], "too_few_units"),
    ],
)
def test_undefined_is_null_with_a_reason_and_a_word(
    ungraded: Path, tmp_path: Path, rows: list[str], reason: str
) -> None:
    workspace = copy_of(ungraded, tmp_path / "copy")
    if rows:
        file = workspace.write("grades.tsv", "query-id\tcorpus-id\trater\tgrade", *rows)
        assert workspace("judgments", "import", file).code == 0
    told = workspace("agreement", "--json")
    assert told.code == 0
    alpha = told.document["alpha_ordinal"]
    assert (alpha["value"], alpha["low"], alpha["reason"]) == (None, None, reason)
    plainly = workspace("agreement", "--by", "tag")
    assert plainly.code == 0
    assert plainly.stdout.splitlines()[0] == told.document["verdict"]["sentence"]
    assert "None" not in plainly.stdout


@pytest.mark.parametrize(
    ("options", "code"), [(["--task", "nope"], 1), (["--by", "rater"], 2), (["more"], 2)]
)
def test_what_cannot_be(graded: Terminal, options: list[str], code: int) -> None:
    told = graded("agreement", *options, "--json")
    assert told.code == code
    assert told.document["error"]["message"]


def test_what_disagreement_costs_is_said_where_no_model_was_evaluated(graded: Terminal) -> None:
    told = graded("agreement", "--task", "draft", "--json")
    assert told.code == 0
    cost = told.document["cost"]
    assert cost["reason"] == "no_kept_run"
    assert cost["sentence"] in graded("agreement", "--task", "draft").stdout


def test_plain_is_one_line_and_says_where_it_was_cut() -> None:
    assert plain("a\nb\tc") == "a b c"
    assert plain("x" * 61) == "x" * 59 + "\u2026"
    assert plain("x" * 61, None) == "x" * 61


def test_copies_are_counted_once_and_flags_have_the_words_of_the_page(
    capsys: pytest.CaptureFixture[str],
) -> None:
    grades = [n * 7 % 4 for n in range(100)]
    ratings = ratings_of(
        GradeRow(f"q{n // 5}", f"d{n}", rater, "human", "grade", grade, judged_at=time)
        for n, grade in enumerate(grades)
        for rater, time in (
            ("ann", "2026-11-02T10:00:00+00:00"),
            (HOSTILE, "2026-11-02T11:00:00+00:00"),
        )
    )
    report = report_of(ratings, Repeats())
    report["agreement"]["raters"][0]["flags"] = ["outlier", "too_fast"]
    print_agreement(report)
    printed = capsys.readouterr().out
    assert "disagrees, very fast" in printed
    once, whole = [
        line.split("  ")
        for line in printed.splitlines()
        if line.startswith(("alpha, ordinal, copies counted once", "the same with copies"))
    ]
    assert "undefined" in " ".join(once)
    assert "1.00" in " ".join(whole)
    assert not {"\x1b", "\x07", "\u202e"} & set(printed)


def test_one_is_not_many(ungraded: Path, tmp_path: Path) -> None:
    workspace = copy_of(ungraded, tmp_path / "copy")
    file = workspace.write("grades.tsv", "query-id\tcorpus-id\trater\tgrade", "q0\td0\tann\t1")
    assert workspace("judgments", "import", file).code == 0
    told = workspace("agreement").stdout
    assert "1 grade of 1 pair by 1 rater; 0 pairs had two raters or more" in told


@pytest.fixture(scope="module")
def clicked(tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    """Ann and Bob contradict the clicks on two pairs of q0; Cy graded nothing."""
    folder = tmp_path_factory.mktemp("clicked")
    clicked_workspace(folder / "w").close()
    return Terminal(folder)


def test_clicks_against_experts_and_the_strongest_sent_to_a_re_check(clicked: Terminal) -> None:
    assert "clicks" not in clicked("agreement", "--json").document
    told = clicked("agreement", "--clicks")
    assert told.code == 0
    assert (
        "Clicks against experts: On 24 pairs that experts graded and clicks tell of" in told.stdout
    )
    assert "graded pairs not compared: 6 no evidence" in told.stdout
    assert "Next: Send the strongest contradictions to a blind re-check.\n" in told.stdout
    words = (f"{word}: {meaning}" for word, meaning in MEANINGS.items())
    assert told.stdout.endswith("\n".join(["", *words, ""]))
    assert all(f"{word}: " in clicked("agreement", "--help").stdout for word in MEANINGS)
    sent = clicked("agreement", "--recheck", "1")
    assert "sent to a blind re-check: 1\n  q0  d" in sent.stdout
    assert "Re-checks: 1 pair waits for a second look.\n" in sent.stdout
    document = clicked("agreement", "--recheck", "5", "--json").document
    assert (document["recheck"]["sent"], document["recheck"]["not_sent"]) == (1, {"waiting": 1})
    assert document["clicks"]["n_contradictions"] == 2
    assert [row["recheck_state"] for row in document["clicks"]["contradictions"]] == ["waiting"] * 2
    assert clicked("agreement", "--recheck", "0").code == 2


def test_weak_labels_are_exported_and_evaluated_with_a_warning(clicked: Terminal) -> None:
    release = clicked("export", "shop", "--weak", "--json").document
    assert release["weak_labels"]["labels"] == 30
    scored = clicked("eval", "bm25", "-t", "custom/shop", "--split", "weak_labels_from_clicks")
    assert scored.code == 0
    assert "NO JUDGMENTS" in scored.stderr
    plain_split = clicked("eval", "bm25", "-t", "custom/shop", "--json")
    assert plain_split.document["split"] == "test"
    assert not any("NO JUDGMENTS" in said for said in plain_split.document["warnings"])
