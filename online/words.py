"""What is told of an import in sentences: for each code of a note, what was found and done.

The terminal and the browser show the same sentences.
"""

import re

_SINGLE = {
    "have": "has", "are": "is", "were": "was", "name": "names", "hold": "holds",
    "belong": "belongs", "equal": "equals", "list": "lists", "count": "counts",
    "fall": "falls", "join": "joins",
}  # fmt: skip
"""Verbs of the sentences below, of several rows and of one."""

_NOUNS = re.compile("rows|searches|clicks|times|results|query records|action lines")
_VERBS = re.compile(rf"\b({'|'.join(_SINGLE)})\b")
_PRONOUN = re.compile(r"\bthey (\w+)")

NOTES: dict[str, str] = {
    "action_line_without_record": "action lines of a bulk file were followed by no record",
    "bots": "searches are of sessions that behave as machines do; they are flagged, and count",
    "click_before_search": "rows have a click that is older than its search; it is kept",
    "click_without_document": "clicks name no document; they count as clicks, at no rank",
    "click_without_rank": "searches have a click without a rank; it counts for CTR, not for MRR",
    "dwell_without_click": "rows have a dwell time and no click; it counts for nothing",
    "empty_query": "searches have an empty query; they are kept and counted",
    "empty_results_cell": "searches have an empty list cell; it was taken as: nothing was found",
    "epoch_microseconds": "times are numbers, taken as microseconds since 1970 (UTC)",
    "epoch_milliseconds": "times are numbers, taken as milliseconds since 1970 (UTC)",
    "epoch_nanoseconds": "times are numbers, taken as nanoseconds since 1970 (UTC)",
    "epoch_seconds": "times are numbers, taken as seconds since 1970 (UTC)",
    "further_keys": "rows have keys that have no meaning here; they are kept in `extra`",
    "future_time": "rows have a time more than a day after now; they are kept and counted "
    "at that time; the latest",
    "identical_rows": "rows equal an earlier row of the log, which has no event_id; "
    "they were taken to repeat it",
    "local_time_skipped": "times without a zone fall into an hour that a change of clocks leaves "
    "out there; they were taken an hour later",
    "local_time_twice": "times without a zone fall into an hour that a change of clocks repeats; "
    "the second one was taken",
    "model_assumed": "searches name no model; they got the one that was told for all",
    "model_from_application": "searches name no model; the name of their application stands for it",
    "model_from_nothing": 'searches name neither model nor application; their model is "unknown"',
    "model_from_option": "searches name no model; they got the one that was told for all",
    "no_search_id": "rows name no search; they are kept, without a search",
    "no_session": "searches name neither session nor user; each is a session of its own",
    "no_user_query": "query records hold no query; they are kept as searches with an empty one",
    "off_list": "searches have a click outside the result list; it is kept and counted",
    "page_dwell": "clicks have a dwell_time; it is the time on the page before the click, not "
    "after, and is kept in `extra`",
    "page_out_of_reach": "rows list results over 10,000 ranks behind the first of their search; "
    "they stay out of its list",
    "query_changed": "rows name another query than earlier rows of their search; the latest counts",
    "rank_base_changed": "results are at rank 0 although the application counted from 1 before; "
    "it is taken to count from 0 now",
    "rank_base_unconfirmed": "results are at rank 1 and none at 0 although the application counted "
    "from 0 before; it is still taken to count from 0",
    "rank_mismatch": "searches have a click whose rank is not its place in the list; "
    "the rank stays as logged",
    "rank_zero_is_rare": "results are at rank 0, far fewer than at rank 1; "
    "the application is taken to count from 0, see whether it does",
    "ranks_shifted": "searches have clicks whose ranks were counted from 0; they were moved by one",
    "repeated_search_id": "rows are further rows of a search, such as its next page; "
    "they were merged into it",
    "session_by_user": "searches name a user and no session; "
    "30 minutes without anything end a session",
    "told_by_searches": "rows of interactions are told by the table of searches as well; "
    "they were passed over",
    "without_search": "rows belong to a search that is not known; they are kept, and join it "
    "when it comes",
    "zone_assumed": "times name no zone; they are taken in the one that was told",
}
"""Code of a note -> a sentence that follows a number of rows."""


def sentence_of(code: str, n: int = 2) -> str:
    """What a note says of the `n` rows that it counts; an unknown code, as its own words."""
    said = NOTES.get(code) or code.replace("_", " ")
    return _of_one(said) if n == 1 else said


def note_in_words(code: str, n: int) -> str:
    """A note as a sentence with its count; a code that is not known, as its own words.

    >>> note_in_words("empty_query", 1200)
    '1,200 searches have an empty query; they are kept and counted'
    >>> note_in_words("empty_query", 1)
    '1 search has an empty query; it is kept and counted'
    """
    return counted(n, sentence_of(code))


def counted(n: int, sentence: str) -> str:
    """A number of rows, and the sentence of `NOTES` or its like that follows it, of one or more."""
    return f"{n:,} {_of_one(sentence) if n == 1 else sentence}"


def _of_one(sentence: str) -> str:
    head, semicolon, rest = sentence.partition("; ")
    noun = _NOUNS.match(head)
    if noun is None:
        return sentence
    single = "search" if noun[0] == "searches" else noun[0].removesuffix("s")
    head = _VERBS.sub(lambda verb: _SINGLE[verb[0]], single + head[noun.end() :], count=1)
    rest = _PRONOUN.sub(lambda they: f"it {_SINGLE.get(they[1], they[1])}", rest)
    rest = rest.replace("and count", "and counts") if rest.endswith("and count") else rest
    return f"{head}{semicolon}{rest}"
