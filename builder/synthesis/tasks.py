"""What is asked of a language model: one task for each passage and prompt."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from builder.synthesis.prompts import Prompt
from builder.workspace import Workspace
from evals.records import Progress

if TYPE_CHECKING:
    from builder.synthesis.plan import SynthPlan


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """One task.

    Attributes:
        position: Its place in the run, from 0; the first tasks cover the corpus, too.
        doc_id: The document.
        first_character: Where the passage begins in the document's text.
        last_character: The character after its last.
        prompt: The prompt's name.
        prompt_hash: Of the prompt as it was.
        language: ISO 639-1 code of the language in which queries are asked for.
        stratum: Which part of the corpus the document stands for.
        seed: For the model, from 0 below 2^31.
        examples: (query_id, doc_id) of the team's pairs that are shown; ("", "2") is the third
            example of the prompt itself.
        request_hash: SHA-256 of all that the answer may depend on.
    """

    position: int
    doc_id: str
    first_character: int
    last_character: int
    prompt: str
    prompt_hash: str
    language: str
    stratum: str
    seed: int
    examples: tuple[tuple[str, str], ...]
    request_hash: str


@dataclass(frozen=True, slots=True)
class Tasks:
    """What a plan comes to.

    Attributes:
        specs: The tasks, by position.
        skipped: Reason -> documents that nothing can be asked of: empty, too_short.
        strata: {"stratum", "documents" (that can be asked of), "chosen"} of each.
        warnings: Sentences.
    """

    specs: tuple[TaskSpec, ...]
    skipped: dict[str, int]
    strata: tuple[dict[str, Any], ...]
    warnings: tuple[str, ...]


def make_tasks(workspace: Workspace, plan: "SynthPlan", progress: Progress | None = None) -> Tasks:
    """What this plan asks for on the corpus as it is; the same plan and corpus, the same tasks.

    Args:
        workspace: Whose corpus, prompts and grades.
        plan: What is asked for.
        progress: Hears how far it is; may raise to stop.

    Raises:
        BuilderError: There is no document that anything can be asked of, a prompt is unknown or no
            prompt, or the plan names a field that no document has.
        EvalsError: Clusters are asked for, and their encoder cannot be loaded.
    """
    raise NotImplementedError


class Writer:
    """Writes what is sent for a task; usable from several threads.

    Args:
        workspace: Whose documents and queries.
        prompts: Name -> prompt, of `load_prompts` or as a run kept them.
        plan: Of the run: how many queries a call asks for, and what else the answer depends on.
    """

    def __init__(
        self, workspace: Workspace, prompts: Mapping[str, Prompt], plan: "SynthPlan"
    ) -> None:
        self._workspace = workspace
        self._prompts = prompts
        self._plan = plan

    def messages_of(self, spec: TaskSpec) -> tuple[dict[str, str], ...]:
        """What is sent: [{"role", "content"}, …], system first.

        Raises:
            BuilderError: The document, the prompt or an example is not what it was when the task
                was made; the task cannot be asked any more.
        """
        raise NotImplementedError

    def shorter(self, spec: TaskSpec) -> TaskSpec | None:
        """The task with the first half of its passage, after a context overflow; None: too short.

        Raises:
            BuilderError: As `messages_of`.
        """
        raise NotImplementedError

    def example_queries(self, spec: TaskSpec) -> list[str]:
        """The texts of the queries that the task shows as examples."""
        raise NotImplementedError
