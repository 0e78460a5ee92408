"""The query is one that people typed: the log has it, so it need not be made up."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from builder.mining.near_duplicates import near_form
from builder.store.synthetic_queries import Finding


class Asked(NamedTuple):
    """A query that is looked for in a log.

    Attributes:
        key: As the log would have it, without regard to how it is typed.
        text: The query.
        language: ISO 639-1 code, by which endings are cut.
    """

    key: str
    text: str
    language: str


class InLog(NamedTuple):
    """How often a log has a query.

    Attributes:
        searches: As it is typed, but for case and white space.
        near: With other endings, another order of words or other punctuation.
    """

    searches: int = 0
    near: int = 0


def found_in_log(asked: Mapping[int, Asked], log: Iterable[tuple[str, int]]) -> dict[int, InLog]:
    """Which of the queries a log has; the log passes by once and is not kept.

    Args:
        asked: Any number -> a query.
        log: (key, searches) of each query of the log.
    """
    by_key: dict[str, list[int]] = {}
    by_form: dict[tuple[str, str], list[int]] = {}
    for number, one in asked.items():
        by_key.setdefault(one.key, []).append(number)
        form = near_form(one.text, one.language)
        by_form.setdefault((one.language, form), []).append(number)
    languages = sorted({one.language for one in asked.values()})
    found: dict[int, InLog] = {}
    for key, searches in log:
        for number in by_key.get(key, ()):
            had = found.get(number, InLog())
            found[number] = had._replace(searches=had.searches + searches)
        for language in languages:
            for number in by_form.get((language, near_form(key, language)), ()):
                if asked[number].key != key:
                    had = found.get(number, InLog())
                    found[number] = had._replace(near=had.near + searches)
    return found


def in_log(had: InLog) -> Finding:
    """That people search for it already.

    The log's own spelling is not told: it may hold personal data.
    """
    if had.searches:
        return Finding("in_log", f"searched for {had.searches:,} times already")
    return Finding("in_log", f"searched for {had.near:,} times in nearly the same words")
