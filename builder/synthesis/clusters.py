"""Parts of the corpus that are alike: k-means on embeddings of its documents."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from builder.store.documents import count_documents
from builder.store.synthesis_sources import texts_downwards
from builder.workspace import Workspace
from evals.embeddings import FOLDER
from evals.encoders import MINILM, encoder
from evals.records import Document, Progress
from evals.retrievers import DenseRetriever

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]
    Numbers = npt.NDArray[np.int64]

MODEL = MINILM
"""The encoder; what it encoded for a search is read again."""
MOST_CLUSTERS = 256
FEWEST_DOCUMENTS = 2
"""In a cluster, on average."""
_ROUNDS = 12
_POINTS_A_CLUSTER = 128
"""Of more documents a sample decides where the clusters lie."""


def number_of_clusters(wanted: int, documents: int) -> int:
    """The greatest power of two that is no more than the documents wanted.

    Powers of two, so that a few more documents are mostly chosen from the same clusters.

    Args:
        wanted: Documents that shall be chosen.
        documents: That there are; on average `FEWEST_DOCUMENTS` or more are in a cluster.
    """
    most = max(1, min(wanted, documents // FEWEST_DOCUMENTS, MOST_CLUSTERS))
    return 1 << (most.bit_length() - 1)


def embeddings_of(
    workspace: Workspace, wanted: Callable[[str], bool], progress: Progress | None = None
) -> "Vectors":
    """The embeddings of the documents that are wanted, by descending doc_id, of length 1.

    What no search has had encoded is encoded now, and kept.

    Args:
        workspace: Whose corpus.
        wanted: Whether a document, by doc_id, is.
        progress: Hears how far it is; may raise to stop.

    Raises:
        EvalsError: The encoder cannot be loaded.
    """
    import numpy as np

    searcher = DenseRetriever(encoder(MODEL), embeddings=workspace.cache_folder / FOLDER)
    ids: list[str] = []

    def noted(documents: Iterator[Document]) -> Iterator[Document]:
        for document in documents:
            ids.append(document.doc_id)
            yield document

    parts = []
    with workspace.store.read() as connection:
        texts, total = noted(texts_downwards(connection)), count_documents(connection)
        for matrix in searcher.embed(texts, total, progress):
            rows = [row for row, doc_id in enumerate(ids) if wanted(doc_id)]
            parts.append(_normalised(matrix[rows]))
            ids.clear()  # the next chunk's are noted before its embeddings come
    return np.concatenate(parts) if parts else np.empty((0, 0), dtype=np.float32)


def cluster(vectors: "Vectors", k: int, seed: int) -> tuple["Numbers", "Numbers"]:
    """Parts vectors into k clusters: the cluster of each, and the vector nearest to each's centre.

    Spherical k-means by faiss, deterministic for a seed. Fewer clusters come back where some stay
    empty; the largest is the first.

    Args:
        vectors: Of length 1.
        k: At least 1 and at most as many as there are vectors.
        seed: Of the first centres.
    """
    import faiss
    import numpy as np

    means: Any = faiss.Kmeans(
        vectors.shape[1],
        k,
        niter=_ROUNDS,
        seed=seed & 0x7FFFFFFF,
        spherical=True,
        min_points_per_centroid=1,
        max_points_per_centroid=_POINTS_A_CLUSTER,
    )
    means.train(vectors)
    scores, codes = means.index.search(vectors, 1)
    scores, codes = scores[:, 0], codes[:, 0].astype(np.int64)
    sizes = np.bincount(codes, minlength=k)
    order = np.argsort(-sizes, kind="stable")
    order = order[sizes[order] > 0]
    place = np.empty(k, dtype=np.int64)
    place[order] = np.arange(len(order))
    nearest = np.lexsort((-scores, place[codes]))
    starts = np.cumsum(sizes[order]) - sizes[order]
    return place[codes], nearest[starts]


def _normalised(vectors: "Vectors") -> "Vectors":
    import numpy as np

    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    normalised: Vectors = vectors / np.maximum(norms, np.float32(1e-12))
    return normalised
