"""Documents by chance are the same ones again."""

from builder.pooling.chance import random_documents

CORPUS = [f"d{n}" for n in range(60)]
QUERIES = [f"q{n}" for n in range(300)]


def test_the_draw_is_stable() -> None:
    drawn = random_documents(QUERIES[:5], CORPUS, 4, 7)
    assert drawn == random_documents(QUERIES[4::-1], CORPUS[::-1], 4, 7)
    assert drawn != random_documents(QUERIES[:5], CORPUS, 4, 8)
    assert random_documents(["q0"], CORPUS, 6, 7)["q0"][:4] == drawn["q0"]
    assert drawn["q0"] != drawn["q1"]
    # A document that joins the corpus pushes out one at most.
    for query_id, found in random_documents(QUERIES[:5], [*CORPUS, "new"], 4, 7).items():
        assert len(set(drawn[query_id]) - set(found)) <= 1


def test_every_document_has_the_same_chance() -> None:
    """300 queries x 6 of 60 documents: each is expected 30 times, with a standard deviation of 5.2;
    chi-square of 59 degrees of freedom exceeds 98.3 once in a thousand."""
    counts = dict.fromkeys(CORPUS, 0)
    for found in random_documents(QUERIES, CORPUS, 6, 1).values():
        assert len(set(found)) == 6
        for doc_id in found:
            counts[doc_id] += 1
    # Drawn without replacement, a document's count varies by .9 of what a multinomial's would.
    chi_square = sum((n - 30) ** 2 / 30 for n in counts.values()) / 0.9
    assert chi_square < 98.3


def test_more_than_there_are() -> None:
    assert sorted(random_documents(["q"], ["a", "b"], 9, 0)["q"]) == ["a", "b"]
    assert random_documents(["q"], [], 9, 0) == {"q": []}
