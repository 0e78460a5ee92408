"""CSV, Parquet and DuckDB tables as logs: each row is the native line that says the same."""

import gzip
import json
import subprocess
import sys
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from online import OnlineError
from online.ingest import import_events
from online.lake import Lake
from online.lines import BLOCK_BYTES
from online.sources.mapping import Rule, TableMap, parse_mapping
from online.sources.plain_columns import PlainColumns
from online.sources.recognise import open_source
from online.tally import EventTally
from tests.online.logs import event, quarantined, rows, take
from tests.online.translated import translated

COLUMNS = (
    "line, epoch_us(timestamp), query, session_id, model_version, retrieved_doc_ids, "
    "best_click_doc_id, best_click_rank, search_key"
)
HEADER = "timestamp,query,session_id,model_version,retrieved_doc_ids,clicked_doc_id,click_rank"


def _import(folder: Path, file: Path, **how: Any) -> EventTally:
    lake = Lake(folder / f"events-{file.name}")
    return import_events(lake, file, quarantine_folder=folder / "quarantine", **how)


def _searches(folder: Path, file: Path, columns: str = COLUMNS) -> list[tuple[Any, ...]]:
    query = f"SELECT {columns} FROM searches ORDER BY 1"  # noqa: S608
    return rows(Lake(folder / f"events-{file.name}"), query)


def _table(file: Path, *lines: str, header: str = HEADER) -> Path:
    file.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return file


def test_a_csv_says_the_same_as_native_lines(tmp_path: Path) -> None:
    lines = [
        event(query='a "b", c', session_id="007", clicked_doc_id="d2", click_rank=2),
        event(query="two\nlines", retrieved_doc_ids=["d1", "x|y"]),
        event(query="نص", session_id=None, retrieved_doc_ids=[]),
    ]
    file = _table(
        tmp_path / "log.csv",
        '2026-11-30T12:00:00Z,"a ""b"", c",007,bm25,d1|d2|d3|d4|d5,d2,2',
        '2026-11-30T12:00:00Z,"two\nlines",s1,bm25,"[""d1"", ""x|y""]",,',
        "2026-11-30T12:00:00Z,نص,,bm25,,,",
    )
    take(tmp_path, lines)
    tally = _import(tmp_path, file)
    assert (tally.accepted, tally.quarantined) == (3, 0)
    query = f"SELECT {COLUMNS} FROM searches ORDER BY 1"  # noqa: S608
    native = rows(Lake(tmp_path / "events"), query)
    table = _searches(tmp_path, file)
    assert [row[1:] for row in native] == [row[1:] for row in table]
    assert [row[0] for row in table] == [2, 3, 5]  # where each row begins


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_headers_delimiters_line_ends_and_packing_are_forgiven(
    tmp_path: Path, delimiter: str, line_end: str, pack: Any
) -> None:
    header = ["TimeStamp", "Query", "session-id", "MODEL_VERSION", "retrieved doc ids", "clickRank"]
    row = ["2026-11-30T12:00:00Z", "q", "s", "m", "a|b", ""]
    text = line_end.join(["\ufeff# made by hand", "", *(delimiter.join(x) for x in (header, row))])
    file = tmp_path / "log"
    file.write_bytes(pack(text.encode()))
    assert translated(file) == {
        4: {
            "timestamp": row[0],
            "query": "q",
            "session_id": "s",
            "model_version": "m",
            "retrieved_doc_ids": ["a", "b"],
        }
    }


def test_bad_rows_go_into_quarantine_and_the_others_come_in(tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    good = "2026-11-30T12:00:0{n}Z,q,s,m,d1|d2,d2,2"
    bad = [
        b"2026-11-30T12:00:00Z,ragged,s",
        b"2026-11-30T12:00:00Z,one,too,many,d,d,1,x",
        b"2026-11-30T12:00:00Z,caf\xe9,s,m,d1,,",
        b'2026-11-30T12:00:00Z,"odd" quote,s,m,d1,,',
        b"2026-11-30T12:00:00Z,q,s,m,d1,d1,first",
        b"2026-11-30T12:00:00Z,nul\0,s,m,d1,,",
        b'2026-11-30T12:00:00Z,"never closed,s,m,d1,,',
    ]
    lines = [HEADER.encode()]
    for n, row in enumerate(bad):
        lines += [good.format(n=n).encode(), row]
    file.write_bytes(b"\n".join(lines))
    tally = _import(tmp_path, file)
    assert (tally.accepted, tally.read) == (7, 14)
    found = quarantined(tally)
    assert [(row["line"], row["reason"]) for row in found] == [
        (3, "wrong_columns"), (5, "wrong_columns"), (7, "bad_utf8"), (9, "bad_csv"),
        (11, "bad_rank"), (13, "nul_character"), (15, "open_quote"),
    ]  # fmt: skip
    assert found[0]["raw"] == bad[0].decode()
    assert json.loads(found[4]["raw"])["click_rank"] == "first"


def test_what_is_wrong_is_told_by_the_name_of_the_column(tmp_path: Path) -> None:
    file = _table(tmp_path / "log.csv", "soon,q,s,m,d1,d1,first", header="When,q,s,m,docs,doc,Pos")
    fields = {"timestamp": "When", "query": "q", "model_version": "m", "retrieved_doc_ids": "docs"}
    fields |= {"clicked_doc_id": "doc", "click_rank": "Pos"}
    mapping = TableMap(fields={key: Rule(column) for key, column in fields.items()})
    (row,) = quarantined(_import(tmp_path, file, mapping=mapping))
    assert row["message"].startswith('Pos (click_rank) is "first"; write a whole number')


def test_a_conflict_names_the_column_and_says_what_to_do(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("id;at;term\n1;2026-11-30T12:00:00Z;ring\n", encoding="utf-8")
    for model in ("a", "b"):
        mapping = parse_mapping(
            '[fields]\nevent_id = "id"\ntimestamp = "at"\nquery = "term"\n'
            f'[constants]\nmodel_version = "{model}"\nresults_logged = false\n',
            "mapping",
        )
        tally = import_events(
            Lake(tmp_path / "lake"), log, mapping=mapping, quarantine_folder=tmp_path / "bad"
        )
    (row,) = quarantined(tally)
    assert row["message"].startswith('id (event_id) is "1"; an event with this id')
    assert "goldsmith events undo" in row["message"]


def test_an_empty_list_cell_means_no_results_and_is_counted(tmp_path: Path) -> None:
    file = _table(
        tmp_path / "log.csv",
        "2026-11-30T12:00:00Z,found nothing,s,m,,,",
        "2026-11-30T12:00:01Z,,s,m,d1,,",
        "2026-11-30T12:00:02Z,,s,m,,,",
    )
    source = open_source(file)
    source.scratch = tmp_path
    plain, odd = source.plain().read_all(), source.odd().read_all()
    source.close()
    assert plain["retrieved_doc_ids"].to_pylist() == [[], None]
    assert [json.loads(text)["query"] for text in odd["text"].to_pylist()] == [""]
    assert source.findings.notes["empty_results_cell"] == 1


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_whole_blocks_at_once_are_the_rows_that_they_are_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line_end: str
) -> None:
    row = "2026-11-30T12:00:00Z,{n}{more},s,m,d1|d2,d2,2"
    lines = [HEADER, *(row.format(n=n, more=" " * 1200) for n in range(2_500))]
    lines[1200] = ",,,,,,"  # in a block without quotation marks, which pyarrow reads
    lines[2000] = row.format(n='"a', more=f'{line_end}b"')
    lines[2200] = row.format(n="c", more=",")
    file = tmp_path / "log.csv"
    file.write_bytes(line_end.join(lines).encode())
    assert file.stat().st_size > 2.5 * BLOCK_BYTES
    at_once = translated(file)
    monkeypatch.setattr("online.sources.delimited._Rows._without_quotes", lambda *_: None)
    assert translated(file) == at_once
    monkeypatch.setattr("online.sources.delimited._Rows._at_once", lambda *_: None)
    assert translated(file) == at_once
    assert len(at_once) == 2_499
    assert at_once[2_402]["query"].startswith("2399")


CELLS = [
    "2026-11-30T12:00:00Z,q,s,m,d1|d2,d2,2,",
    "2026-11-30T12:00:00Z,q,s,m,d1 | d2 , d2 , 2.0 ,DE",
    '2026-11-30T12:00:00Z,q,7,m,"[1, ""b"", ""c|d""]",,,"a ""b"""',
    '2026-11-30T12:00:00Z,q,7,m,"[""b"", ""c|d""]",,,é\u2028/',
    "2026-11-30T12:00:00Z,q,7,m,[broken,,,\x01",
    "2026-11-30 12:00,q,,m,a||b,,x,7",
    "1764504000,q,,m,|,a,-1,\\n",
    "1764504000,q,,,a,,99999999999,",
    "2026-11-30T12:00:00Z,,,,,,,",
    ",,,,,,,",
]


@pytest.mark.parametrize("shift", [1, 0])
def test_at_once_or_one_by_one_the_rows_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shift: int
) -> None:
    fields = "\n".join(f'{key} = "{key}"' for key in HEADER.split(",")[:-1])
    rank = f'click_rank = {{ path = "click_rank", rank_base = {shift} }}'
    constants = 'model_version = "usual"'
    mapping = parse_mapping(f"[fields]\n{fields}\n{rank}\n[constants]\n{constants}", "m")
    header = f"{HEADER},Country-Code"
    files = [
        _table(tmp_path / f"{n}.csv", *rows, header=header)
        for n, rows in enumerate([CELLS, *([row] for row in CELLS)])
    ]
    at_once = [translated(file, mapping=mapping) for file in files]
    monkeypatch.setattr(
        PlainColumns, "split", lambda _, lines, *__: (None, list(range(len(lines))))
    )
    assert at_once == [translated(file, mapping=mapping) for file in files]
    assert len(at_once[0]) == len(CELLS) - 1  # a row without a word is a blank line


def test_at_once_or_one_by_one_a_row_is_known_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = '2026-11-30T12:00:00Z,q,s,m,d1|d2,d2,2,é\u2028/,7,u1,0.5,"a, b"'
    header = f"{HEADER},Land,plan,user_id,latency_ms,tags"
    file = _table(tmp_path / "log.csv", row, header=header)
    assert _import(tmp_path, file).accepted == 1
    monkeypatch.setattr(
        PlainColumns, "split", lambda _, lines, *__: (None, list(range(len(lines))))
    )
    assert _import(tmp_path, file).duplicate == 1


def _typed() -> pa.Table:
    noon = datetime(2026, 11, 30, 12, tzinfo=UTC)
    click = {"doc_id": 2, "rank": 2, "timestamp": noon, "dwell_s": Decimal("1.50")}
    return pa.table(
        {
            "timestamp": pa.array([noon] * 3, pa.timestamp("ns", "Europe/Berlin")),
            "query": ["a", "b", "c"],
            "user_id": pa.array([Decimal(10**29), None, None], pa.decimal128(38, 0)),
            "session_id": pa.array([7, None, None], pa.float64()),
            "model_version": pa.array(["m", "n", "m"]).dictionary_encode(),
            "retrieved_doc_ids": pa.array([[1, 2], [], [3]]),
            "clicks": pa.array([[click], None, None]),
        }
    )


def test_types_of_parquet_lose_nothing(tmp_path: Path) -> None:
    pq.write_table(_typed(), tmp_path / "log.parquet")
    native = translated(tmp_path / "log.parquet")
    assert native[1] == {
        "timestamp": "2026-11-30T12:00:00+00:00",
        "query": "a",
        "user_id": "1" + "0" * 29,
        "session_id": "7",
        "model_version": "m",
        "retrieved_doc_ids": ["1", "2"],
        "clicks": [
            {
                "doc_id": "2",
                "rank": 2,
                "timestamp": "2026-11-30T12:00:00+00:00",
                "dwell_s": 1.5,
            }
        ],
    }
    assert native[3]["timestamp"].startswith("2026-11-30 12:00:00")
    assert native[3]["retrieved_doc_ids"] == ["3"]


def test_a_folder_of_parquet_is_one_log(tmp_path: Path) -> None:
    day = tmp_path / "log" / "arm=new"
    day.mkdir(parents=True)
    pq.write_table(_typed(), day / "b.parquet")
    pq.write_table(_typed().drop_columns(["clicks", "user_id"]), tmp_path / "log" / "c.parquet")
    (tmp_path / "log" / "_SUCCESS").touch()
    native = translated(tmp_path / "log")
    assert list(native) == [1, 2, 3, 4, 5, 6]
    assert native[1]["arm"] == "new"
    assert "user_id" not in native[4]
    assert len(translated(tmp_path / "log" / "c*.parquet")) == 3
    with pytest.raises(OnlineError, match="no Parquet file"):
        open_source(tmp_path / "log" / "d*.parquet")


def test_a_broken_parquet_file_is_one_clear_error(tmp_path: Path) -> None:
    file = tmp_path / "log.parquet"
    pq.write_table(_typed(), file)
    file.write_bytes(file.read_bytes()[:-40])
    with pytest.raises(OnlineError, match="cannot be read"):
        open_source(file)


def _database(file: Path) -> Path:
    with duckdb.connect(str(file)) as connection:
        connection.execute("""
            CREATE TABLE log AS SELECT TIMESTAMPTZ '2026-11-30 13:00:00+01' AS timestamp,
                'q' || i AS query, i * '1000000000000000000000000000000'::HUGEINT AS session_id,
                'm' AS model_version, ['a', 'b'] AS retrieved_doc_ids,
                [{'doc_id': 'b', 'rank': 2}] AS clicks, {'x': 1.50, 'y': [1, 2]} AS "More"
            FROM range(1, 4) t(i);
            CREATE SCHEMA old; CREATE TABLE old.log AS SELECT * FROM main.log LIMIT 1;
        """)
    return file


def test_a_table_of_duckdb_is_read_and_left_alone(tmp_path: Path) -> None:
    file = _database(tmp_path / "shop.duckdb")
    before = file.read_bytes()
    tally = _import(tmp_path, file, table="log")
    assert tally.accepted == 3
    assert file.read_bytes() == before
    found = _searches(tmp_path, file, "query, epoch(timestamp), session_id, extra ->> '$.More.x'")
    assert found[0] == ("q1", 1796040000.0, "1" + "0" * 30, "1.5")


def test_an_unknown_table_is_answered_with_those_there_are(tmp_path: Path) -> None:
    file = _database(tmp_path / "shop.duckdb")
    with pytest.raises(OnlineError, match=r"which table is it.* log, old\.log"):
        open_source(file)
    with pytest.raises(OnlineError, match=r"no table 'logs'; there is log, old\.log"):
        open_source(file, table="logs")
    open_source(file, table="OLD.log").close()
    with pytest.raises(OnlineError, match="only a DuckDB database"):
        open_source(_table(tmp_path / "log.csv"), table="log")


def test_a_database_that_another_process_writes_is_one_clear_error(tmp_path: Path) -> None:
    file = _database(tmp_path / "shop.duckdb")
    hold = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('held', flush=True); input()"
    command = [sys.executable, "-c", hold, str(file)]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(OnlineError, match="another process has the database open to write"):
            open_source(file, table="log")
        holder.communicate("\n")


def test_a_database_of_a_newer_duckdb_says_so(tmp_path: Path) -> None:
    file = _database(tmp_path / "shop.duckdb")
    content = bytearray(file.read_bytes())
    content[12:20] = (99_999).to_bytes(8, "little")
    file.write_bytes(content)
    with pytest.raises(OnlineError, match=r"newer DuckDB|cannot open the database"):
        open_source(file, table="log")


@pytest.mark.parametrize(
    ("header", "missing"),
    [
        (
            "ts,q,docs",
            "timestamp, query, model_version and retrieved_doc_ids; they are ts, q, docs",
        ),
        ("timestamp,query,retrieved_doc_ids", "model_version"),
        ("timestamp,user_id", "query, model_version and retrieved_doc_ids"),
    ],
)
def test_columns_that_are_not_understood_lead_to_a_mapping(
    tmp_path: Path, header: str, missing: str
) -> None:
    with pytest.raises(OnlineError, match=f"do not name {missing}") as caught:
        open_source(_table(tmp_path / "log.csv", header=header))
    assert ("events map" in str(caught.value.hint)) == (missing != "model_version")
    if missing == "model_version":
        model = TableMap(constants={"model_version": "bm25"})
        open_source(tmp_path / "log.csv", mapping=model).close()


def test_native_lines_get_the_model_that_they_do_not_name(tmp_path: Path) -> None:
    unnamed = event(query='"model_version":null')
    lines: list[Any] = [{**unnamed}, event(model_version=None), unnamed, "{"]
    del lines[0]["model_version"]
    model = TableMap(constants={"model_version": "usual"})
    tally = take(tmp_path, lines, mapping=model)
    assert (tally.accepted, tally.quarantined) == (3, 1)
    assert quarantined(tally)[0]["raw"] == "{"
    found = rows(Lake(tmp_path / "events"), "SELECT model_version FROM searches ORDER BY line")
    assert found == [("usual",), ("usual",), ("bm25",)]
