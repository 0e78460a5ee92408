"""Where queries came from, as a person reads it."""

from collections.abc import Mapping

SOURCES_OF_QUERIES: Mapping[str, str] = {
    "import": "imported",
    "log": "from the log",
    "synthetic": "synthetic",
    "manual": "written here",
}


def source_of_queries(source: str) -> str:
    """A source of queries as it is called on screen; untrusted where it is none of ours."""
    return SOURCES_OF_QUERIES.get(source, source)
