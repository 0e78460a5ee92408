"""What is kept of embeddings is what would be encoded, and nothing broken is believed."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from evals import embeddings
from evals.embeddings import kept_embeddings
from evals.encoders import ObjectEncoder
from evals.records import Document, Query
from evals.retrievers import DenseRetriever

if TYPE_CHECKING:
    from evals.encoders import Matrix


class Counting:
    """A model whose embeddings are letter counts, and that remembers what it encoded."""

    def __init__(self) -> None:
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str]) -> "Matrix":
        self.encoded += texts
        rows = [[text.count(letter) + 0.5 for letter in "abc"] for text in texts]
        return np.array(rows, dtype=np.float32)


def search(model: Counting, folder: Path, documents: Sequence[Document], key: str = "m") -> object:
    searcher = DenseRetriever(ObjectEncoder(model, key=key), embeddings=folder)
    return searcher.search(documents, [Query("q", "aab")], 10)


def test_documents_are_encoded_once_and_found_alike(tmp_path: Path) -> None:
    documents = [Document(f"d{n}", "", "abc"[n % 3] * (n + 1)) for n in range(7)]
    model = Counting()
    first = search(model, tmp_path, documents)
    assert len(model.encoded) == 8
    assert search(model, tmp_path, documents) == first
    assert model.encoded[8:] == ["aab"]
    unkept = DenseRetriever(ObjectEncoder(Counting())).search(documents, [Query("q", "aab")], 10)
    assert unkept == first


@pytest.mark.parametrize("changed", ["text", "order", "border", "model"])
def test_what_differs_is_encoded_anew(tmp_path: Path, changed: str) -> None:
    first, other = np.zeros((2, 2), np.float32), np.ones((2, 2), np.float32)
    kept_embeddings(tmp_path, "m", ["ab", "c"], lambda: first)
    texts = {"text": ["ab", "dd"], "order": ["c", "ab"], "border": ["a", "bc"]}
    asked = texts.get(changed, ["ab", "c"])
    key = "other" if changed == "model" else "m"
    assert (kept_embeddings(tmp_path, key, asked, lambda: other) == other).all()
    assert len(list(tmp_path.iterdir())) == 2


def test_a_file_cut_short_is_as_good_as_none(tmp_path: Path) -> None:
    matrix = np.ones((3, 2), np.float32)
    for _ in range(2):
        got = kept_embeddings(tmp_path, "m", ["a", "b", "c"], lambda: matrix)
        assert got.tolist() == matrix.tolist()
        (file,) = tmp_path.iterdir()
        file.write_bytes(file.read_bytes()[:-4])


def test_what_was_not_used_for_longest_goes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    matrix = np.ones((100, 2), np.float32)
    monkeypatch.setattr(embeddings, "MOST_BYTES", 2_000)  # two files of 928 bytes
    for key in ("one", "two", "one", "three"):
        kept_embeddings(tmp_path, key, ["text"] * 100, lambda: matrix)
        time.sleep(0.02)  # file times are as coarse as the kernel's clock
    with pytest.raises(ZeroDivisionError):
        kept_embeddings(tmp_path, "two", ["text"] * 100, lambda: 1 / 0)  # type: ignore[arg-type, return-value]
    assert len(kept_embeddings(tmp_path, "one", ["text"] * 100, lambda: 1 / 0)) == 100  # type: ignore[arg-type, return-value]


def test_where_nothing_can_be_written_it_is_encoded(tmp_path: Path) -> None:
    no_folder = tmp_path / "file"
    no_folder.write_text("")
    matrix = np.ones((1, 2), np.float32)
    assert kept_embeddings(no_folder, "m", ["a"], lambda: matrix) is matrix
