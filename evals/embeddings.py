"""Embeddings of documents on disk: what a model encoded once it does not encode again.

They are kept chunk by chunk, each in a file that is named by the model's identity (name, revision,
prompts) and by all texts of the chunk, so a file can be old in no way. A file that was cut short is
as good as none: its texts are encoded anew.
"""

import hashlib
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

if TYPE_CHECKING:
    from evals.encoders import Matrix

FOLDER = "embeddings"
"""Within the cache of a workspace."""

MOST_BYTES = 4 << 30
"""Of all models together: a million documents in 384 dimensions take 1.5 GB."""


def kept_embeddings(
    folder: Path, key: str, texts: Sequence[str], encode: Callable[[], "Matrix"]
) -> "Matrix":
    """The embeddings of the texts, shape (texts, dimensions): kept, or encoded and then kept.

    Args:
        folder: Where they lie; made when the first are kept. Where nothing can be written, they
            are encoded each time.
        key: The model's identity: equal keys give equal embeddings.
        texts: What is encoded, in its order.
        encode: Gives the embeddings.
    """
    file = folder / f"{_digest(key, texts)}.npy"
    found = _read(file, len(texts))
    if found is None:
        found = encode()
        with suppress(OSError):
            _write(file, found)
            _sweep(folder)
    return found


def _digest(key: str, texts: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for part in (key, *texts):
        encoded = part.encode("utf-8", "surrogatepass")
        # With its length before it, no text can pass for two.
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return digest.hexdigest()[:32]


def _read(file: Path, rows: int) -> "Matrix | None":
    """What is kept; None if there is nothing whole. What is read counts as new to `_sweep`."""
    import numpy as np

    try:
        matrix: Matrix = np.load(file, allow_pickle=False)
        os.utime(file)
    except (OSError, EOFError, ValueError):
        return None
    return matrix if matrix.ndim == 2 and len(matrix) == rows else None


def _write(file: Path, matrix: "Matrix") -> None:
    """Whole or not at all."""
    import numpy as np

    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(f"{file.stem}-{uuid4().hex}.part")
    try:
        with unfinished.open("wb") as out:
            np.save(out, matrix)
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)


def _sweep(folder: Path) -> None:
    """Delete what was not used for longest, and what killed processes left, down to MOST_BYTES."""
    room = MOST_BYTES
    newest_first = sorted(
        ((file.stat(), file) for file in folder.iterdir()), key=lambda pair: -pair[0].st_mtime
    )
    for stat, file in newest_first:
        room -= stat.st_size
        if room < 0:
            file.unlink(missing_ok=True)
