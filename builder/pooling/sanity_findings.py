"""What is odd about a corpus, in sentences with their numbers."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from builder.pooling.near_copies import LEAST
from builder.pooling.sanity_facts import Copies, Facts
from online.listed import ListedDocuments

SMALLEST = 1000
"""With fewer documents nearly any search finds what is relevant."""

DISTRACTORS = 10
"""So many other documents each relevant one wants."""

RARE = 0.01
"""Documents of the log that the corpus lacks, of all: from here on they are a warning."""

DENSER = 2
"""So many times as frequent as in production relevant documents may be."""

Level = Literal["warning", "advice"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is odd about the corpus.

    Attributes:
        code: A short word of ours: small_corpus, few_distractors, no_relevant_yet,
            duplicate_relevant, near_duplicate_relevant, empty_text, log_documents_missing,
            denser_than_production.
        what: What it is, with its numbers.
        where: "corpus" or "search log".
        why: Why it matters.
        fix: What to do.
        ids: A few of the documents; untrusted.
        of: Of copies: which document each of `ids` repeats; untrusted.
        count: How many documents it is about.
        level: warning or advice.
    """

    code: str
    what: str
    where: str
    why: str
    fix: str
    ids: tuple[str, ...] = ()
    of: tuple[str, ...] = ()
    count: int = 0
    level: Level = "warning"

    def as_json(self) -> dict[str, Any]:
        """As `check` prints findings; with of, count and level."""
        return {
            "code": self.code,
            "what": self.what,
            "where": self.where,
            "why": self.why,
            "fix": self.fix,
            "ids": list(self.ids),
            "of": list(self.of),
            "count": self.count,
            "level": self.level,
        }

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> "Finding":
        """The finding that `as_json` told."""
        return cls(**{**told, "ids": tuple(told["ids"]), "of": tuple(told["of"])})


def findings(facts: Facts) -> list[Finding]:
    """What is to be said of what was counted, warnings first; [] where nothing is odd."""
    found = [*_of_corpus(facts), *_of_log(facts)]
    return sorted(found, key=lambda finding: finding.level != "warning")


def _of_corpus(facts: Facts) -> Iterator[Finding]:
    if facts.documents < SMALLEST:
        yield _small(facts)
    if not facts.relevant:
        yield _no_relevant(facts)
    elif facts.documents - facts.relevant < DISTRACTORS * facts.relevant:
        yield _few_distractors(facts)
    if facts.equal.copies:
        yield _copies(facts, facts.equal, equal=True)
    if facts.near.copies:
        yield _copies(facts, facts.near, equal=False)
    if facts.empty:
        yield _empty(facts)


def _of_log(facts: Facts) -> Iterator[Finding]:
    if facts.log is None:
        return
    if facts.log.missing:
        yield _missing(facts.log)
    if facts.log.at_least > DENSER * facts.documents > 0:
        yield _denser(facts, facts.log)


def _small(facts: Facts) -> Finding:
    return Finding(
        "small_corpus",
        f"The corpus has {_n(facts.documents, 'document')}; it should have at least {SMALLEST:,}.",
        "corpus",
        "Among so few documents any model finds the relevant ones: scores are high, and models "
        "look alike.",
        "Import the documents that your search really searches, or a large sample of them.",
        count=facts.documents,
    )


def _no_relevant(facts: Facts) -> Finding:
    clicks = "" if facts.log is None else ", and clicks tell of none"
    return Finding(
        "no_relevant_yet",
        f"No document is graded relevant yet{clicks}, so distractors and copies cannot be counted.",
        "corpus",
        "Whether a corpus is large and clean enough depends on what is relevant in it.",
        "Grade some pairs, or import judgments; then look again.",
        level="advice",
    )


def _few_distractors(facts: Facts) -> Finding:
    others = facts.documents - facts.relevant
    are = "is" if facts.relevant == 1 else "are"
    return Finding(
        "few_distractors",
        f"{facts.relevant:,} of {_n(facts.documents, 'document')} {are} relevant to some "
        f"query{_by_clicks(facts)}: {others / facts.relevant:.1f} others for each. At least "
        f"{DISTRACTORS} are wanted.",
        "corpus",
        "Where much of the corpus is relevant, even a model that ranks by chance scores well.",
        "Add documents of the same kind that no query asks for.",
        count=facts.relevant,
    )


def _copies(facts: Facts, copies: Copies, *, equal: bool) -> Finding:
    how = "exactly" if equal else "nearly"
    alike = "" if equal else f" (at least {LEAST:.0%} of their three-word sequences are the same)"
    one = copies.copies == 1
    return Finding(
        "duplicate_relevant" if equal else "near_duplicate_relevant",
        f"{_n(copies.copies, 'document')} {'says' if one else 'say'} {how} what "
        f"{_n(len(copies.of), 'relevant document')}{_by_clicks(facts)} "
        f"{'says' if len(copies.of) == 1 else 'say'}{alike}, and "
        f"{'is' if one else 'are'} not relevant to the same queries.{_compared(facts)}",
        "corpus",
        "A model that finds the copy instead is scored as if it had found nothing.",
        "Remove the copies from the corpus, or have them graded for the same queries.",
        ids=tuple(doc_id for doc_id, _, _ in copies.examples),
        of=tuple(original for _, original, _ in copies.examples),
        count=copies.copies,
    )


def _empty(facts: Facts) -> Finding:
    return Finding(
        "empty_text",
        f"{_n(facts.empty, 'document')} {'has' if facts.empty == 1 else 'have'} no word in title "
        "and text.",
        "corpus",
        "No search by words finds them, and an encoder gives them a place among the others all "
        "the same.",
        "Import them again with their text, or leave them out.",
        ids=tuple(facts.empty_ids),
        count=facts.empty,
    )


def _missing(log: ListedDocuments) -> Finding:
    share = log.missing / log.documents
    are = "It is" if log.missing == 1 else "They are"
    return Finding(
        "log_documents_missing",
        f"The log tells of {_n(log.documents, 'document')}; the corpus lacks {log.missing:,} of "
        f"them ({share:.1%}). {are} {log.missing_times:,} of the {log.times:,} that searches list "
        "or that were clicked there, each once a search.",
        "search log",
        "What users saw can be neither judged nor found here, and clicks on it are lost.",
        "Import these documents. If all are lacking, see whether log and corpus write ids alike.",
        ids=log.examples,
        count=log.missing,
        level="warning" if share >= RARE else "advice",
    )


def _denser(facts: Facts, log: ListedDocuments) -> Finding:
    source = "different documents in its results"
    if log.most_hits is not None and log.most_hits >= log.documents:
        source = "the most hits of one search"
    times = log.at_least / facts.documents
    share = ""
    if facts.relevant:
        share = (
            f" Here {facts.relevant / facts.documents:.2%} of all are relevant"
            f"{_by_clicks(facts)}; there it would be {facts.relevant / log.at_least:.2%} or less."
        )
    return Finding(
        "denser_than_production",
        f"The corpus has {_n(facts.documents, 'document')}; the log tells of a production with at "
        f"least {log.at_least:,} ({source}), {times:.1f} times as many.{share}",
        "search log",
        "The fewer other documents there are, the easier the relevant ones are found: scores here "
        "are higher than in production.",
        "Add documents of production, relevant or not, or compare models with each other only.",
        count=log.at_least,
        level="advice",
    )


def _by_clicks(facts: Facts) -> str:
    return " (by clicks; nobody has graded one yet)" if facts.by_clicks else ""


def _compared(facts: Facts) -> str:
    if facts.compared == facts.relevant:
        return ""
    return f" Of {facts.relevant:,} relevant ones only {facts.compared:,} were looked for."


def _n(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
