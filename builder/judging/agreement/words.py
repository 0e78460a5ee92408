"""Reason codes and flags in words, for people who know no statistics."""

from typing import Final

_WORDS: Final[dict[str, str]] = {
    "no_human_grades": "nobody has graded yet",
    "all_raters_left_out": "every rater who graded is left out",
    "one_rater": "there is only one rater",
    "no_pair_graded_by_two": "no pair was graded by two raters",
    "too_few_units": "fewer than two pairs were graded by both",
    "all_grades_equal": "all grades are the same, so chance cannot be told from agreement",
    "one_query_has_no_interval": "no interval: the pairs are all of one query",
    "too_few_queries": "no interval: the pairs are of fewer than 5 queries",
    "never_differed": "no interval: every query says the same",
    "few_queries": "of fewer than 10 queries an interval is a rough guess",
    "only_copies": "all shared pairs are with raters whose grades are copies",
    "no_repeats": "no pair was graded twice",
    "no_pair_in_common": "no pair has a grade of both",
    "one_grade_only": "one side gave a single grade, so chance cannot be told from agreement",
    "most_resamples_undefined": "no interval: nearly all grades are the same",
}

_FLAGS: Final[dict[str, str]] = {
    "outlier": "disagrees",
    "lenient": "lenient",
    "strict": "strict",
    "too_fast": "very fast",
    "one_grade": "one grade",
    "copies": "copies",
    "contradicts_self": "contradicts self",
}


def in_words(reason: str | None) -> str:
    """What a reason code means, as part of a sentence; "" for None, an unknown code as it is."""
    if reason is None:
        return ""
    return _WORDS.get(reason, reason.replace("_", " "))


def flag_in_words(code: str) -> str:
    """What a rater's flag is called on every page and in the terminal; an unknown code as it is."""
    return _FLAGS.get(code, code.replace("_", " "))
