"""Texts compared whatever their case, composition and white space; the same in SQL."""

import pytest
from sqlalchemy import literal, select
from sqlalchemy.engine import URL

from builder.store import Connection
from builder.store.folding import fold, folded
from builder.store.schema import queries

CASES = [
    ("Read  A\tFile ", "read a file"),
    ("STRASSE", "strasse"),
    ("Straße", "strasse"),
    ("CAFE\u0301", "caf\u00e9"),
    ("ΟΔΌΣ", "οδόσ"),
    ("İ", "i\u0307"),
    ("\u3000行ごと\u00a0に ", "行ごと に"),
    ("", ""),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_fold_in_python_and_in_sql(connection: Connection, text: str, expected: str) -> None:
    assert fold(text) == expected
    assert connection.execute(select(folded(literal(text)))).scalar_one() == expected
    assert fold(expected) == expected


def test_postgresql_folds_by_its_own_functions() -> None:
    dialect = URL.create("postgresql").get_dialect()()
    written = str(select(folded(queries.c.text)).compile(dialect=dialect))
    assert "lower(normalize(queries.text, NFC))" in written
