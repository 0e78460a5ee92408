"""Questions in SQL: what they may read, what they may not, and how answers look."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from online import OnlineError
from online.asking import ask
from online.lake import Lake
from tests.online.logs import lake_of

EARLIER = "2026-11-28T00:00:00Z"


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    # A pattern to DuckDB, but for its brackets' escape.
    folder = tmp_path_factory.mktemp("lake") / "a[1] q*"
    folder.mkdir()
    return lake_of(folder, [{"user_id": "u1"}, {"timestamp": EARLIER}], [{"doc_id": "d"}])


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("SELECT count(*), min(timestamp) FROM searches", [[2, "2026-11-28T00:00:00+00:00"]]),
        ("FROM interactions SELECT doc_id, date;", [["d", "2026-11-30"]]),
        ("SELECT count(*) FROM bots -- what is flagged", [[0]]),
        ("SELECT sum(searches) FROM hours", [[2]]),
        ("WITH s AS (FROM searches) SELECT count(*) FROM s WHERE EXISTS (FROM s)", [[2]]),
        ("SELECT 1 UNION ALL SELECT 2 ORDER BY 1", [[1], [2]]),
        ("WITH RECURSIVE n AS (SELECT 1 AS i UNION SELECT i+1 FROM n WHERE i<3) FROM n",
         [[1], [2], [3]]),
        ("SELECT 'NaN'::DOUBLE, 'inf'::DOUBLE, 1.5, [1, NULL], {'a': DATE '2026-01-01'}, '\u00fc'",
         [[None, None, 1.5, [1, None], {"a": "2026-01-01"}, "\u00fc"]]),
        ("SELECT INTERVAL 3 DAY, 'ab'::BLOB, TIME '12:00', TRUE, 2::HUGEINT ** 0",
         [["3 days, 0:00:00", "6162", "12:00:00", True, 1.0]]),
    ],
)  # fmt: skip
def test_a_question_is_answered(lake: Lake, question: str, rows: list[list[object]]) -> None:
    answer = ask(lake, question)
    assert answer.rows == rows
    assert not answer.cut
    json.dumps(answer.as_json(), allow_nan=False)


def test_describe_tells_the_columns(lake: Lake) -> None:
    described = ask(lake, "DESCRIBE searches").rows
    assert ["timestamp", "TIMESTAMP WITH TIME ZONE"] in [row[:2] for row in described]


def test_columns_types_and_the_cut_are_told(lake: Lake) -> None:
    answer = ask(lake, "SELECT i AS a, 'x' AS a FROM range(5000) t(i)", 10)
    assert (answer.columns, answer.types) == (("a", "a"), ("BIGINT", "VARCHAR"))
    assert (len(answer.rows), answer.cut) == (10, True)
    assert not ask(lake, "FROM range(10)", 10).cut


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "question",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "FROM '{other}'",
        "FROM read_text('{other}')",
        "FROM read_blob('{other}')",
        "FROM glob('/etc/*')",
        "FROM sniff_csv('{other}')",
        "FROM parquet_metadata('{other}')",
        "FROM read_parquet('{root}/searches/*/*.parquet')",
        "FROM read_json('http://127.0.0.1:9/x')",
        "SELECT * FROM duckdb_secrets()",
        "COPY searches TO '{new}'",
        "COPY (SELECT 1) TO '{file}' (USE_TMP_FILE false)",
        "WITH x AS (COPY (SELECT 1) TO '{file}' (USE_TMP_FILE false)) FROM x",
        "WITH x AS (COPY (SELECT 1) TO '{new}' (USE_TMP_FILE false)) SELECT 1",
        "FROM query('WITH x AS (COPY (SELECT 1) TO ''{file}'' (USE_TMP_FILE false)) SELECT 1')",
        "WITH x AS (DELETE FROM searches RETURNING *) FROM x",
        "WITH x AS (INSERT INTO searches FROM searches RETURNING *) FROM x",
        "EXPORT DATABASE '{new}'",
        "ATTACH '{new}'",
        "ATTACH ':memory:' AS m",
        "CONNECT 'quack:127.0.0.1:9'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "RESET lock_configuration",
        "PRAGMA enable_progress_bar",
        "CALL enable_logging()",
        "SELECT * FROM enable_logging()",
        "CREATE TABLE t AS SELECT 1",
        "CREATE SECRET s (TYPE http)",
        "INSERT INTO searches FROM searches",
        "UPDATE searches SET query = ''",
        "DELETE FROM searches",
        "DROP VIEW searches",
        "BEGIN",
        "USE memory",
        "VACUUM",
        "CHECKPOINT",
        "PREPARE p AS SELECT 1",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '{file}' (USE_TMP_FILE false)",
        "SELECT 1; DROP VIEW searches",
        "SELECT * FROM lake",
        "",
        " ;; -- nothing",
    ],
)
def test_nothing_is_written_and_no_other_file_is_read(
    lake: Lake, tmp_path: Path, question: str
) -> None:
    other = tmp_path / "secret.csv"
    other.write_text("a,b\n1,2\n")
    file = lake.root / lake.manifest().searches[0].path
    before = _contents(lake.root) | _contents(tmp_path)
    asked = question
    for name, path in (("other", other), ("root", lake.root), ("file", file)):
        asked = asked.replace(f"{{{name}}}", str(path))
    with pytest.raises(OnlineError) as caught:
        ask(lake, asked.replace("{new}", str(tmp_path / "new")))
    assert "\n" not in f"{caught.value.message}{caught.value.where}{caught.value.hint}"
    assert _contents(lake.root) | _contents(tmp_path) == before


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("SELECT qery FROM searches", 'Binder Error: Referenced column "qery" not found'),
        ("SELEC 1", 'syntax error at or near "SELEC"'),
        ("SELECT * FROM serches", "serches does not exist"),
        ("SELECT 'x'::INT", "Could not convert"),
        ("SELECT $1", "Values were not provided"),
    ],
)
def test_a_mistake_is_told_in_one_line(lake: Lake, question: str, message: str) -> None:
    with pytest.raises(OnlineError) as caught:
        ask(lake, question)
    assert message in caught.value.message
    assert "\n" not in caught.value.message


def test_an_absent_lake_answers_with_no_rows(tmp_path: Path) -> None:
    assert ask(Lake(tmp_path / "events"), "SELECT count(*) FROM searches").rows == [[0]]


ASKER = """
import signal
import sys
from pathlib import Path
from online.asking import ask
from online.lake import Lake
# A shell that runs tests in the background has its children ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
print("begun", flush=True)
question = "SELECT sum(hash(a.i * b.i)) FROM range(10000000) a(i), range(9999) b(i)"
ask(Lake(Path(sys.argv[1])), question)
"""


def test_ctrl_c_ends_a_long_question(tmp_path: Path) -> None:
    asking = subprocess.Popen(
        [sys.executable, "-c", ASKER, tmp_path / "events"],
        cwd=Path(__file__).resolve().parents[2],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert asking.stdout is not None
    asking.stdout.readline()
    time.sleep(1.0)
    asking.send_signal(signal.SIGINT)
    try:
        _, told = asking.communicate(timeout=60)
    finally:
        asking.kill()
        asking.wait()
    assert b"KeyboardInterrupt" in told
