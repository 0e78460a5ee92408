"""Prompts: files that say what a language model is asked for, known by a hash of what they say."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, Self

from builder.errors import BuilderError
from builder.synthesis.yaml_fields import Field, YamlFile
from builder.workspace import Workspace

OWN_FOLDER = Path(__file__).with_name("prompt_files")
"""The prompts that come with Goldsmith."""
FOLDER = "prompts"
"""Within a workspace: prompts of the team; one of the same name replaces ours."""
PLACEHOLDERS = ("document", "title", "language", "n", "examples")
"""What a prompt leaves open, each as {name} in `system` or `user`."""
OPTIONAL = "examples"
"""Where a prompt leaves it out, examples are earlier turns of the conversation."""
SHAPES = ("any", "keyword", "question", "technical", "conversational", "none")
"""Which of the team's own queries are like those of a prompt; none: they do not tell."""
MOST_WORDS = 100
MOST_CHARACTERS = 20_000

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")


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
        shape: Of `SHAPES`.
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
        return asdict(self)

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Self:
        """The prompt that `as_json` wrote."""
        examples = tuple(PromptExample(**example) for example in told["examples"])
        return cls(**{**told, "examples": examples})

    @property
    def has_examples_as_text(self) -> bool:
        """Whether it says itself where examples stand."""
        return f"{{{OPTIONAL}}}" in self.system + self.user

    def filled(self, values: Mapping[str, str]) -> tuple[str, str]:
        """`system` and `user` with the values in place of the placeholders.

        What a value holds is never taken for a placeholder.
        """
        system, user = (
            _PLACEHOLDER.sub(lambda match: values[match[1]], text).strip()
            for text in (self.system, self.user)
        )
        return system, user


def load_prompts(workspace: Workspace | None = None) -> dict[str, Prompt]:
    """Name -> prompt: ours, and those of the workspace, which replace ours of the same name.

    Args:
        workspace: Whose folder "prompts" is read; None: ours alone.

    Raises:
        BuilderError: A file is no prompt, with file and line; or two have one name.
    """
    team = map(read_prompt, _files(workspace.root / FOLDER)) if workspace else ()
    return {prompt.name: prompt for prompt in chain(_own_prompts(), team)}


@cache
def _own_prompts() -> tuple[Prompt, ...]:
    # Read once in a process: they change with Goldsmith only, and take 20 ms.
    return tuple(map(read_prompt, _files(OWN_FOLDER)))


def read_prompt(file: Path) -> Prompt:
    """The prompt in a file.

    Raises:
        BuilderError: It is none; with file and line.
    """
    if not _NAME.fullmatch(file.stem):
        raise BuilderError(
            f"a prompt cannot be called {file.stem!r}",
            where=str(file),
            hint="Small letters a to z, digits, - and _; at most 64 of them.",
        )
    content = YamlFile.read(file)
    fields = _fields(content)
    _check_placeholders(content, fields)
    told = {name: field.value for name, field in fields.items()}
    said = json.dumps(told, sort_keys=True, ensure_ascii=False)
    examples = tuple(PromptExample(**example) for example in told.pop("examples"))
    return Prompt(file.stem, examples=examples, hash=sha256(said.encode()).hexdigest(), **told)


def response_schema(n: int) -> dict[str, Any]:
    """The JSON schema of an answer: {"queries": [n strings]}.

    It bounds no lengths: servers that heed such a bound cut words in two.

    Args:
        n: How many queries are asked for, at least 1.
    """
    queries = {"type": "array", "items": {"type": "string"}, "minItems": n, "maxItems": n}
    return {
        "type": "object",
        "properties": {"queries": queries},
        "required": ["queries"],
        "additionalProperties": False,
    }


def _files(folder: Path) -> Iterator[Path]:
    found = (file for file in folder.glob("*") if file.suffix in {".yaml", ".yml"})
    stem = None
    for file in sorted(file for file in found if not file.name.startswith(".")):
        if file.stem == stem:
            raise BuilderError(
                f"there are two files of the prompt {stem!r}",
                where=str(file),
                hint="Keep one of .yaml and .yml.",
            )
        stem = file.stem
        yield file


def _fields(content: YamlFile) -> dict[str, Field]:
    """Every field of a prompt, those that may be left out too."""
    fields = {
        "title": content.text("title", 100),
        "description": content.text("description", 500, default=""),
        "max_words": content.number("max_words", 1, MOST_WORDS),
        "shape": content.text("shape", 20, default="any"),
        "system": content.text("system", MOST_CHARACTERS),
        "user": content.text("user", MOST_CHARACTERS),
        "examples": content.rows("examples", ("document", "query", "language")),
    }
    content.refuse_others(fields)
    if fields["shape"].value not in SHAPES:
        raise content.error(
            f"shape is {fields['shape'].value!r}",
            fields["shape"].line,
            f"It is one of {', '.join(SHAPES)}.",
        )
    return fields


def _check_placeholders(content: YamlFile, fields: Mapping[str, Field]) -> None:
    found = []
    for name in ("system", "user"):
        text, field = fields[name].value, fields[name]
        for match in _PLACEHOLDER.finditer(text):
            if match[1] not in PLACEHOLDERS:
                raise content.error(
                    f"{match[0]} is no placeholder",
                    field.line_of(match.start()),
                    f"Placeholders are {', '.join(f'{{{one}}}' for one in PLACEHOLDERS)}.",
                )
            found.append((name, match[1]))
    _check_presence(content, fields, found)


def _check_presence(
    content: YamlFile, fields: Mapping[str, Field], found: list[tuple[str, str]]
) -> None:
    named = [placeholder for _, placeholder in found]
    for placeholder in PLACEHOLDERS:
        if placeholder not in named and placeholder != OPTIONAL:
            raise content.error(
                f"the placeholder {{{placeholder}}} is missing",
                fields["user"].line,
                "Write it into user or system, where it belongs.",
            )
    if named.count("document") > 1 or ("user", "document") not in found:
        raise content.error(
            "{document} must stand once, in user, and not in system",
            fields["user"].line,
            "What a document says must not pass for what the system says.",
        )
