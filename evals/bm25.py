"""BM25, the lexical baseline, by bm25s.

Words are runs of letters, digits, marks and underscores of any script, after NFKC and case
folding; no stop words and no stemming, which differ from language to language. Scripts without
blanks between words give long runs that seldom match.
"""

import json
import re
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evals.records import Document, Progress, Query, Run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K1 = 1.5
B = 0.75
WORDS_VERSION = 1
"""Goes up whenever `words` cuts texts differently: older results are then not reused."""
REPORT_EVERY = 2000
_ASCII_WORD = re.compile(r"\w+", re.ASCII)
_WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    """The words of a text of any language, normalised and case folded."""
    if text.isascii():  # the same words in a tenth of the time
        return _ASCII_WORD.findall(text.lower())
    said = unicodedata.normalize("NFKC", text).casefold()
    # Without marks the same words in a tenth of the time, too; NFKC leaves few of them in Latin.
    return (_WORD if _marks().isdisjoint(said) else _word_pattern()).findall(said)


@dataclass
class BM25Retriever:
    """score(q, d) = sum over words t of q: idf(t) tf / (tf + k1 (1 - b + b |d| / avgdl)).

    idf(t) = ln(1 + (N - df + .5) / (df + .5)), never negative: Lucene's variant of Robertson et
    al. (1994), Okapi at TREC-3. k1 = 1.5, b = .75 are bm25s's own; they are tuned to no task.
    """

    name: str = "bm25"
    notes: list[str] = field(default_factory=list)

    @property
    def key(self) -> str:
        """Library, parameters and the way texts are cut, as JSON."""
        library = f"bm25s {version('bm25s')}"
        return json.dumps(
            {"model": "bm25", "revision": library, "k1": K1, "b": B, "words": WORDS_VERSION}
        )

    def search(
        self,
        documents: Sequence[Document],
        queries: Sequence[Query],
        depth: int,
        progress: Progress | None = None,
    ) -> Run:
        """The best documents of each query; none that shares no word with it."""
        # Descending doc_ids: among equal scores the first position is the first in trec_eval.
        ordered = sorted(documents, key=lambda document: document.doc_id, reverse=True)
        doc_ids = [document.doc_id for document in ordered]
        index = BM25Index((document.encoder_text for document in ordered), len(ordered), progress)
        run = {}
        for done, query in enumerate(queries, start=1):
            scores, places = index.best(words(query.text), depth)
            found = (doc_ids[place] for place in places.tolist())
            run[query.query_id] = dict(zip(found, scores.tolist(), strict=True))
            if progress and (done % REPORT_EVERY == 0 or done == len(queries)):
                progress("searching", done, len(queries))
        empty = sum(not found for found in run.values())
        self.notes = [f"{empty} queries share no word with any document"] if empty else []
        return run


class BM25Index:
    """The words of all documents, scored in advance; reading it from several threads is safe."""

    def __init__(self, texts: Iterable[str], count: int, progress: Progress | None = None) -> None:
        import bm25s

        self.vocabulary: dict[str, int] = {}
        number = self.vocabulary.setdefault
        corpus = []
        for done, text in enumerate(texts, start=1):
            corpus.append([number(word, len(self.vocabulary)) for word in words(text)])
            if progress and (done % REPORT_EVERY == 0 or done == count):
                progress("indexing", done, count)
        self._bm25: Any = bm25s.BM25(k1=K1, b=B, method="lucene")
        if self.vocabulary:  # else every document is empty, and nothing can be found
            self._bm25.index(
                (corpus, self.vocabulary), create_empty_token=False, show_progress=False
            )

    def save(self, folder: Path) -> None:
        """Write the index into an empty folder."""
        if self.vocabulary:
            self._bm25.save(folder, show_progress=False)

    @classmethod
    def load(cls, folder: Path) -> "BM25Index":
        """An index that was saved; its numbers stay on disk until a search needs them.

        Raises:
            OSError: A file is absent or cannot be read.
            ValueError: A file is not whole.
        """
        import bm25s

        index = cls((), 0)
        index._bm25 = bm25s.BM25.load(folder, mmap=True, show_progress=False)
        index.vocabulary = index._bm25.vocab_dict
        return index

    def best(
        self, query: Sequence[str], depth: int, *, last_first: bool = False
    ) -> "tuple[NDArray[np.float32], NDArray[np.int64]]":
        """Scores, descending, and positions; ties by position ascending, or the last first."""
        import numpy as np

        known = [self.vocabulary[word] for word in query if word in self.vocabulary]
        if not known:
            return np.empty(0, np.float32), np.empty(0, np.int64)
        scores = self._bm25.get_scores_from_ids(known)
        places = np.flatnonzero(scores > 0)
        if len(places) > depth:
            least = np.partition(scores[places], -depth)[-depth]
            places = places[scores[places] >= least]
        if last_first:
            places = places[::-1]
        order = np.argsort(-scores[places], kind="stable")[:depth]
        return scores[places[order]], places[order]


@lru_cache(maxsize=1)
def _word_pattern() -> re.Pattern[str]:
    r"""`\w+` with combining marks: without them Hindi, Thai or vowelled Arabic fall to pieces."""
    return re.compile(rf"[\w{''.join(sorted(_marks()))}]+")


@lru_cache(maxsize=1)
def _marks() -> frozenset[str]:
    codes = range(0x300, sys.maxunicode + 1)
    return frozenset(chr(code) for code in codes if unicodedata.category(chr(code))[0] == "M")
