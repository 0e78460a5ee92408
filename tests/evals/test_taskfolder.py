"""The task folder: written as others read it, read whatever its form, lossless both ways."""

import csv
import gzip
import json
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evals.records import Document, EvalsError, Query, Sample, Validation
from evals.taskfolder import read_task, write_task
from tests.thorough import examples

DOCUMENTS = [
    Document("d1", "A title", "Some text", {"url": "https://example.org", "year": 2026}),
    Document("007", "", "No title; emoji 😀, Arabic مرحبا, U+2028 \u2028 and \x85 inside"),
    Document("NA", "Null", ""),
]
QUERIES = [
    Query("q1", "what is it"),
    Query("12345678901234567890", "how", need="to know how", tags=("short", "how"), source="log"),
]
QRELS = {"test": {"q1": {"d1": 3, "NA": 0}, "12345678901234567890": {"007": 1}}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "tiny"
    path.mkdir()
    write_task(path, documents=DOCUMENTS, queries=QUERIES, qrels=QRELS)
    return path


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


def test_what_is_written(folder: Path) -> None:
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*.*")) == [
        "README.md",
        "corpus.jsonl",
        "corpus_metadata.jsonl",
        "qrels/test.jsonl",
        "qrels/test.trec",
        "qrels/test.tsv",
        "queries.jsonl",
        "queries_metadata.jsonl",
    ]
    corpus = (folder / "corpus.jsonl").read_bytes()
    assert corpus.startswith(b'{"_id": "d1", "title": "A title", "text": "Some text"}\n')
    assert "😀, Arabic مرحبا".encode() in corpus
    assert b"\r" not in corpus
    assert rows(folder / "queries.jsonl")[1] == {"_id": "12345678901234567890", "text": "how"}
    assert rows(folder / "queries_metadata.jsonl") == [
        {
            "_id": "12345678901234567890",
            "need": "to know how",
            "tags": ["short", "how"],
            "source": "log",
        }
    ]
    assert rows(folder / "corpus_metadata.jsonl") == [
        {"_id": "d1", "url": "https://example.org", "year": 2026}
    ]


def test_round_trip(folder: Path) -> None:
    task = read_task(folder)
    assert task.documents == DOCUMENTS
    assert task.queries == QUERIES
    assert task.qrels == QRELS["test"]
    assert (task.name, task.split, task.warnings) == ("tiny", "test", [])


def test_a_query_keeps_how_it_was_drawn(tmp_path: Path) -> None:
    drawn = replace(QUERIES[0], sample=Sample("tail", 0.25, 7))
    write_task(tmp_path, documents=DOCUMENTS, queries=[drawn, QUERIES[1]], qrels=QRELS)
    first, second = rows(tmp_path / "queries_metadata.jsonl")
    told = {key: first[key] for key in ("stratum", "inclusion_probability", "searches", "weight")}
    assert told == {
        "stratum": "tail",
        "inclusion_probability": 0.25,
        "searches": 7,
        "weight": 4.0,
    }
    assert not told.keys() & second.keys()
    assert read_task(tmp_path).queries == [drawn, QUERIES[1]]
    side = tmp_path / "queries_metadata.jsonl"
    side.write_text('{"_id": "q1", "inclusion_probability": 1.5}\n', encoding="utf-8")
    with pytest.raises(EvalsError, match=r"inclusion_probability is 1\.5"):
        read_task(tmp_path)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        (
            Query("q1", "x", source="synthetic", validated=True, validation=Validation("kw", 0.3)),
            {"validated": True, "stratum": "kw", "validation_probability": 0.3},
        ),
        (Query("q1", "x", source="synthetic", validated=False), {"validated": False}),
        # One that a log had, too: its stratum there stays `stratum`.
        (
            Query("q1", "x", sample=Sample("head", 1.0), validation=Validation("kw", 0.0)),
            {"stratum": "head", "validation_stratum": "kw", "validation_probability": 0.0},
        ),
    ],
)
def test_a_query_keeps_whether_people_validated_it(
    tmp_path: Path, query: Query, told: dict[str, Any]
) -> None:
    write_task(tmp_path, documents=DOCUMENTS, queries=[query], qrels={"test": {"q1": {"d1": 1}}})
    (row,) = rows(tmp_path / "queries_metadata.jsonl")
    assert row.items() >= told.items()
    assert ("validation_stratum" in row) == ("validation_stratum" in told)
    assert read_task(tmp_path).queries == [query]


@pytest.mark.parametrize(
    ("field", "said"),
    [('"validated": "yes"', "true or false is needed"), ('"validation_probability": 2', "0 to 1")],
)
def test_what_is_no_validation_is_refused(folder: Path, field: str, said: str) -> None:
    side = folder / "queries_metadata.jsonl"
    side.write_text(f'{{"_id": "q1", {field}}}\n', encoding="utf-8")
    with pytest.raises(EvalsError, match=said):
        read_task(folder)


def test_a_task_can_be_called_otherwise(folder: Path) -> None:
    assert read_task(str(folder), name="custom/tiny@3").name == "custom/tiny@3"


def test_counts_and_warnings_are_given_back(tmp_path: Path) -> None:
    written = write_task(
        tmp_path,
        documents=iter(DOCUMENTS),
        queries=iter(QUERIES),
        qrels={"test": QRELS["test"], "train": {"q 1": {"d1": 1}}},
    )
    assert (written.documents, written.queries) == (3, 2)
    assert written.judgments == {"test": 3, "train": 1}
    assert written.warnings == ["train.trec is not written: 1 ids hold white space"]


def test_the_card_names_content_in_each_config(folder: Path, tmp_path: Path) -> None:
    card = (folder / "README.md").read_text(encoding="utf-8")
    shas = [line for line in card.splitlines() if line.startswith("  description: content-")]
    assert len(shas) == 3
    assert len(set(shas)) == 1
    other = tmp_path / "other"
    other.mkdir()
    changed = [*DOCUMENTS[:2], replace(DOCUMENTS[2], text="x")]
    write_task(other, documents=changed, queries=QUERIES, qrels=QRELS, card="# Mine\n")
    assert shas[0] not in (other / "README.md").read_text(encoding="utf-8")
    assert (other / "README.md").read_text(encoding="utf-8").endswith("---\n\n# Mine\n")


def test_datasets_reads_it_by_its_card(folder: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    datasets.disable_progress_bars()

    def load(config: str, split: str) -> list[dict[str, Any]]:
        cache = str(tmp_path / "cache")
        return list(datasets.load_dataset(str(folder), config, split=split, cache_dir=cache))

    assert load("corpus", "corpus")[1]["_id"] == "007"
    assert load("queries", "queries")[0] == {"_id": "q1", "text": "what is it"}
    assert {
        (row["query-id"], row["corpus-id"], row["score"]) for row in load("default", "test")
    } == {
        ("q1", "d1", 3),
        ("q1", "NA", 0),
        ("12345678901234567890", "007", 1),
    }


def test_pytrec_eval_reads_the_trec_form(folder: Path) -> None:
    import pytrec_eval

    with (folder / "qrels" / "test.trec").open(encoding="utf-8") as stream:
        assert dict(pytrec_eval.parse_qrel(stream)) == QRELS["test"]


def read_as_beir(path: Path) -> dict[str, dict[str, int]]:
    """beir 2.2's GenericDataLoader: csv with TAB, the first line always skipped."""
    qrels: dict[str, dict[str, int]] = {}
    with path.open(encoding="utf-8") as stream:
        table = csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_MINIMAL)
        next(table)
        for query_id, doc_id, grade in table:
            qrels.setdefault(query_id, {})[doc_id] = int(grade)
    return qrels


CHARACTERS = st.characters(exclude_categories=["Cs"])
TEXTS = st.text(CHARACTERS, max_size=12)
IDS = st.text(
    st.one_of(CHARACTERS, st.sampled_from('\t\r\n "\ufeff\u2028\x85#\\😀')), min_size=1, max_size=6
).filter(lambda text: "\0" not in text)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)
METADATA = st.dictionaries(TEXTS.filter(lambda name: name != "_id"), JSON, max_size=2)
DOCUMENT = st.builds(Document, IDS, TEXTS, TEXTS, METADATA)
QUERY = st.builds(
    Query, IDS, TEXTS, TEXTS, st.lists(TEXTS, max_size=2).map(tuple), TEXTS.filter(bool)
)


@st.composite
def tasks(draw: st.DrawFn) -> tuple[list[Document], list[Query], dict[str, dict[str, int]]]:
    documents = draw(st.lists(DOCUMENT, min_size=1, max_size=4, unique_by=lambda d: d.doc_id))
    queries = draw(st.lists(QUERY, min_size=1, max_size=3, unique_by=lambda q: q.query_id))
    doc_ids = st.sampled_from([document.doc_id for document in documents])
    grades = st.dictionaries(doc_ids, st.integers(-2, 3), min_size=1)
    query_ids = st.sampled_from([query.query_id for query in queries])
    return documents, queries, draw(st.dictionaries(query_ids, grades, min_size=1))


@settings(
    deadline=None, max_examples=examples(50, 200), suppress_health_check=[HealthCheck.too_slow]
)
@given(task=tasks(), header=st.booleans())
def test_any_unicode_survives(
    task: tuple[list[Document], list[Query], dict[str, dict[str, int]]], header: bool
) -> None:
    documents, queries, qrels = task
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_task(
            folder, documents=documents, queries=queries, qrels={"test": qrels}, header=header
        )
        found = read_task(folder)
        assert found.documents == documents
        assert found.queries == queries
        assert found.qrels == qrels
        assert found.warnings == []
        if header and (folder / "qrels" / "test.tsv").exists():
            assert read_as_beir(folder / "qrels" / "test.tsv") == qrels
        for form in (".tsv", ".jsonl"):
            (folder / "qrels" / f"test{form}").unlink(missing_ok=True)
        if (folder / "qrels" / "test.trec").exists():
            assert read_task(folder).qrels == qrels


def test_order_and_form_do_not_change_the_content_hash(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    backwards = {query: dict(reversed(grades.items())) for query, grades in QRELS["test"].items()}
    write_task(
        other,
        documents=reversed(DOCUMENTS),
        queries=reversed(QUERIES),
        qrels={"test": dict(reversed(backwards.items())), "train": QRELS["test"]},
    )
    (other / "qrels" / "test.tsv").unlink()
    assert read_task(other).content_hash == read_task(folder).content_hash


@pytest.mark.parametrize(
    "change",
    [
        lambda documents, _, __: documents.append(Document("new", "", "x")),
        lambda documents, _, __: documents.__setitem__(0, Document("d1", "A", "title Some text")),
        lambda _, queries, __: queries.append(Query("q3", "x")),
        lambda _, __, qrels: qrels["test"]["q1"].__setitem__("d1", 2),
        lambda _, __, qrels: qrels["test"]["q1"].pop("NA"),
    ],
)
def test_content_changes_the_content_hash(
    folder: Path, tmp_path: Path, change: Callable[..., object]
) -> None:
    documents, queries = list(DOCUMENTS), list(QUERIES)
    qrels = {"test": {query: dict(grades) for query, grades in QRELS["test"].items()}}
    change(documents, queries, qrels)
    other = tmp_path / "other"
    other.mkdir()
    write_task(other, documents=documents, queries=queries, qrels=qrels)
    assert read_task(other).content_hash != read_task(folder).content_hash


def test_compressed_files(folder: Path) -> None:
    expected = read_task(folder)
    for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
        (folder / name).unlink()
    (folder / "qrels" / "test.jsonl").unlink()
    (folder / "qrels" / "test.trec").unlink()
    assert read_task(folder) == expected


def test_splits(folder: Path) -> None:
    (folder / "qrels" / "dev.tsv").write_text("q1\td1\t1\n", "utf-8")
    assert read_task(folder).split == "test"
    assert read_task(folder, "dev").qrels == {"q1": {"d1": 1}}
    with pytest.raises(EvalsError, match="no split 'train'; there are test, dev"):
        read_task(folder, "train")
    for form in ("tsv", "jsonl", "trec"):
        (folder / "qrels" / f"test.{form}").unlink()
    (folder / "qrels" / "train.trec").write_text("q1 0 d1 1\n", "utf-8")
    task = read_task(folder)
    assert task.split == "train"
    assert task.warnings == [
        "NO TEST SPLIT: the split 'train' was read instead (there: train, dev)"
    ]
    with pytest.raises(EvalsError, match="no split 'test'; there are train, dev"):
        read_task(folder, "test")


def test_qrels_at_the_root(folder: Path) -> None:
    for path in (folder / "qrels").iterdir():
        path.rename(folder / path.name.replace("test", "qrels"))
    task = read_task(folder, "test")
    assert task.qrels == QRELS["test"]
    assert task.warnings == ["qrels.tsv at the root of the folder was read as split test"]


def test_absent_parts_are_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(EvalsError, match="no such task folder"):
        read_task(tmp_path / "nowhere")
    (folder / "queries.jsonl").unlink()
    with pytest.raises(EvalsError, match=r"no queries\.jsonl"):
        read_task(folder)
    for path in (folder / "qrels").iterdir():
        path.unlink()
    with pytest.raises(EvalsError, match="no qrels file"):
        read_task(folder)


def test_writing_needs_an_empty_folder(folder: Path) -> None:
    with pytest.raises(EvalsError, match="empty folder"):
        write_task(folder, documents=DOCUMENTS, queries=QUERIES, qrels=QRELS)


D = Document("d", "", "")
Q = Query("q", "")


@pytest.mark.parametrize(
    ("documents", "queries", "qrels", "message"),
    [
        ([D, Document("e", "", ""), D], [Q], {}, "number 1 and number 3"),
        ([D], [Q, Q], {}, "one query id comes twice"),
        ([Document("", "", "")], [Q], {}, "document id ''"),
        ([Document("a\0", "", "")], [Q], {}, r"U\+0000"),
        ([Document("d\ud800", "", "")], [Q], {}, r"lone surrogate U\+D800"),
        ([Document("d", "", "\udfff")], [Q], {}, r"lone surrogate U\+DFFF"),
        ([Document("d", "", "", {"x": float("nan")})], [Q], {}, "written as JSON"),
        ([Document("d", "", "", {"x": object()})], [Q], {}, "written as JSON"),
        ([Document("d", "", "", {"_id": "e"})], [Q], {}, "metadata field _id"),
        ([D], [Query("q", "\ud800")], {}, r"query 'q' holds the lone surrogate"),
        ([D], [Q], {"test": {"q\ud800": {"d": 1}}}, r"lone surrogate"),
        ([D], [Q], {"test": {"q": {"": 1}}}, "judged document id ''"),
        ([D], [Q], {"test": {"q": {"d": 2.5}}}, "grade 2.5"),
        ([D], [Q], {"../x": {"q": {"d": 1}}}, "split name"),
    ],
)
def test_what_cannot_be_written_is_refused(
    tmp_path: Path, documents: Any, queries: Any, qrels: Any, message: str
) -> None:
    with pytest.raises(EvalsError, match=message):
        write_task(tmp_path, documents=documents, queries=queries, qrels=qrels)
