"""Documents that queries are written for: skipped, chosen by parts of the corpus."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from builder.errors import BuilderError
from builder.store.batches import batches
from builder.store.documents import insert_documents
from builder.store.syntheses import note_taken_back
from builder.store.synthesis_sources import texts_downwards
from builder.synthesis.clusters import MODEL, cluster, number_of_clusters
from builder.synthesis.documents import MOST_TOLD, Choice, choose_documents
from builder.synthesis.plan import SynthPlan
from builder.workspace import Workspace
from evals.embeddings import FOLDER, kept_embeddings
from evals.encoders import encoder
from evals.records import Document
from evals.retrievers import CHUNK
from tests.builder.synthesis.written import Answer, write_synthesis
from tests.workspaces import new_workspace

TEXT = "The valve opens when the pressure rises above its limit, and water flows. "
DOCUMENTS = [
    Document(f"d{n:02}", f"Title {n}", TEXT * (1 + n // 20), {"topic": "ab"[n % 3 == 0]})
    for n in range(60)
]


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with new_workspace(tmp_path / "workspace") as opened:
        yield opened


def put(workspace: Workspace, *documents: Document) -> Workspace:
    with workspace.store.write() as connection:
        insert_documents(connection, documents)
    return workspace


def choose(workspace: Workspace, documents: int = 50, **plan: Any) -> Choice:
    return choose_documents(workspace, SynthPlan(documents=documents, **plan))


def ids(choice: Choice) -> list[str]:
    return [doc_id for doc_id, _ in choice.documents]


def test_what_says_too_little_is_skipped_and_counted(workspace: Workspace) -> None:
    put(
        workspace,
        Document("good", "", TEXT),
        Document("empty", "A title of many words that says a lot about the valve", ""),
        Document("blank", "", " \n\t\n" * 500),
        Document("short", "", "Opens at six bar."),
        Document("dashes", "", "-" * 20_000 + " hi"),
        Document("late", "", "\n" * 20_000 + TEXT),
        Document("short in German", "Öffnungszeiten", "Montags bis elf."),
        Document("enough in Japanese", "", "年次有給休暇は翌年に繰り越せます"),
        Document("titled", "Relief valve, brass, for boilers up to 60 kW", "Opens at 3 bar."),
    )
    choice = choose(workspace)
    assert sorted(ids(choice)) == ["enough in Japanese", "good", "late", "titled"]
    assert choice.skipped == {"empty": 2, "too_short": 3}
    assert choice.warnings == ("Only 4 documents can be asked for queries; 50 were wanted.",)


def test_a_greater_choice_keeps_the_smaller_one_and_another_seed_does_not(
    workspace: Workspace,
) -> None:
    put(workspace, *DOCUMENTS)
    for by in ("random", "length", "field:topic"):
        few, many = ids(choose(workspace, 10, by=by)), ids(choose(workspace, 30, by=by))
        assert many[:10] == few
        assert ids(choose(workspace, 10, by=by)) == few
        assert len(set(many)) == 30
        assert ids(choose(workspace, 10, by=by, seed=1)) != few


def test_a_field_parts_the_corpus_by_its_values(workspace: Workspace) -> None:
    put(
        workspace,
        *DOCUMENTS,
        Document("none", "", TEXT),
        Document("list", "", TEXT, {"topic": [1]}),
    )
    choice = choose(workspace, 12, by="field:topic")
    chosen = Counter(stratum for _, stratum in choice.documents)
    assert chosen == {"topic: a": 7, "topic: b": 3, "topic: [1]": 1, "topic: (none)": 1}
    sizes = {row["stratum"]: row["documents"] for row in choice.strata}
    assert sizes == {"topic: a": 40, "topic: b": 20, "topic: [1]": 1, "topic: (none)": 1}
    assert {row["stratum"]: row["chosen"] for row in choice.strata} == chosen
    assert {stratum for _, stratum in choice.documents[:4]} == set(sizes)


def test_a_field_that_no_document_has_is_an_error(workspace: Workspace) -> None:
    put(workspace, *DOCUMENTS)
    with pytest.raises(BuilderError, match="has the field 'colour'"):
        choose(workspace, by="field:colour")


def test_a_field_with_a_value_for_each_document_is_told_and_its_strata_are_summed_up(
    workspace: Workspace,
) -> None:
    many = [Document(f"d{n:03}", "", TEXT, {"url": f"u{n:03}"}) for n in range(150)]
    choice = choose(put(workspace, *many), 20, by="field:url")
    assert len(choice.strata) == 21 <= MOST_TOLD
    assert choice.strata[-1] == {"stratum": "130 more", "documents": 130, "chosen": 0}
    assert "150 values in 150 documents" in choice.warnings[0]
    assert ids(choice) != sorted(ids(choice))
    assert ids(choice) != sorted(ids(choice), reverse=True)


def test_lengths_are_thirds_of_the_corpus(workspace: Workspace) -> None:
    choice = choose(put(workspace, *DOCUMENTS), 6, by="length")
    assert [(row["documents"], row["chosen"]) for row in choice.strata] == [(20, 2)] * 3
    assert choice.strata[0]["stratum"] == f"length: up to {len(TEXT)} characters"


def test_texts_of_one_length_are_one_part(workspace: Workspace) -> None:
    choice = choose(put(workspace, *DOCUMENTS[:15]), 6, by="length")
    assert choice.strata == ({"stratum": "length: all alike", "documents": 15, "chosen": 6},)


def test_documents_of_standing_syntheses_come_last(workspace: Workspace) -> None:
    put(workspace, *DOCUMENTS)
    first = choose(workspace, 40)
    used = [Answer(doc_id, ["why"]) for doc_id in ids(first)]
    synthesis_id = write_synthesis(workspace, used)
    again = choose(workspace, 30)
    assert not set(ids(again)[:20]) & set(ids(first))
    assert ids(again)[20:] == ids(first)[:10]
    assert again.warnings == (
        "Documents that were asked for queries before are asked again (10 of them).",
    )
    with workspace.store.write() as connection:
        note_taken_back(connection, synthesis_id, "ann")
    assert ids(choose(workspace, 40)) == ids(first)


def test_without_documents_there_is_an_error_that_says_why(workspace: Workspace) -> None:
    with pytest.raises(BuilderError, match="there are no documents") as raised:
        choose(workspace)
    assert "corpus import" in str(raised.value.hint)
    put(workspace, Document("a", "", ""), Document("b", "", "short"))
    with pytest.raises(BuilderError, match="1 are empty, 1 too short"):
        choose(workspace)


def test_clusters_of_kept_embeddings_are_covered(workspace: Workspace) -> None:
    """Four heaps far apart, of 30, 15, 10 and 5 documents: with 4 documents each gives one."""
    put(workspace, *DOCUMENTS)
    random = np.random.default_rng(0)
    heap = {f"d{n:02}": (n >= 30) + (n >= 45) + (n >= 55) for n in range(60)}
    with workspace.store.read() as connection:
        for chunk in batches(texts_downwards(connection), CHUNK):
            vectors = np.eye(384, dtype=np.float32)[[heap[one.doc_id] for one in chunk]]
            vectors += random.normal(0, 0.01, vectors.shape).astype(np.float32)
            texts = [one.encoder_text for one in chunk]
            key = encoder(MODEL).key
            kept_embeddings(workspace.cache_folder / FOLDER, key, texts, lambda: vectors)  # noqa: B023
    choice = choose(workspace, 4, by="cluster")
    assert sorted(heap[doc_id] for doc_id in ids(choice)) == [0, 1, 2, 3]
    assert [row["documents"] for row in choice.strata] == [30, 15, 10, 5]
    assert choice.strata[0]["stratum"].startswith("cluster 1: like Title ")
    more = choose(workspace, 7, by="cluster")
    assert ids(more)[:4] == ids(choice)
    assert ids(choose(workspace, 4, by="cluster")) == ids(choice)


def test_there_are_as_many_clusters_as_a_power_of_two_within_the_documents() -> None:
    assert [number_of_clusters(n, 1000) for n in (1, 3, 50, 64, 5000)] == [1, 2, 32, 64, 256]
    assert number_of_clusters(50, 10) == 4
    assert number_of_clusters(50, 1) == 1


def test_a_cluster_is_called_by_the_vector_nearest_to_its_centre() -> None:
    """Around each of three axes one vector on it and eight pairs that lean to opposite sides."""
    vectors = np.zeros((51, 8), dtype=np.float32)
    for axis in range(3):
        vectors[axis * 17 : axis * 17 + 17, axis] = 1
        for pair in range(8):
            vectors[axis * 17 + 2 * pair, 3 + pair % 5] = 0.3
            vectors[axis * 17 + 2 * pair + 1, 3 + pair % 5] = -0.3
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    _, middles = cluster(vectors, 3, 0)
    assert sorted(middles.tolist()) == [16, 33, 50]


def test_equal_vectors_are_one_cluster() -> None:
    vectors = np.tile(np.eye(8, dtype=np.float32)[:1], (20, 1))
    codes, middles = cluster(vectors, 4, 0)
    assert len(middles) == codes.max() + 1
    assert np.array_equal(codes[middles], np.arange(len(middles)))
