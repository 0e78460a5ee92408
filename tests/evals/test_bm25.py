"""BM25: the formula, words of any script, and nothing arbitrary."""

import math
import re
import sys
import unicodedata
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.bm25 import BM25Retriever, words
from evals.evaluate import evaluate
from evals.measures import score
from evals.records import Document, Query
from evals.taskfolder import Task


def search(texts: dict[str, str], query: str, depth: int = 1000) -> dict[str, float]:
    documents = [Document(doc_id, "", text) for doc_id, text in texts.items()]
    return dict(BM25Retriever().search(documents, [Query("q", query)], depth)["q"])


def test_the_formula() -> None:
    # N = 3, df(cat) = 2, avgdl = (1 + 3 + 2) / 3 = 2; idf = ln(1 + 1.5 / 2.5)
    found = search({"a": "cat", "b": "cat cat dog", "c": "bird song"}, "cat")
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    assert found == {
        "b": pytest.approx(idf * 2 / (2 + 1.5 * (1 - 0.75 + 0.75 * 3 / 2)), rel=1e-6),
        "a": pytest.approx(idf * 1 / (1 + 1.5 * (1 - 0.75 + 0.75 * 1 / 2)), rel=1e-6),
    }


@pytest.mark.parametrize("query", ["", "   ", "?!", "unheard of"])
def test_a_query_without_known_words_finds_nothing(query: str) -> None:
    assert search({"a": "cat", "b": "dog"}, query) == {}


def test_queries_without_known_words_are_counted() -> None:
    lexical = BM25Retriever()
    lexical.search([Document("a", "", "cat")], [Query("q", "dog"), Query("r", "cat")], 10)
    assert lexical.notes == ["1 queries share no word with any document"]
    lexical.search([Document("a", "", "cat")], [Query("r", "cat")], 10)
    assert lexical.notes == []


def test_one_document_and_no_words_at_all() -> None:
    assert set(search({"a": "cat"}, "cat")) == {"a"}
    assert search({"a": "", "b": "!"}, "cat") == {}
    assert BM25Retriever().search([], [Query("q", "cat")], 10) == {"q": {}}


def test_two_documents_one_relevant() -> None:
    documents = [Document("d1", "", "the cat sat"), Document("d2", "", "the dog ran")]
    run = BM25Retriever().search(documents, [Query("q1", "cat")], 1000)
    means = score({"q1": {"d1": 3, "d2": 0}}, run).means
    for measure in ("ndcg_at_10", "mrr", "recall_at_10"):
        assert means[measure].value == 1.0


def test_ties_at_the_depth_go_to_the_greater_doc_id() -> None:
    texts = {f"d{number:03}": "cat" for number in range(50)} | {"x": "dog"}
    assert list(search(texts, "cat", depth=3)) == ["d049", "d048", "d047"]


def test_the_order_of_documents_changes_nothing(builtins_task: Task) -> None:
    documents, queries = builtins_task.documents, builtins_task.queries
    forwards = BM25Retriever().search(documents, queries, 10)
    backwards = BM25Retriever().search(documents[::-1], queries, 10)
    assert forwards == backwards
    assert [list(found) for found in forwards.values()] == [
        list(found) for found in backwards.values()
    ]


def test_titles_are_searched() -> None:
    run = BM25Retriever().search([Document("a", "cat", "dog")], [Query("q", "cat")], 10)
    assert set(run["q"]) == {"a"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The CAT, the dog's tail", ["the", "cat", "the", "dog", "s", "tail"]),
        ("STRASSE Straße", ["strasse", "strasse"]),
        ("cafe\u0301 café ﬁne", ["café", "café", "fine"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("Привет, мир", ["привет", "мир"]),
        ("مَرْحَبًا", ["مَرْحَبًا"]),
        ("snake_case os.path.join", ["snake_case", "os", "path", "join"]),
        ("東京タワー", ["東京タワー"]),
        ("😀 1.5", ["1", "5"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@given(st.text(st.characters(max_codepoint=127)))
def test_plain_ascii_gives_the_words_that_it_gives_beside_other_letters(text: str) -> None:
    assert [*words(text), "é"] == words(f"{text} é")


@cache
def one_pattern_for_all() -> re.Pattern[str]:
    marks = (c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c)[0] == "M")
    return re.compile(rf"[\w{''.join(marks)}]+")


@settings(deadline=None)  # the first text waits for the pattern
@given(
    st.text(st.characters() | st.characters(categories=["Mn", "Mc", "Me"]))
    | st.text(st.sampled_from("aZ_ 1-éeßﬁ½Ⅳİ\u0301\u0345\u20dd\u200dกำहिあが\uff9eㅎ٣\U000e0100"))
)
def test_the_short_way_without_marks_gives_the_words_of_the_long_one(text: str) -> None:
    normalised = unicodedata.normalize("NFKC", text).casefold()
    assert words(text) == one_pattern_for_all().findall(normalised)


def test_progress_is_reported_and_may_cancel(builtins_task: Task) -> None:
    class CancelledError(Exception):
        pass

    heard: list[tuple[str, int, int | None]] = []
    evaluate(builtins_task, BM25Retriever(), progress=lambda *said: heard.append(said))
    n, corpus = len(builtins_task.queries), len(builtins_task.documents)
    assert heard == [("indexing", corpus, corpus), ("searching", n, n)]

    def cancel(what: str, done: int, total: int | None) -> None:
        raise CancelledError(f"{what} {done}/{total}")

    with pytest.raises(CancelledError):
        evaluate(builtins_task, BM25Retriever(), progress=cancel)


def test_it_finds_builtins(builtins_task: Task) -> None:
    result = evaluate(builtins_task, BM25Retriever())
    ndcg = result.metrics["ndcg_at_10"]
    assert ndcg is not None
    assert ndcg > 0.5
