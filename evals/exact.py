"""Exact nearest neighbours by FAISS, in an order that does not depend on FAISS."""

from typing import TYPE_CHECKING, Any

from evals.encoders import Similarity

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from evals.encoders import Matrix

    Ranking = tuple[NDArray[np.float32], NDArray[np.int64]]

SLACK = 32
"""Fetched beyond the depth, so that ties at the end of the ranking are seen."""
QUERY_BLOCK = 4096
"""Queries searched at once: below 128,000 numbers FAISS goes one by one, ten times slower."""


class ExactIndex:
    """Documents by position; the best are found exactly, ties by position ascending.

    Args:
        similarity: cosine (vectors are normalised), dot, euclidean (score: minus the distance) or
            manhattan (likewise), as sentence-transformers scores them.
        dimensions: Length of the vectors.
    """

    def __init__(self, similarity: Similarity, dimensions: int) -> None:
        import faiss

        metrics = {"euclidean": faiss.METRIC_L2, "manhattan": faiss.METRIC_L1}
        metric = metrics.get(similarity, faiss.METRIC_INNER_PRODUCT)
        self.similarity = similarity
        self._index: Any = faiss.IndexFlat(dimensions, metric)

    def __len__(self) -> int:
        return int(self._index.ntotal)

    def add(self, vectors: "Matrix") -> None:
        """Appends vectors; their positions go on where the last ended."""
        self._index.add(self._prepared(vectors))

    def search(self, vectors: "Matrix", depth: int) -> "Iterator[Ranking]":
        """For each vector the scores, descending, and positions of the best `depth` documents."""
        prepared = self._prepared(vectors)
        for start in range(0, len(prepared), QUERY_BLOCK):
            block = prepared[start : start + QUERY_BLOCK]
            fetched = min(depth + SLACK, len(self))
            for row, ranking in enumerate(self._fetch(block, fetched)):
                found = ranking
                if fetched < len(self) and ranking[0][depth - 1] == ranking[0][-1]:
                    # The tie at the end may go on beyond what was fetched: look at all.
                    found = self._fetch(block[row : row + 1], len(self))[0]
                yield found[0][:depth], found[1][:depth]

    def _fetch(self, block: "Matrix", count: int) -> "list[Ranking]":
        distances, places = self._index.search(block, count)
        scores = self._scores(distances)
        # FAISS sorts by score already; only rows with ties or holes (position -1) need more.
        plain = (scores[:, 1:] < scores[:, :-1]).all(axis=1) & (places >= 0).all(axis=1)
        return [
            (scores[row], places[row]) if plain[row] else self._ordered(scores[row], places[row])
            for row in range(len(block))
        ]

    def _scores(self, distances: "Matrix") -> "Matrix":
        import numpy as np

        if self.similarity == "euclidean":  # FAISS gives the square
            roots: Matrix = np.sqrt(np.maximum(distances, 0))
            return -roots
        return -distances if self.similarity == "manhattan" else distances

    @staticmethod
    def _ordered(scores: "NDArray[np.float32]", places: "NDArray[np.int64]") -> "Ranking":
        import numpy as np

        there = places >= 0
        order = np.lexsort((places[there], -scores[there]))
        return scores[there][order], places[there][order]

    def _prepared(self, vectors: "Matrix") -> "Matrix":
        if self.similarity != "cosine":
            return vectors
        import numpy as np

        # As torch.nn.functional.normalize: a zero vector stays zero and scores 0.
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        normalised: Matrix = vectors / np.maximum(norms, np.float32(1e-12))
        return normalised
