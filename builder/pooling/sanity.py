"""Whether the corpus is fit to be judged: large enough, without copies and empty texts."""

from dataclasses import dataclass
from typing import Any, Literal

from builder.workspace import Workspace
from evals.records import Progress

Level = Literal["warning", "advice"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is odd about the corpus.

    Attributes:
        code: A short word of ours: small_corpus, few_distractors, no_relevant_yet,
            duplicate_relevant, near_duplicate_relevant, empty_text, log_documents_missing,
            larger_production.
        what: What it is, with its numbers.
        where: Where: "corpus", or "search log".
        why: Why it matters.
        fix: What to do.
        ids: A few of the documents; untrusted.
        count: How many there are.
        level: warning or advice.
    """

    code: str
    what: str
    where: str
    why: str
    fix: str
    ids: tuple[str, ...] = ()
    count: int = 0
    level: Level = "warning"

    def as_json(self) -> dict[str, Any]:
        """As `check` prints findings; with count and level."""
        return {
            "code": self.code,
            "what": self.what,
            "where": self.where,
            "why": self.why,
            "fix": self.fix,
            "ids": list(self.ids),
            "count": self.count,
            "level": self.level,
        }


def corpus_sanity(workspace: Workspace, progress: Progress | None = None) -> list[Finding]:
    """What is odd about the corpus, warnings first; kept by the state of corpus, grades and log.

    Args:
        workspace: Whose corpus.
        progress: Hears how far it is; may raise to stop.
    """
    raise NotImplementedError


def kept_sanity(workspace: Workspace) -> list[Finding] | None:
    """What was found for the corpus, grades and log as they are now; None: not looked at yet."""
    raise NotImplementedError
