"""The SQL texts of this room, one query a file.

Here lie the portable ones: they use GROUP BY, COUNT, SUM(CASE …), LEAD and UNION ALL, and return
integer sufficient statistics, so that every engine gives the same numbers; only amounts of
conversions are fractions. `duckdb/` holds what only DuckDB runs.
"""

from functools import cache
from importlib.resources import files


@cache
def sql(name: str) -> str:
    """The text of NAME.sql, such as "searches" or "duckdb/native_rows"."""
    return files(__package__).joinpath(f"{name}.sql").read_text(encoding="utf-8")
