"""The corpus of the demo: the documentation of the Python that runs the tests."""

import csv
import sysconfig
import time
from pathlib import Path

import pytest

from builder.demo import module_choice
from builder.demo.corpus import LARGEST, build_corpus
from builder.demo.recipe import SAMPLE
from builder.errors import BuilderError
from evals.records import Document


@pytest.fixture(scope="module")
def corpus() -> dict[str, Document]:
    return {document.doc_id: document for document in build_corpus()}


@pytest.mark.parametrize(
    "doc_id",
    [
        "FileNotFoundError",
        "argparse.ArgumentParser.add_argument",
        "asyncio.gather",
        "asyncio.loop.run_until_complete",
        "collections.Counter.most_common",
        "collections.deque.rotate",
        "concurrent.futures.ThreadPoolExecutor",
        "configparser.ConfigParser.get",
        "contextlib.suppress",
        "datetime.datetime.strptime",
        "decimal.Decimal.quantize",
        "dict.get",
        "functools.lru_cache",
        "getpass.getpass",  # a second name of a hidden function
        "hashlib.sha256",
        "io.TextIOWrapper.readline",
        "itertools.chain.from_iterable",
        "json",
        "json.JSONDecoder",
        "json.dumps",
        "logging.handlers.RotatingFileHandler",
        "math.isclose",
        "multiprocessing.Pool",
        "multiprocessing.Process.join",
        "open",
        "os.mkdir",
        "os.path.exists",
        "os.path.join",
        "os.path.splitext",  # its docstring is that of a hidden function
        "pathlib.Path.read_text",
        "pathlib.Path.with_suffix",
        "random.randint",
        "random.random",
        "re.Match.group",
        "re.sub",
        "shutil.copytree",
        "signal.signal",
        "socket.socket.recv",
        "sorted",
        "sqlite3.Cursor.execute",
        "str.split",
        "subprocess.run",
        "threading.Lock",
        "tomllib.loads",
        "unittest.TestCase.assertEqual",
        "unittest.mock.Mock.assert_called_once_with",
        "urllib.request.urlopen",
        "xml.etree.ElementTree.parse",
    ],
)
def test_what_programmers_look_for_is_there(corpus: dict[str, Document], doc_id: str) -> None:
    assert doc_id in corpus


@pytest.mark.parametrize(
    "doc_id",
    [
        "IOError",  # a second name of OSError
        "array.ArrayType",  # a second name of array.array
        "asyncio._register_task",
        "asyncio.tasks.gather",
        "io.open",
        "posixpath.join",
        "random.Random.randint",
        "signal.Signals",  # a table of constants
        "socket.SocketType.recv",
    ],
)
def test_nothing_stands_there_under_a_name_nobody_writes(
    corpus: dict[str, Document], doc_id: str
) -> None:
    assert doc_id not in corpus


def test_as_many_documents_as_promised(corpus: dict[str, Document]) -> None:
    assert 3_000 <= len(corpus) <= LARGEST


def test_every_document_has_an_id_a_title_and_a_text(corpus: dict[str, Document]) -> None:
    for doc_id, document in corpus.items():
        assert document.text.strip()
        assert document.title.startswith(doc_id)
        assert "\n" not in document.title
        assert not any(part.startswith("_") for part in doc_id.split("."))
        assert set(document.metadata) == {"module", "kind"}


def test_kinds_are_told_apart(corpus: dict[str, Document]) -> None:
    kinds = {
        "json": "module",
        "json.dumps": "function",
        "json.JSONEncoder": "class",
        "str.split": "method",
        "pathlib.Path.suffix": "property",
        "random.randint": "function",
        "typing.Optional": "class",
    }
    assert {doc_id: corpus[doc_id].metadata["kind"] for doc_id in kinds} == kinds
    assert corpus["str.split"].metadata["module"] == "builtins"
    assert corpus["os.path.join"].metadata["module"] == "os.path"


@pytest.mark.parametrize(
    ("doc_id", "title"),
    [
        ("os.path.join", "os.path.join(a, *p)"),
        ("str.split", "str.split(sep=None, maxsplit=-1)"),
        ("sorted", "sorted(iterable, /, *, key=None, reverse=False)"),
        ("random.randint", "random.randint(a, b)"),
        ("socket.socket.recv", "socket.socket.recv(buffersize[, flags])"),
        ("sqlite3.Cursor.execute", "sqlite3.Cursor.execute(sql, parameters=(), /)"),
        ("threading.Timer", "threading.Timer(interval, function, args=None, kwargs=None)"),
        ("pathlib.Path.suffix", "pathlib.Path.suffix"),
        ("ValueError", "ValueError"),
    ],
)
def test_titles_show_the_signature(corpus: dict[str, Document], doc_id: str, title: str) -> None:
    assert corpus[doc_id].title == title


def test_the_docstring_of_init_belongs_to_its_class(corpus: dict[str, Document]) -> None:
    text = corpus["logging.Formatter"].text
    assert text.startswith("Formatter instances are used to convert")
    assert "Initialize the formatter with specified format strings" in text


def test_the_same_corpus_every_time_within_seconds_whatever_hook_a_program_replaced(
    corpus: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.excepthook", lambda *_: None)
    monkeypatch.setattr("sys.unraisablehook", lambda *_: None)
    started = time.process_time()
    built = build_corpus()
    # 1.7 s of one core; the margin is for a slower machine.
    assert time.process_time() - started < 20
    assert built == list(corpus.values())
    assert list(corpus) == sorted(corpus)
    assert {"sys.excepthook", "sys.unraisablehook"} <= set(corpus)


def test_nearly_all_documents_that_the_sample_judges_are_there(
    corpus: dict[str, Document],
) -> None:
    with (SAMPLE / "judgments.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        judged = {row["corpus-id"] for row in rows}
    assert len(judged - set(corpus)) <= 0.05 * len(judged)


def test_less_used_modules_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builder.demo.corpus.LARGEST", 3_800)
    modules = {str(document.metadata["module"]) for document in build_corpus()}
    assert module_choice.LESS_USED[0] not in modules
    assert "json" in modules


def test_a_python_without_sources_is_told_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sysconfig, "get_paths", lambda: {"stdlib": str(tmp_path)})
    with pytest.raises(BuilderError, match="without the sources") as caught:
        build_corpus()
    assert caught.value.hint
