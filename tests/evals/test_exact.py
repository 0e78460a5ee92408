"""Exact search against brute force, with ties on purpose."""

from typing import Any, get_args

import numpy as np
import pytest

from evals import exact
from evals.encoders import Similarity
from evals.exact import ExactIndex

SIMILARITIES = get_args(Similarity)


def brute_force(similarity: str, queries: Any, documents: Any) -> Any:
    """Scores of all pairs, shape (queries, documents)."""
    if similarity == "euclidean":
        return -np.linalg.norm(queries[:, None] - documents[None], axis=2)
    if similarity == "manhattan":
        return -np.abs(queries[:, None] - documents[None]).sum(axis=2)
    if similarity == "cosine":
        queries = queries / np.linalg.norm(queries, axis=1, keepdims=True)
        documents = documents / np.linalg.norm(documents, axis=1, keepdims=True)
    return queries @ documents.T


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_finds_what_brute_force_finds(
    similarity: Similarity, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact, "QUERY_BLOCK", 128)
    random = np.random.default_rng(1)
    documents = random.normal(size=(700, 16)).astype(np.float32)
    queries = random.normal(size=(300, 16)).astype(np.float32)
    index = ExactIndex(similarity, 16)
    index.add(documents[:500])
    index.add(documents[500:])
    assert len(index) == 700
    expected = brute_force(similarity, queries, documents)
    for row, (scores, places) in enumerate(index.search(queries, 20)):
        assert len(scores) == 20
        assert (np.diff(scores) <= 0).all()
        assert scores == pytest.approx(expected[row][places], abs=1e-4)
        assert scores == pytest.approx(np.sort(expected[row])[::-1][:20], abs=1e-4)


@pytest.mark.parametrize("similarity", ["dot", "euclidean", "manhattan"])
@pytest.mark.parametrize("depth", [1, 7, 100])
def test_ties_go_to_the_first_position(similarity: Similarity, depth: int) -> None:
    # small whole numbers: all arithmetic is exact, most scores are shared by many documents
    random = np.random.default_rng(2)
    documents = random.integers(0, 3, size=(2000, 2)).astype(np.float32)
    queries = random.integers(0, 3, size=(40, 2)).astype(np.float32)
    index = ExactIndex(similarity, 2)
    index.add(documents)
    expected = brute_force(similarity, queries, documents)
    for row, (_, places) in enumerate(index.search(queries, depth)):
        order = np.argsort(-expected[row], kind="stable")[:depth]
        assert places.tolist() == order.tolist()


def test_nothing_is_made_up_beyond_the_corpus() -> None:
    index = ExactIndex("cosine", 3)
    index.add(np.eye(3, dtype=np.float32))
    ((scores, places),) = index.search(np.ones((1, 3), np.float32), 1000)
    assert places.tolist() == [0, 1, 2]
    assert len(scores) == 3


def test_a_zero_vector_is_similar_to_nothing() -> None:
    index = ExactIndex("cosine", 2)
    index.add(np.array([[0, 0], [1, 0]], np.float32))
    ((scores, places),) = index.search(np.array([[2, 0]], np.float32), 2)
    assert (places.tolist(), scores.tolist()) == ([1, 0], [1.0, 0.0])
