"""The whole loop at the terminal, and what every command promises of JSON and exit codes."""

import json
from pathlib import Path

import pytest

from tests.terminal.conftest import Terminal

CORPUS = (
    '{"_id": "d1", "title": "Gold", "text": "a yellow metal"}',
    '{"_id": "007", "title": "", "text": "a spy who likes gold"}',
    '{"_id": "NA", "title": "Sodium", "text": "a soft metal"}',
)
QUERIES = ('{"_id": "q1", "text": "yellow metal"}', '{"_id": "q2", "text": "spy"}')
QRELS = ("query-id\tcorpus-id\tscore", "q1\td1\t3", "q1\tNA\t1", "q2\t007\t2")
IMPORT_KEYS = {
    "read", "accepted", "duplicate", "updated", "quarantined", "reasons", "notes", "quarantine_file"
}  # fmt: skip


def _filled(goldsmith: Terminal) -> None:
    assert goldsmith("init").code == 0
    assert goldsmith("corpus", "import", goldsmith.write("c.jsonl", *CORPUS)).code == 0
    assert goldsmith("queries", "import", goldsmith.write("q.jsonl", *QUERIES)).code == 0
    assert goldsmith("judgments", "import", goldsmith.write("j.tsv", *QRELS)).code == 0


def test_the_loop(goldsmith: Terminal) -> None:
    goldsmith = goldsmith.processes
    _filled(goldsmith)
    pooled = goldsmith("pool", "--json").document
    assert pooled["by_source"] == {"bm25": 3}  # q1: Gold, Sodium; q2: the spy
    assert pooled["pairs_added"] == 0  # all three came with their judgments
    release = goldsmith("export", "metals", "--json").document
    assert (release["documents"], release["queries"], release["judgments"]) == (3, 2, 3)
    assert Path(release["task_dir"]) == goldsmith.folder / "w" / "evals" / "metals"
    result = goldsmith("eval", "bm25", "-t", "custom/metals", "--json").document
    # bm25 ranks d1 (both words) before NA (one word), and finds 007 alone: the ideal order.
    assert result["metrics"]["ndcg_at_10"] == 1.0
    assert (result["n_queries"], result["corpus_size"], result["split"]) == (2, 3, "test")
    again = goldsmith("eval", "bm25", "-t", "custom/metals")
    assert again.code == 0
    assert "reused" in again.stderr


def test_an_import_twice_and_one_bad_row(goldsmith: Terminal) -> None:
    goldsmith("init")
    corpus = goldsmith.write("c.jsonl", *CORPUS, '{"_id": "d9", "text": ')
    first = goldsmith("corpus", "import", corpus, "--json")
    assert first.code == 0
    assert set(first.document) >= IMPORT_KEYS
    assert (first.document["read"], first.document["accepted"]) == (4, 3)
    assert first.document["reasons"] == {"bad_json": 1}
    assert Path(first.document["quarantine_file"]).is_file()
    again = goldsmith("corpus", "import", corpus, "--json").document
    assert (again["accepted"], again["duplicate"], again["quarantined"]) == (0, 3, 1)
    only_bad = goldsmith("corpus", "import", goldsmith.write("bad.jsonl", '{"_id": "x"'), "--json")
    assert only_bad.code == 1
    assert only_bad.document["accepted"] == 0


def test_a_folder_prints_the_sum_beside_its_parts(goldsmith: Terminal) -> None:
    _filled(goldsmith)
    goldsmith("export", "metals")
    other = Terminal(goldsmith.folder / "other")
    other.folder.mkdir()
    other("init")
    answer = other.processes(
        "import", goldsmith.folder / "w" / "evals" / "metals", "--json"
    ).document
    assert (answer["read"], answer["accepted"]) == (8, 8)
    assert {what: answer[what]["read"] for what in ("corpus", "queries", "judgments")} == {
        "corpus": 3,
        "queries": 2,
        "judgments": 3,
    }


def test_a_run_file_on_a_path_needs_no_workspace(goldsmith: Terminal) -> None:
    _filled(goldsmith)
    task = goldsmith("export", "metals", "--json").document["task_dir"]
    run = goldsmith.write("run.trec", "q1 Q0 NA 1 2.0 mine", "q1 Q0 d1 2 1.0 mine")
    elsewhere = Terminal(goldsmith.folder / "elsewhere")
    elsewhere.folder.mkdir()
    answer = elsewhere.processes("score", run, "-t", task, "--json", "--output", "kept")
    # q1: (1 + 3 / log2(3)) / (3 + 1 / log2(3)) = .796708; q2 is missing from the run: 0.
    assert answer.document["metrics"]["ndcg_at_10"] == pytest.approx(0.796708 / 2, abs=1e-6)
    assert answer.document["model"] == "mine"
    assert any("1 of 2 queries" in warning for warning in answer.document["warnings"])
    assert not (elsewhere.folder / "w").exists()
    assert list((elsewhere.folder / "kept").rglob("*.json"))


def test_several_models_print_results(goldsmith: Terminal) -> None:
    _filled(goldsmith)
    task = goldsmith("export", "metals", "--json").document["task_dir"]
    answer = goldsmith("eval", "bm25", "-t", task, "-t", "draft", "--json").document
    assert [result["model"] for result in answer["results"]] == ["bm25", "bm25"]


def test_events_and_report(goldsmith: Terminal) -> None:
    goldsmith("init")
    empty = goldsmith("report", "--json").document
    assert (empty["overall"]["searches"], empty["overall"]["ctr"]) == (0, None)
    event = {
        "timestamp": "2026-11-01T10:00:00Z",
        "query": "gold",
        "session_id": "s1",
        "model_version": "A",
        "retrieved_doc_ids": ["d1", "007"],
        "clicked_doc_id": "007",
        "click_rank": 2,
    }
    log = goldsmith.write("log.jsonl", json.dumps(event), "no event")
    tally = goldsmith.processes("events", "import", log, "--json").document
    assert (tally["read"], tally["accepted"], tally["quarantined"]) == (2, 1, 1)
    metrics = goldsmith.processes("report", "--json").document
    assert metrics["by_model"]["A"]["click_mrr"] == 0.5
    assert "A" in goldsmith("report").stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["corpus", "import", "absent.jsonl"], 1, "No such file"),
        (["eval", "bm25", "-t", "custom/absent"], 1, "no task"),
        (["export", "../x"], 1, "../x"),
        (["corpus", "import"], 2, "Missing argument"),
        (["eval", "bm25"], 2, "--task"),
        (["report", "--from", "yesterday"], 2, "yesterday"),
        (["nonsense"], 2, "nonsense"),
    ],
)
def test_an_error_is_one_message_and_one_document(
    goldsmith: Terminal, arguments: list[str], code: int, message: str
) -> None:
    goldsmith("init")
    answer = goldsmith(*arguments, "--json")
    assert answer.code == code
    assert message in answer.document["error"]["message"]
    assert set(answer.document["error"]) == {"message", "where", "hint"}
    assert "Traceback" not in answer.stderr


@pytest.mark.parametrize(
    ("arguments", "code"), [(["corpus", "import", "absent.jsonl"], 1), (["nonsense"], 2)]
)
def test_a_process_ends_with_the_code(goldsmith: Terminal, arguments: list[str], code: int) -> None:
    goldsmith("init")
    answer = goldsmith.processes(*arguments, "--json")
    assert answer.code == code
    assert answer.document["error"]["message"]
    assert "Traceback" not in answer.stderr


def test_without_a_workspace_init_is_named(goldsmith: Terminal) -> None:
    answer = goldsmith("corpus", "import", goldsmith.write("c.jsonl", *CORPUS))
    assert answer.code == 1
    assert "goldsmith --workspace" in answer.stderr
    assert "init" in answer.stderr


def test_what_the_disk_refuses_is_one_message(goldsmith: Terminal) -> None:
    _filled(goldsmith)
    taken = goldsmith.write("taken", "a file")
    goldsmith("export", "metals")
    for arguments in (
        ["corpus", "import", "x" * 300],
        ["eval", "bm25", "-t", "custom/metals", "--output", taken / "below"],
        ["export", "metals", "--to", taken / "below"],
    ):
        answer = goldsmith(*arguments, "--json")
        assert answer.code == 1
        assert answer.document["error"]["message"]
        assert "Traceback" not in answer.stderr


@pytest.mark.parametrize("arguments", [["--workspace", "", "init"], ["corpus", "import", ""]])
def test_an_empty_path_is_not_the_current_folder(goldsmith: Terminal, arguments: list[str]) -> None:
    answer = goldsmith(*arguments)
    assert answer.code == 2
    assert "cannot be empty" in answer.stderr
    assert not (goldsmith.folder / "workspace.toml").exists()


def test_two_folders_of_one_name_are_two_tables(goldsmith: Terminal) -> None:
    _filled(goldsmith)
    first = goldsmith("export", "metals", "--json").document["task_dir"]
    goldsmith("judgments", "import", goldsmith.write("more.tsv", "q2\td1\t1"))
    goldsmith("export", "other", "--to", goldsmith.folder / "elsewhere" / "metals")
    shown = goldsmith("eval", "bm25", "-t", first, "-t", "elsewhere/metals").stdout
    assert shown.count("metals (test): 2 queries, 3 documents") == 2


def test_a_lost_database_is_said(goldsmith: Terminal) -> None:
    goldsmith("init")
    (goldsmith.folder / "w" / "workbench.db").write_bytes(b"")
    answer = goldsmith("report", "--json")
    assert answer.code == 1
    assert "lost its database" in answer.document["error"]["message"]
