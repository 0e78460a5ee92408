"""A log file as blocks of whole lines."""

import gzip
import zipfile
from pathlib import Path

import pytest

from online import OnlineError
from online.lines import BLOCK_BYTES, LONGEST_LINE_BYTES, Block, LogFile, require_json_lines


def _blocks(file: Path) -> list[Block]:
    with LogFile(file) as log:
        return list(log.blocks())


def _lines(file: Path) -> list[bytes]:
    return b"".join(block.raw for block in _blocks(file)).split(b"\n")[:-1]


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"a", [b"a"]),
        (b"a\nb\n", [b"a", b"b"]),
        (b"a\nb", [b"a", b"b"]),
        (b"\xef\xbb\xbfa\r\n\n b", [b"a\r", b"", b" b"]),
        (b"\xef\xbb\xbf", []),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_lines_of_small_files(
    tmp_path: Path, content: bytes, lines: list[bytes], packed: bool
) -> None:
    file = tmp_path / "log"
    file.write_bytes(gzip.compress(content) if packed else content)
    assert _lines(file) == lines


def test_lines_longer_than_a_block_stay_whole(tmp_path: Path) -> None:
    lines = [b"a" * 10, b"b" * (3 * BLOCK_BYTES + 5), b"c" * BLOCK_BYTES, b"", b"d" * 17_000_000]
    file = tmp_path / "log"
    file.write_bytes(b"\n".join(lines))
    assert _lines(file) == lines
    assert not any(block.cut_short for block in _blocks(file))


def test_a_line_too_long_is_cut_and_the_next_ones_are_read(tmp_path: Path) -> None:
    file = tmp_path / "log"
    with file.open("wb") as stream:
        stream.write(b"first\n" + b"x" * (LONGEST_LINE_BYTES + 3 * BLOCK_BYTES) + b"\nnext\nlast")
    blocks = _blocks(file)
    assert b"".join(block.raw for block in blocks if not block.cut_short).split() == [
        b"first",
        b"next",
        b"last",
    ]
    (cut,) = [block for block in blocks if block.cut_short]
    assert cut.raw == b"x" * 1000 + b"\n"


def test_a_file_can_be_read_again(tmp_path: Path) -> None:
    file = tmp_path / "log.gz"
    file.write_bytes(gzip.compress(b"one\ntwo\n"))
    with LogFile(file) as log:
        assert list(log.blocks()) == list(log.blocks()) == [Block(b"one\ntwo\n")]
        assert log.bytes_read == log.size


def test_a_damaged_gz_file_is_one_clear_error(tmp_path: Path) -> None:
    file = tmp_path / "log.gz"
    file.write_bytes(gzip.compress(b'{"a": 1}\n' * 10_000)[:-200])
    with pytest.raises(OnlineError, match="cannot be read to its end"):
        _blocks(file)


def test_what_is_no_file_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(OnlineError, match="this is a folder"):
        LogFile(tmp_path)
    with pytest.raises(OnlineError, match="No such file"):
        LogFile(tmp_path / "absent.jsonl")


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"PAR1....", "a Parquet file"),
        (b"12345678DUCK", "a DuckDB database"),
        (b"\xff\xfe{\0", "UTF-16"),
        (b"BZh91AY", "a bzip2 file"),
        (b"timestamp,query\n2026,x\n", "it begins with 'timestamp,query'"),
        (b'[{"a": 1},\n1]', "it begins with '\\["),
        (b'[\n{"a": 1}\n]', "spread over several lines"),
        (b'{\n  "timestamp": 1\n}\n', "spread over several lines"),
    ],
)
def test_other_formats_are_named(tmp_path: Path, content: bytes, kind: str) -> None:
    file = tmp_path / "log"
    file.write_bytes(content)
    with LogFile(file) as log, pytest.raises(OnlineError, match=kind) as caught:
        require_json_lines(log)
    assert caught.value.where == str(file)
    assert "one JSON object a line" in str(caught.value.hint)


@pytest.mark.parametrize(
    "content", [b"", b"\n \n", b'\n{"a": 1}\n', b'oops\n{"a": 1}\n', b"{broken"]
)
def test_single_bad_lines_are_no_other_format(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "log"
    file.write_bytes(content)
    with LogFile(file) as log:
        require_json_lines(log)


def _zip(file: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file


def test_a_zip_archive_of_one_log_is_read_as_that_log(tmp_path: Path) -> None:
    lines = [b"b" * (3 * BLOCK_BYTES + 5), b"", b"last"]
    file = _zip(
        tmp_path / "log.zip",
        {"logs/": b"", "logs/a.jsonl": b"\n".join(lines), "__MACOSX/._a.jsonl": b"x"},
    )
    assert _lines(file) == lines
    with LogFile(file) as log:
        assert list(log.blocks()) == list(log.blocks())
        assert log.packed
        assert log.head() == b"b" * 64


@pytest.mark.parametrize(
    ("members", "finding"),
    [
        ({}, "holds no file"),
        ({"a.jsonl": b"{}", "b/c.jsonl": b"{}"}, "holds 2 files: a.jsonl, b/c.jsonl"),
        ({f"{n}.jsonl": b"{}" for n in range(30)}, "holds 30 files: 0.jsonl, .*, 7.jsonl, …"),
    ],
)
def test_a_zip_archive_of_several_logs_names_them(
    tmp_path: Path, members: dict[str, bytes], finding: str
) -> None:
    with pytest.raises(OnlineError, match=finding) as caught:
        LogFile(_zip(tmp_path / "log.zip", members))
    assert "exactly one log" in str(caught.value.hint)


def test_a_damaged_zip_archive_is_one_clear_error(tmp_path: Path) -> None:
    whole = _zip(tmp_path / "log.zip", {"a.jsonl": b'{"a": 1}\n' * 10_000}).read_bytes()
    spoilt, cut = bytearray(whole), tmp_path / "cut.zip"
    spoilt[60] ^= 255
    (tmp_path / "log.zip").write_bytes(spoilt)
    with pytest.raises(OnlineError, match="cannot be read to its end"):
        _blocks(tmp_path / "log.zip")
    cut.write_bytes(whole[:-30])
    with pytest.raises(OnlineError, match="cannot be read to its end"):
        LogFile(cut)
