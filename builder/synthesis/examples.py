"""Few-shot examples: queries of the team, each with a document that it found relevant.

What experts graded as relevant shows a model how people search here. Queries that a model wrote,
and somebody accepted, come after those of people: else a model would learn from itself.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

from builder.judging.aggregation import settle_pairs
from builder.store import Connection
from builder.store.adjudications import excluded_raters, grades_and_decisions
from builder.store.documents import documents_by_ids
from builder.store.task_rows import active_queries
from builder.synthesis.filters.tokens import count_words
from builder.synthesis.passages import beginning, language_of
from builder.synthesis.prompts import Prompt
from builder.workspace import Workspace

LEAST_GRADE = 2
"""Relevant: of less a query is no example."""
MOST_PAIRS = 500
"""Queries that examples are taken from, chosen by chance."""
EXCERPT = 500
"""Characters of a document that an example shows."""
OWN = ""
"""In place of a query_id: an example of the prompt itself, whose number stands for the doc_id."""
_WORDS_OF_KEYWORDS = 5
_WORDS_TO_TALK = 9

_ASKS = re.compile(
    r"^\W*(?:what|who|whom|whose|which|when|where|why|how|can|does|is|are|wer|wen|wem|welche\w?|wann"
    r"|wo|woher|wohin|womit|warum|wieso|weshalb|wie|was|qui|quoi|quel\w*|quand|pourquoi|comment"
    r"|combien|est-ce|qu|quien\w*|cual\w*|cu\u00e1l\w*|cuando|cu\u00e1ndo|donde|d\u00f3nde|qu\u00e9"
    r"|por\s+qu\u00e9|c\u00f3mo|como|cosa|quale|quando|dove|perch\u00e9|come|wat|waar|waarom|hoe"
    r"|welke?)\b",
    re.IGNORECASE,
)
_MARKED = re.compile(r"[?\uff1f\u061f]\s*$|^\s*\u00bf|(?:\u304b|\u304b\u306a)[\u3002\s]*$")
_TERM = re.compile(r"\w*\d\w*|\b[^\W\d_]*[A-Z][^\W\d_]*[A-Z]\w*")


@dataclass(frozen=True, slots=True)
class TeamPair:
    """A query of the team and a document that it found relevant.

    Attributes:
        query_id: The query.
        doc_id: The document.
        text: What the query says.
        relevant: Every document that was found relevant for it.
        by_people: Whether no model wrote it.
    """

    query_id: str
    doc_id: str
    text: str
    relevant: frozenset[str]
    by_people: bool


class ExamplePool:
    """The team's pairs that can be examples, of one moment.

    Args:
        workspace: Whose grades.
        seed: Of the choice where there are many.
    """

    def __init__(self, workspace: Workspace, seed: int) -> None:
        self._workspace = workspace
        self._seed = seed
        self._languages: dict[str, str] = {}
        self._fitting: dict[tuple[str, str], list[TeamPair]] = {}

    @cached_property
    def pairs(self) -> list[TeamPair]:
        """At most `MOST_PAIRS`, those by people first, in an order of chance."""
        with self._workspace.store.read() as connection:
            return _pairs(connection, self._seed)

    def choose(
        self, prompt: Prompt, doc_id: str, language: str, wanted: int, seed: int
    ) -> tuple[tuple[str, str], ...]:
        """(query_id, doc_id) of the examples for a task: the team's, then those of the prompt.

        None has a query for which the task's document was found relevant, nor two the same
        document; the team's are of the prompt's shape. All are in the task's language, or, where
        nothing is, in English.

        Args:
            prompt: Of the task.
            doc_id: Its document.
            language: Its language, ISO 639-1.
            wanted: How many; fewer come where there are no more.
            seed: Of the task: others are shown to others.
        """
        fitting = self._fit(prompt, language) if wanted else []
        chosen: dict[str, str] = {}
        for pair in _from(fitting, seed):
            if len(chosen) < wanted and doc_id not in pair.relevant:
                chosen.setdefault(pair.doc_id, pair.query_id)
        team = [(query_id, shown) for shown, query_id in chosen.items()]
        own = [(OWN, str(place)) for place in _own(prompt, language, seed, alone=not team)]
        return tuple([*team, *own][:wanted])

    def _fit(self, prompt: Prompt, language: str) -> list[TeamPair]:
        key = (prompt.hash, language)
        if key not in self._fitting:
            shaped = [pair for pair in self.pairs if has_shape(pair.text, prompt.shape)]
            shaped = [pair for pair in shaped if count_words(pair.text) <= prompt.max_words]
            self._fitting[key] = [pair for pair in shaped if self._language(pair) == language]
        return self._fitting[key]

    def _language(self, pair: TeamPair) -> str:
        """Of the document: it tells more than the query."""
        if pair.doc_id not in self._languages:
            own = self._workspace.settings.language
            with self._workspace.store.read() as connection:
                document = documents_by_ids(connection, [pair.doc_id]).get(pair.doc_id)
            self._languages[pair.doc_id] = language_of(document.text, own) if document else own
        return self._languages[pair.doc_id]


def has_shape(query: str, shape: str) -> bool:
    """Whether a query is like those of a prompt of this shape; see `prompts.SHAPES`."""
    return _SHAPES[shape](query)


def excerpt_of(text: str) -> str:
    """What an example shows of a document."""
    return beginning(text, EXCERPT)


def _is_question(query: str) -> bool:
    return bool(_ASKS.search(query) or _MARKED.search(query))


_SHAPES: Mapping[str, Callable[[str], bool]] = {
    "any": lambda query: bool(query.strip()),
    "keyword": lambda query: count_words(query) <= _WORDS_OF_KEYWORDS and not _is_question(query),
    "question": _is_question,
    "technical": lambda query: bool(_TERM.search(query)),
    "conversational": lambda query: count_words(query) >= _WORDS_TO_TALK,
    "none": lambda _: False,
}


def _pairs(connection: Connection, seed: int) -> list[TeamPair]:
    rows = grades_and_decisions(connection)
    relevant: defaultdict[str, list[str]] = defaultdict(list)
    for pair in settle_pairs(rows, excluded=excluded_raters(connection)):
        if pair.grade >= LEAST_GRADE:
            relevant[pair.query_id].append(pair.doc_id)
    queries = [one for one in active_queries(connection) if one.query_id in relevant]
    queries.sort(key=lambda one: (one.source == "synthetic", _draw(seed, one.query_id)))
    return [
        TeamPair(
            query.query_id,
            min(relevant[query.query_id], key=lambda doc_id: _draw(seed, doc_id)),
            query.text,
            frozenset(relevant[query.query_id]),
            query.source != "synthetic",
        )
        for query in queries[:MOST_PAIRS]
    ]


def _from(pairs: Sequence[TeamPair], seed: int) -> Iterator[TeamPair]:
    """All pairs, beginning somewhere; those by people before the others."""
    for by_people in (True, False):
        yield from _turned([pair for pair in pairs if pair.by_people == by_people], seed)


def _turned(pairs: Sequence[TeamPair], seed: int) -> Iterable[TeamPair]:
    start = seed % len(pairs) if pairs else 0
    return [*pairs[start:], *pairs[:start]]


def _own(prompt: Prompt, language: str, seed: int, *, alone: bool) -> list[int]:
    """The prompt's examples in this language; without any, and if they are alone, in English.

    Beside a document in another language they make a model write in their own.
    """
    places = range(len(prompt.examples))
    turned = [(place + seed) % len(places) for place in places]
    found = [place for place in turned if prompt.examples[place].language == language]
    if found or not alone:
        return found
    return [place for place in turned if prompt.examples[place].language == "en"]


def _draw(seed: int, name: str) -> bytes:
    return blake2b(f"{seed}\0{name}".encode(), digest_size=8).digest()
