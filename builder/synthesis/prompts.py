"""Prompts: files that say what a language model is asked for, known by a hash of what they say."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builder.workspace import Workspace

OWN_FOLDER = Path(__file__).with_name("prompt_files")
"""The prompts that come with Goldsmith."""
FOLDER = "prompts"
"""Within a workspace: prompts of the team; one of the same name replaces ours."""
PLACEHOLDERS = ("document", "title", "language", "n", "examples")
"""What a prompt leaves open, each as {name} in `system` or `user`."""


@dataclass(frozen=True, slots=True)
class PromptExample:
    """An example that a prompt brings along.

    Attributes:
        document: What a document says; short.
        query: A query for which it is relevant.
        language: ISO 639-1 code of both.
    """

    document: str
    query: str
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a language model is asked for.

    Attributes:
        name: The file's name without its end, such as "keyword".
        title: What people call it.
        description: What kind of query it asks for, in a sentence.
        system: What stands before everything.
        user: What is asked, with the placeholders.
        examples: Shown where the team's own pairs are too few.
        max_words: Of one query; longer ones are not of its kind.
        shape: Which of the team's own queries are like it; one of `examples.SHAPES`.
        hash: SHA-256 of all of these but the name.
    """

    name: str
    title: str
    description: str
    system: str
    user: str
    examples: tuple[PromptExample, ...]
    max_words: int
    shape: str
    hash: str

    def as_json(self) -> dict[str, Any]:
        """The fields by name; `from_json` reads them again."""
        raise NotImplementedError

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> "Prompt":
        """The prompt that `as_json` wrote."""
        raise NotImplementedError


def load_prompts(workspace: Workspace | None = None) -> dict[str, Prompt]:
    """Name -> prompt: ours, and those of the workspace, which replace ours of the same name.

    Args:
        workspace: Whose folder "prompts" is read; None: ours alone.

    Raises:
        BuilderError: A file is no prompt; with file and line.
    """
    raise NotImplementedError


def response_schema(n: int) -> dict[str, Any]:
    """The JSON schema of an answer: {"queries": [n strings]}.

    Args:
        n: How many queries are asked for, at least 1.
    """
    raise NotImplementedError
