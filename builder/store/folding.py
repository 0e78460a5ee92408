"""Texts compared whatever their case, composition and white space, in any script, inside SQL.

SQLite's own lower() knows only ASCII; so this process lends it a function.
"""

import sqlite3
import unicodedata
from typing import Any

from sqlalchemy import String
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

_NAME = "goldsmith_folded"


def fold(text: str) -> str:
    """The text in NFC, case folded, without white space around it and one blank within."""
    if text.isascii():
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFC", text).casefold()
    return " ".join(unicodedata.normalize("NFC", folded).split())


def lend_fold(connection: sqlite3.Connection) -> None:
    """Teach this connection the SQL function behind `folded`."""
    connection.create_function(_NAME, 1, fold, deterministic=True)


class folded(FunctionElement[str]):  # noqa: N801 - reads as the SQL function that it is
    """`fold` of a column or a bound value, inside a statement."""

    type = String()
    inherit_cache = True


@compiles(folded, "sqlite")
def _in_sqlite(element: folded, compiler: SQLCompiler, **options: Any) -> str:
    return f"{_NAME}({compiler.process(element.clauses, **options)})"


@compiles(folded)
def _elsewhere(element: folded, compiler: SQLCompiler, **options: Any) -> str:
    text = compiler.process(element.clauses, **options)
    return rf"btrim(regexp_replace(lower(normalize({text}, NFC)), '\s+', ' ', 'g'))"
