"""Agreement on real grades: ten experts on ontology terms."""

import csv
from pathlib import Path

import pytest

from builder.judging.agreement import agreement_of
from builder.store.grades import GradeRow
from builder.store.ratings import ratings_of

pytestmark = pytest.mark.shared_data


def rows_of(file: Path, grade: str, document: str) -> list[GradeRow]:
    """Each rater's first grade of each pair."""
    found: dict[tuple[str, str, str], int] = {}
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            if row[grade]:
                found.setdefault((row["query"], row[document], row["rater"]), int(row[grade]))
    return [GradeRow(*key, "human", "grade", given) for key, given in found.items()]


def test_ten_experts_on_ontology_terms_graded_0_to_4(shared_data: Path) -> None:
    # The values are those of the data set's own notes, computed by two implementations.
    rows = rows_of(shared_data / "cbrbench-ontology" / "judgments.tsv", "grade_0to4", "item")
    assert len(rows) == 8074
    found = agreement_of(ratings_of(rows), n_grades=5)
    assert found["alpha_nominal"]["value"] == pytest.approx(0.2404, abs=5e-5)
    assert found["alpha_ordinal"]["value"] == pytest.approx(0.4947, abs=5e-5)
    assert found["alpha_interval"]["value"] == pytest.approx(0.4566, abs=5e-5)
    assert (found["n_raters"], found["n_pairs"], found["n_queries"]) == (10, 817, 10)
    assert found["copies"] == []
