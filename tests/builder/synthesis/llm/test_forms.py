"""Schemas are checked here, whatever servers say; the oracle is the jsonschema package."""

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.synthesis.llm.extraction import find_answer
from builder.synthesis.llm.forms import check_schema, misfit, pattern_of, sent_schema
from tests.builder.synthesis.llm.asked import SCHEMA

GRADE = {"type": "object", "properties": {"grade": {"type": "integer", "minimum": 0, "maximum": 3}}}

_LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 5), st.just(0.5), st.text("ab", max_size=3)
)
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xy"), inner),
    max_leaves=6,
)
_NUMBERS = st.fixed_dictionaries(
    {"type": st.sampled_from(["integer", "number"])},
    optional={"minimum": st.integers(0, 2), "maximum": st.integers(1, 3)},
)
_TEXTS = st.fixed_dictionaries(
    {"type": st.just("string")},
    optional={
        "minLength": st.integers(0, 2),
        "maxLength": st.integers(0, 3),
        "enum": st.just(["a", "ab"]),
    },
)
_SCHEMAS = st.recursive(
    _NUMBERS | _TEXTS | st.sampled_from([{"type": "boolean"}, {"type": "null"}]),
    lambda inner: (
        st.fixed_dictionaries(
            {"type": st.just("array")},
            optional={"items": inner, "minItems": st.integers(0, 2), "maxItems": st.integers(1, 2)},
        )
        | st.fixed_dictionaries(
            {"type": st.just("object")},
            optional={
                "properties": st.dictionaries(st.sampled_from("xy"), inner),
                "required": st.sampled_from([["x"], ["x", "y"]]),
                "additionalProperties": st.booleans(),
            },
        )
    ),
    max_leaves=4,
)


@settings(max_examples=150, deadline=None)
@given(schema=_SCHEMAS, value=_VALUES)
def test_what_fits_is_what_json_schema_says(schema: dict[str, Any], value: Any) -> None:
    oracle: Any = pytest.importorskip("jsonschema").Draft202012Validator(schema)
    check_schema(schema)
    assert (misfit(value, schema) is None) == oracle.is_valid(value)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"queries": []}, "answer.queries has entries: 0, at least 1 are asked for"),
        ({"queries": ["a", "b", "c"]}, "answer.queries has entries: 3, at most 2 are asked for"),
        ({"queries": ["a", 1]}, "answer.queries[1] is no string"),
        ({"queries": [""]}, "answer.queries[0] has characters: 0, at least 1 are asked for"),
        ({"queries": ["a"], "n": 1}, "answer has n, which nobody asked for"),
        (["a"], "answer is no object"),
    ],
)
def test_a_misfit_says_where_and_why(value: Any, reason: str) -> None:
    assert misfit(value, SCHEMA) == reason
    assert find_answer(json.dumps(value), SCHEMA).payload is None


@pytest.mark.parametrize(
    "schema", [{"type": "string", "pattern": "a+"}, {}, {"type": "array", "items": {"anyOf": []}}]
)
def test_a_schema_that_would_not_be_checked_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="the schema of answer"):
        check_schema(schema)


def test_a_schema_is_sent_without_what_servers_get_wrong() -> None:
    sent = sent_schema(SCHEMA)
    assert "minLength" not in json.dumps(sent)
    assert "minLength" in json.dumps(SCHEMA)
    assert sent["properties"]["queries"]["maxItems"] == 2
    assert pattern_of(GRADE) == '{"grade": 0}'


ANSWER = {"queries": ["how to grease a chain"]}
WRITTEN = json.dumps(ANSWER)


def test_a_line_end_in_a_text_is_taken_as_it_stands() -> None:
    found = find_answer('{"queries": ["two\nlines"]}', SCHEMA)
    assert found.payload == {"queries": ["two\nlines"]}


@pytest.mark.parametrize(
    "text",
    [
        WRITTEN,
        f"\ufeff \n{WRITTEN}\n",
        f"```json\n{WRITTEN}\n```",
        f"```\n{WRITTEN}\n```",
        f"Sure {{smile}}! Here you are: {WRITTEN} Is {{this}} good?",
        f'I was told {{"queries": ["…"]}} and so:\n\n{WRITTEN}',
        f'<think>{{"queries": ["no"]}} or so</think>{WRITTEN}',
        f'{{"note": 1}} {WRITTEN}',
    ],
)
def test_an_answer_is_found_alone_in_fences_and_amid_prose(text: str) -> None:
    assert find_answer(text, SCHEMA).payload == ANSWER


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no JSON at all",
        WRITTEN[:-2],
        "{'queries': ['single quotes']}",
        '{"queries": NaN}',
        '["a bare list"]',
        "[" * 100_000,
        '{"a":' * 50_000,
        "{" * 1_000_000,
        "```" + " " * 1_000_000,
    ],
)
def test_what_is_no_answer_is_told_as_such_in_no_time(text: str) -> None:
    started = time.process_time()
    found = find_answer(text, SCHEMA)
    assert found.payload is None
    assert found.reason
    assert time.process_time() - started < 0.5
