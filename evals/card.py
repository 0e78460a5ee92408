"""The dataset card: what `datasets` and mteb need to know about the folder.

The cache of `datasets` knows a local folder by its name and its card only: edited rows, or a
folder of the same name elsewhere, would come back as the old rows. The content hash in each
config's description makes the card change whenever the content does.
"""

import hashlib
from collections.abc import Sequence

# JSONL, not TSV: `datasets` reads the whole folder with one loader (huggingface/datasets#6447).
_CONFIG = """\
- config_name: {name}
  description: content-{sha}
  data_files:
{files}"""
_FILE = "  - split: {split}\n    path: {path}"


class ContentHash:
    """A hash of records that does not depend on their order, in constant memory.

    Per kind of record the SHA-256 numbers of the records are added up modulo 2^256; a change of
    any record, or one more or fewer, changes the sum.
    """

    def __init__(self) -> None:
        self._sums: dict[str, int] = {}
        self._counts: dict[str, int] = {}

    def add(self, kind: str, record: bytes) -> None:
        """Takes one record of a kind (corpus, queries, qrels) in."""
        number = int.from_bytes(hashlib.sha256(record).digest(), "big")
        self._sums[kind] = (self._sums.get(kind, 0) + number) % 2**256
        self._counts[kind] = self._counts.get(kind, 0) + 1

    def hexdigest(self) -> str:
        """64 hexadecimal digits."""
        kinds = sorted(self._sums)
        parts = [f"{kind} {self._counts[kind]} {self._sums[kind]:064x}\n" for kind in kinds]
        return hashlib.sha256("".join(parts).encode()).hexdigest()


def dataset_card(content_sha: str, splits: Sequence[str], body: str) -> str:
    """README.md: YAML configs corpus, queries and default, then `body` in Markdown."""
    sha = content_sha[:16]
    corpus = _FILE.format(split="corpus", path="corpus.jsonl")
    queries = _FILE.format(split="queries", path="queries.jsonl")
    qrels = "\n".join(_FILE.format(split=name, path=f"qrels/{name}.jsonl") for name in splits)
    configs = "\n".join(
        _CONFIG.format(name=name, sha=sha, files=files)
        for name, files in (("corpus", corpus), ("queries", queries), ("default", qrels))
    )
    return f"---\nconfigs:\n{configs}\n---\n\n{body.strip()}\n"
