"""Prompts: those that come along, those of a workspace, and what is refused with its line."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.errors import BuilderError
from builder.synthesis.examples import has_shape
from builder.synthesis.filters.tokens import count_words
from builder.synthesis.plan import TYPES
from builder.synthesis.prompts import Prompt, load_prompts, read_prompt, response_schema
from builder.workspace import Workspace
from tests.workspaces import new_workspace

GOOD = """\
title: Short
max_words: 5
system: |
  Write in {language}.
user: |
  {examples}

  {title}
  {document}
  {n} of them, as {"queries": []}
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with new_workspace(tmp_path / "workspace") as opened:
        (opened.root / "prompts").mkdir()
        yield opened


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_five_prompts_come_along() -> None:
    prompts = load_prompts()
    assert sorted(prompts) == sorted(TYPES)
    assert len({prompt.hash for prompt in prompts.values()}) == 5


@pytest.mark.parametrize("name", TYPES)
def test_the_examples_of_our_prompts_keep_its_rules(name: str) -> None:
    prompt = load_prompts()[name]
    assert {"en", "de", "ja"} <= {example.language for example in prompt.examples}
    for example in prompt.examples:
        assert count_words(example.query) <= prompt.max_words
        # What is technical cannot be told in every language.
        if prompt.shape not in {"none", "technical"} or example.language == "en":
            assert prompt.shape == "none" or has_shape(example.query, prompt.shape)
        assert "document" not in example.query.lower()
        words = example.query.lower().split()
        spans = (" ".join(words[n : n + 4]) for n in range(len(words) - 3))
        assert not any(span in example.document.lower() for span in spans)


def test_placeholders_in_what_is_filled_in_stay_text(tmp_path: Path) -> None:
    values = {"document": "{n} {title}", "title": "T", "language": "German", "n": "2"}
    prompt = read_prompt(write(tmp_path, "a.yaml", GOOD))
    system, user = prompt.filled({**values, "examples": "{document}"})
    assert system == "Write in German."
    assert user == '{document}\n\nT\n{n} {title}\n2 of them, as {"queries": []}'


def test_a_prompt_may_leave_it_open_where_examples_stand(tmp_path: Path) -> None:
    assert read_prompt(write(tmp_path, "a.yaml", GOOD)).has_examples_as_text
    without = GOOD.replace("{examples}", "")
    assert not read_prompt(write(tmp_path, "b.yaml", without)).has_examples_as_text


def test_a_prompt_becomes_json_and_comes_back() -> None:
    for prompt in load_prompts().values():
        assert Prompt.from_json(prompt.as_json()) == prompt


def test_a_workspace_adds_prompts_and_replaces_ours(workspace: Workspace) -> None:
    folder = workspace.root / "prompts"
    write(folder, "legal.yaml", GOOD)
    write(folder, "keyword.yml", GOOD.replace("Short", "Ours"))
    prompts = load_prompts(workspace)
    assert sorted(prompts) == sorted([*TYPES, "legal"])
    assert prompts["keyword"].title == "Ours"
    assert prompts["legal"].shape == "any"
    assert prompts["legal"].hash != prompts["keyword"].hash


def test_the_hash_is_of_what_a_prompt_says_not_of_how_it_is_written(tmp_path: Path) -> None:
    once = read_prompt(write(tmp_path, "a.yaml", GOOD))
    again = read_prompt(
        write(tmp_path, "b.yaml", "# ours\n" + GOOD.replace(": Short", ': "Short"'))
    )
    other = read_prompt(write(tmp_path, "c.yaml", GOOD.replace("Write in", "Write it in")))
    assert once.hash == again.hash != other.hash


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("{title}\n", "{titel}\n", 8, "{titel} is no placeholder"),
        ("in {language}", "in German", 5, "{language} is missing"),
        ("{title}\n", "{title} {document}\n", 5, "must stand once"),
        ("{document}\n", "", 5, "{document} is missing"),
        ("max_words: 5", "max_words: many", 2, "whole number from 1 to 100"),
        ("max_words: 5\n", "", 1, "max_words is missing"),
        ("title: Short", "title: 7", 1, "title is no text"),
        ("title: Short", "title: ' '", 1, "title is blank"),
        ("max_words: 5", "max_words: 5\nshape: round", 3, "shape is 'round'"),
        ("max_words: 5", "max_words: 5\nmax_word: 5", 3, "no field 'max_word'"),
        ("max_words: 5", "max_words: 5\nmax_words: 6", 3, "there twice"),
        ("max_words: 5", "max_words: [5", 3, "no YAML"),
        ("max_words: 5", "max_words: 5\nexamples:\n  - query: a", 3, "each of examples"),
    ],
)
def test_what_is_wrong_in_a_prompt_is_told_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, said: str
) -> None:
    file = write(tmp_path, "bad.yaml", GOOD.replace(old, new, 1))
    with pytest.raises(BuilderError) as raised:
        read_prompt(file)
    assert said in raised.value.message
    assert raised.value.where == f"{file}, line {line}"


@pytest.mark.parametrize(
    "text", ["", "- a list", "just words", "\x00", "a: !!python/name:os.system"]
)
def test_a_file_that_holds_no_fields_is_no_prompt(tmp_path: Path, text: str) -> None:
    file = write(tmp_path, "bad.yaml", text)
    with pytest.raises(BuilderError, match=r"YAML|no fields"):
        read_prompt(file)


def test_a_prompt_cannot_have_any_name(workspace: Workspace) -> None:
    write(workspace.root / "prompts", "Key Word.yaml", GOOD)
    with pytest.raises(BuilderError, match="cannot be called 'Key Word'"):
        load_prompts(workspace)


def test_of_two_files_of_one_name_none_is_passed_over(workspace: Workspace) -> None:
    for name in ("legal.yaml", "legal-b.yaml", "legal.yml"):
        write(workspace.root / "prompts", name, GOOD)
    with pytest.raises(BuilderError, match="two files of the prompt 'legal'"):
        load_prompts(workspace)


def test_the_schema_asks_for_as_many_strings() -> None:
    schema = response_schema(3)
    queries = schema["properties"]["queries"]
    assert (queries["minItems"], queries["maxItems"]) == (3, 3)
    assert queries["items"] == {"type": "string"}
    assert schema["required"] == ["queries"]
    assert schema["additionalProperties"] is False
