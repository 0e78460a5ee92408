"""Run files: TREC's six columns."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.records import EvalsError, Query
from evals.runfile import RunFile, read_run, write_run


def run_file(tmp_path: Path, content: str) -> Path:
    path = tmp_path / "some.run"
    path.write_bytes(content.encode())
    return path


def test_reading(tmp_path: Path) -> None:
    path = run_file(
        tmp_path,
        "\ufeff# made by hand\r\nq1 Q0 d1 1 2.5 mine\r\n\r\n"
        "q1\tQ0\td 2\t2\t-1e-3\tmine\nq2 0 d1 1 3 mine",
    )
    run, tag = read_run(path)
    assert run == {"q1": {"d1": 2.5, "d 2": -0.001}, "q2": {"d1": 3.0}}
    assert tag == "mine"


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("q1 Q0 d1 1 2.5\n", 1, "5 columns"),
        ("q1 Q0 d1 1 2.5 x\nq1 Q0 d2 2 high x\n", 2, "'high' is no number"),
        ("q1 Q0 my doc 1 2.5 x\n", 1, "7 columns"),
        ("q1 Q0 doc 7 1 2.5 x\n", 1, "7 columns"),
        ("q1 Q0 d1 1 nan x\n", 1, "'nan' is no number"),
        ("q1 Q0 d1 1 2.5 x\nq1 Q0 d1 2 1.5 x\n", 2, "'d1' comes twice for query 'q1'"),
    ],
)
def test_bad_rows_are_named(tmp_path: Path, content: str, line: int, message: str) -> None:
    path = run_file(tmp_path, content)
    with pytest.raises(EvalsError, match=message) as raised:
        read_run(path)
    assert raised.value.where == f"{path}:{line}"


def test_what_stands_behind_the_tag_is_not_read(tmp_path: Path) -> None:
    path = run_file(tmp_path, "q1 Q0 d1 1 2.5 mine and more\n")
    assert read_run(path) == ({"q1": {"d1": 2.5}}, "mine")


def test_empty_and_absent_files(tmp_path: Path) -> None:
    with pytest.raises(EvalsError, match="no row"):
        read_run(run_file(tmp_path, "\n"))
    with pytest.raises(EvalsError, match="cannot be read: No such file"):
        read_run(tmp_path / "absent.run")


IDS = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=4)
SCORES = st.floats(allow_nan=False, width=32)


@given(st.dictionaries(IDS, st.dictionaries(IDS, SCORES, min_size=1), min_size=1))
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory, run: dict[str, dict[str, float]]
) -> None:
    path = tmp_path_factory.mktemp("runs") / "some.run"
    write_run(path, run, "a tag")
    assert read_run(path) == (run, "a_tag")


def test_written_in_trec_evals_order(tmp_path: Path) -> None:
    path = tmp_path / "some.run"
    write_run(path, {"q": {"a": 0.5, "c": 1.0, "b": 0.5}}, "")
    assert path.read_text() == (
        "q\tQ0\tc\t1\t1.0\tgoldsmith\nq\tQ0\tb\t2\t0.5\tgoldsmith\nq\tQ0\ta\t3\t0.5\tgoldsmith\n"
    )


@pytest.mark.parametrize("run", [{"q\t": {"d": 1.0}}, {"q": {"d\n": 1.0}}])
def test_ids_that_break_lines_are_refused(tmp_path: Path, run: dict[str, dict[str, float]]) -> None:
    with pytest.raises(EvalsError, match="TAB or a line end"):
        write_run(tmp_path / "some.run", run, "x")


def test_pytrec_eval_reads_it(tmp_path: Path) -> None:
    import pytrec_eval

    run = {"q": {"a": 0.5, "c": 1.0}}
    path = tmp_path / "some.run"
    write_run(path, run, "x")
    with path.open() as stream:
        assert dict(pytrec_eval.parse_run(stream)) == run


def test_as_a_retriever(tmp_path: Path) -> None:
    path = run_file(tmp_path, "q1 Q0 a 1 1 x\nq1 Q0 b 2 1 x\nq2 Q0 a 1 1 x\n")
    found = RunFile(path)
    assert found.name == "x"
    assert RunFile(path, "mine").name == "mine"
    assert found.search([], [Query("q1", ""), Query("q3", "")], 1) == {"q1": {"b": 1.0}}
    key = found.key
    run_file(tmp_path, "q1 Q0 a 1 2 x\n")
    assert RunFile(path).key != key
