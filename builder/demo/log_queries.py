"""What else people look for: queries that nobody graded, made of the corpus, the log's long tail.

A real log holds far more queries than anybody graded, some with what its users should not have
typed. What these are about is known, for they are made of names of documents: the simulated user
likes the document that was meant, and a little what belongs to it. None of that is a grade.
"""

import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from evals.records import Document, Qrels, Query

MEANT, RELATED = 2, 1
"""How a user likes the document that is meant, and what belongs to it, as grades."""

MOST_PARTS = 3
"""Of a dotted name; people seldom type more."""

PHRASES = (
    "{name}",
    "{name}",
    "{words}",
    "{words}",
    "python {last}",
    "{last} {module}",
    "{name} example",
    "{name} arguments",
    "how to use {name}",
    "what does {name} return",
    "{module} {last} not working",
)

IN_OTHER_LANGUAGES = (
    "datei zeilenweise lesen",
    "wörterbuch nach wert sortieren",
    "lire un fichier csv",
    "comment trier une liste",
    "fecha y hora actual",
    "leer archivo línea por línea",
    "文字列を分割する",
    "قراءة ملف",
)

WITH_PERSONAL_DATA = (
    "why does re not match jane.doe@example.org",
    "smtplib send to max.mustermann@example.org",
    "parse address Ada <ada@example.org>",
    "mailbox find anna.k@example.org",
    "check card number 4111 1111 1111 1111",
    "luhn 5555555555554444",
    "is 4242 4242 4242 4242 valid",
    "format iban DE89 3704 0044 0532 0130 00",
    "split +1 202-555-0143 into parts",
)
"""Addresses of a domain that nobody can own (RFC 2606), numbers that card companies publish for
tests, the example of the IBAN registry, and a telephone number that is kept for fiction."""


class MoreQueries(NamedTuple):
    """Queries that nobody graded.

    Attributes:
        queries: Each with an id of its own; the order is that of popularity.
        likes: What who searches for them likes, as qrels: for the simulation alone.
    """

    queries: list[Query]
    likes: Qrels


def more_queries(
    documents: Sequence[Document], known: Iterable[Query], n: int, seed: int
) -> MoreQueries:
    """So many queries about documents, some in other languages, and seldom some with personal data.

    Args:
        documents: The corpus; the order does not matter.
        known: Queries that are there already; none is made a second time.
        n: How many to make of names, at most.
        seed: The same seed makes the same queries of the same corpus.
    """
    rng = random.Random(seed)
    made = {_folded(query.text) for query in known}
    about: dict[str, Document] = {}
    for document in _asked_about(documents, rng):
        if len(about) == n:
            break
        text = _phrase(document, rng)
        if _folded(text) not in made:
            made.add(_folded(text))
            about[text] = document
    texts = [*about, *IN_OTHER_LANGUAGES]
    rng.shuffle(texts)
    texts += WITH_PERSONAL_DATA
    queries = [Query(f"x{number:04d}", text) for number, text in enumerate(texts, start=1)]
    relatives = _Relatives(documents)
    meant = ((query, about.get(query.text)) for query in queries)
    likes = {query.query_id: relatives.liked(target) for query, target in meant if target}
    return MoreQueries(queries, likes)


class _Relatives:
    """Which documents belong together: by their last name, or one to the other."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._by_last: dict[str, list[str]] = {}
        self._ids: set[str] = set()
        for document in documents:
            self._ids.add(document.doc_id)
            self._by_last.setdefault(_last(document), []).append(document.doc_id)

    def liked(self, target: Document) -> dict[str, int]:
        """doc_id -> how it is liked by who looks for `target`."""
        owner = target.doc_id.rpartition(".")[0]
        related = [*self._by_last[_last(target)], *({owner} & self._ids)]
        return {**dict.fromkeys(sorted(related), RELATED), target.doc_id: MEANT}


def _asked_about(documents: Sequence[Document], rng: random.Random) -> list[Document]:
    """Documents with names that people type, in an order of chance."""
    typed = sorted(
        (document for document in documents if document.doc_id.count(".") < MOST_PARTS),
        key=lambda document: document.doc_id,
    )
    rng.shuffle(typed)
    return typed


def _phrase(document: Document, rng: random.Random) -> str:
    """One of the ways in which somebody may ask for it."""
    name = document.doc_id
    return rng.choice(PHRASES).format(
        name=name,
        words=" ".join(name.replace("_", " ").split(".")),
        last=_last(document),
        module=name.partition(".")[0],
    )


def _last(document: Document) -> str:
    return document.doc_id.rpartition(".")[2]


def _folded(text: str) -> str:
    """Only to tell whether a text was made before: those made here are plain."""
    return " ".join(text.lower().split())
