"""Reads what Quepid writes: books (JSON, CSV), cases and ratings (JSON).

A Quepid file names queries by their text. Documents, queries and judgments are three views of one
book; each import takes its own. `unrateable` is cannot_judge and `judge_later` is skip: neither is
a grade.
"""

import csv
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from builder.errors import ImportFailedError
from builder.importers.json_stream import array_members
from builder.importers.rows import FaultError, Row, Shape, shown
from builder.importers.tables import table_rows
from evals.qrels import GRADE_NAMES

PAIRS, QUERIES = "query_doc_pairs", "queries"
CSV_HEADER = ["query", "docid"]
NOBODY = "Unknown"
"""What Quepid writes over the ratings of people whom it has forgotten."""

_BOOK = re.compile(rf'(?<!\\)"{PAIRS}"\s*:\s*\[')
_CASE = re.compile(rf'(?<!\\)"{QUERIES}"\s*:\s*\[')
_RATINGS = re.compile(r'(?<!\\)"(ratings|case_name)"\s*:')
_ADDRESS = re.compile(r"\s*(https?:)?//\S+\s*")

# Of a pair; `name`, `position` and the like say how the book looked, not what was judged.
_OF_PAIR = {"query_text", "doc_id", "judgements", "position", "document_fields"}
_OF_PAIR |= {"information_need", "notes", "options"}
_OF_QUERY = {"query_text", "query", "ratings", "information_need", "notes", "options"}
_OF_QUERY |= {"arranged_at", "arranged_next", "query_id", "modified_at"}
_OF_RATING = {"rating", "unrateable", "judge_later", "user_email", "explanation", "doc_id"}
_OF_RATING |= {"created_at", "updated_at", "user_name", "judgement_id"}


def is_json(head: Sequence[str], shape: Shape) -> bool:
    """Whether these are the first lines of a book, a case or ratings as Quepid exports them."""
    if not head[0].lstrip().startswith("{") or _is_row(head[0], shape):
        return False
    text = "\n".join(head)
    return bool(_BOOK.search(text) or (_CASE.search(text) and _RATINGS.search(text)))


def is_book_json(head: Sequence[str]) -> bool:
    """Whether these are the first lines of a book, which holds documents too."""
    return head[0].lstrip().startswith("{") and bool(_BOOK.search("\n".join(head)))


def is_book_csv(line: str) -> bool:
    """Whether this is the header of a book as CSV: query, docid, and a column for each rater."""
    header = [cell.strip() for cell in next(csv.reader(line.splitlines()), [])]
    lower = [cell.lower() for cell in header]
    return lower[:2] == CSV_HEADER and not {*GRADE_NAMES, "outcome"} & set(lower)


def json_rows(path: Path, stream: IO[bytes], shape: Shape) -> Iterator[Row]:
    """The documents, queries, pairs or judgments of a book, a case, or ratings.

    Raises:
        ImportFailedError: The file is no whole JSON.
    """
    views = {"documents": _documents, "queries": _queries, "judgments": _judgments}
    views["pairs"] = _pairs
    if shape.what not in views:
        raise ImportFailedError(f"A Quepid file holds no {shape.what}.", where=str(path))
    return views[shape.what](path.name, _numbered(stream, str(path)))


def book_csv_rows(path: Path, stream: IO[bytes], shape: Shape) -> Iterator[Row]:
    """The judgments of a book as CSV: one for each cell that holds a rating.

    Raises:
        ImportFailedError: The header is not that of a book.
    """
    columns = Shape(shape.what, required=(("query",), ("docid",)))
    for row in table_rows(path.name, stream, ",", columns):
        if row.fault:
            yield row
            continue
        named = {"corpus-id": row.cells["docid"]}
        for rater, rating in row.cells.items():
            if rater not in CSV_HEADER and rating.strip():
                cells = {**named, "rater": None if rater == NOBODY else rater, "grade": rating}
                yield Row(row.file, row.line, row.raw, cells, query_text=row.cells["query"])


Numbered = Iterator[tuple[int, str, Any]]
"""(number from 1, name of its array, element)"""


def _numbered(stream: IO[bytes], where: str) -> Numbered:
    found = False
    for number, (name, element) in enumerate(
        array_members(stream, (PAIRS, QUERIES), where), start=1
    ):
        found = True
        yield number, name, element
    if not found:
        raise ImportFailedError("The Quepid file holds no pairs and no queries.", where=where)


def _documents(file: str, elements: Numbered) -> Iterator[Row]:
    """Each document once; one that differs between pairs comes as often as it differs."""
    met: set[bytes] = set()
    for number, name, element in elements:
        if name != PAIRS:
            continue
        if not isinstance(element, dict):
            yield _no_object(file, number, element)
            continue
        given = element.get("doc_id"), element.get("document_fields")
        told = json.dumps(given, ensure_ascii=False)
        key = hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if key not in met:
            met.add(key)
            yield _document(Row(file, number, told), *given)


def _document(row: Row, doc_id: Any, fields: Any) -> Row:
    try:
        told = json.loads(fields) if isinstance(fields, str) and fields.strip() else fields
    except (ValueError, RecursionError):
        row.fault = FaultError("bad_json", f"document_fields is {shown(fields)}, which is no JSON.")
        return row
    if told is not None and told != "" and not isinstance(told, dict):
        row.fault = FaultError("bad_json", f"document_fields is {shown(told)}, which is no object.")
        return row
    row.cells = {"_id": doc_id, **_texts(told or {})}
    return row


def _texts(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Title, text and metadata.

    Where no field is called `text`, the text is what the other fields say, in their order, without
    addresses of pictures and pages; all of them are metadata as well.
    """
    heading = next((name for name in ("title", "name") if _words(fields.get(name))), None)
    title = _words(fields.get(heading)) if heading else ""
    rest = {name: value for name, value in fields.items() if name not in ("title", "text")}
    if isinstance(fields.get("text"), str):
        return {"title": title, "text": fields["text"], "metadata": rest}
    said = (_words(value) for name, value in rest.items() if name != heading)
    text = "\n".join(words for words in said if words)
    if not title and not text:
        return {"title": title, "metadata": rest}
    return {"title": title, "text": text, "metadata": rest}


def _words(value: Any) -> str:
    """What a field says to a reader; "" where it is an address, or no text."""
    if isinstance(value, list):
        return " ".join(filter(None, map(_words, value)))
    return value if isinstance(value, str) and not _ADDRESS.fullmatch(value) else ""


def _queries(file: str, elements: Numbered) -> Iterator[Row]:
    """Each query once, with the first need that the file gives; a second need comes as a row."""
    needs: dict[tuple[str, str | None], list[Row]] = {}
    for number, _, element in elements:
        if not isinstance(element, dict):
            yield _no_object(file, number, element)
            continue
        row = _query(file, number, element)
        key = str(row.query_text), row.cells.get("_id")
        same = needs.setdefault(key, [row])
        known = [other.cells.get("need") for other in same]
        need = row.cells.get("need")
        if known == [None]:
            same[0].cells = {**same[0].cells, **row.cells}
        elif need is not None and need not in known:
            same.append(row)
    for same in needs.values():
        yield from same


def _query(file: str, number: int, element: Mapping[str, Any]) -> Row:
    text = _query_text(element)
    cells = {"text": text}
    if need := element.get("information_need"):
        cells["need"] = need
    if hint := _query_hint(element):
        cells["_id"] = hint
    raw = json.dumps({**cells, "query_text": text}, ensure_ascii=False)
    return Row(file, number, raw, cells, query_text=text)


def _query_text(element: Mapping[str, Any]) -> Any:
    return element.get("query_text", element.get("query"))


def _query_hint(element: Mapping[str, Any]) -> str | None:
    """The query's id in the workspace that wrote the book; Quepid keeps `options` untouched."""
    options = element.get("options")
    hint = options.get("query_id") if isinstance(options, dict) else None
    return hint if isinstance(hint, str) else None


def _pairs(file: str, elements: Numbered) -> Iterator[Row]:
    """Each pair, judged or not."""
    for number, name, element in elements:
        if name != PAIRS:
            continue
        if not isinstance(element, dict):
            yield _no_object(file, number, element)
            continue
        cells = {"corpus-id": element.get("doc_id"), "query-id": _query_hint(element)}
        yield Row(file, number, _raw(element, None), cells, query_text=_query_text(element))


def _judgments(file: str, elements: Numbered) -> Iterator[Row]:
    for number, name, element in elements:
        if not isinstance(element, dict):
            yield _no_object(file, number, element)
            continue
        ratings = element.get("judgements" if name == PAIRS else "ratings")
        if isinstance(ratings, dict):
            ratings = [{"doc_id": key, "rating": value} for key, value in ratings.items()]
        if ratings is not None and not isinstance(ratings, list):
            fault = FaultError("bad_json", f"The ratings are {shown(ratings)}, which is no list.")
            yield Row(file, number, _raw(element, ratings), {}, fault)
            continue
        understood = _OF_PAIR if name == PAIRS else _OF_QUERY
        unknown = {key: value for key, value in element.items() if key not in understood}
        for rating in ratings or ():
            yield _judgment(file, number, element, rating, unknown)


def _judgment(
    file: str, number: int, of: Mapping[str, Any], rating: Any, unknown: Mapping[str, Any]
) -> Row:
    raw = _raw(of, rating)
    if not isinstance(rating, dict):
        return Row(file, number, raw, {}, FaultError("bad_json", "A rating is no object."))
    cells: dict[str, Any] = {name: rating[name] for name in rating if name not in _OF_RATING}
    cells |= {name: value for name, value in unknown.items() if name not in cells}
    cells["corpus-id"] = rating.get("doc_id", of.get("doc_id"))
    cells["rater"] = rater = rating.get("user_email") or None
    cells["timestamp"] = rating.get("updated_at") or rating.get("created_at")
    cells |= _verdict(rating, _texts_of(of, rater))
    if hint := _query_hint(of):
        cells["query-id"] = hint
    if kind := _kind(of, rater):
        cells["kind"] = kind
    return Row(file, number, raw, cells, query_text=_query_text(of))


def _verdict(rating: Mapping[str, Any], texts: tuple[str, str] | None) -> dict[str, Any]:
    """Grade, outcome and texts; `texts` are reason and comment where a book of ours keeps both."""
    outcome = "cannot_judge" if rating.get("unrateable") is True else None
    if outcome is None and rating.get("judge_later") is True:
        outcome = "skip"
    said = rating.get("explanation") or ""
    reason, comment = (said, "") if outcome else ("", said)
    # What was written anew in Quepid counts, not what we once told apart.
    if texts is not None and said == "\n".join(filter(None, texts)):
        reason, comment = texts
    grade = rating.get("rating")
    return {"grade": grade, "outcome": outcome, "comment": comment, "reason": reason}


def _texts_of(of: Mapping[str, Any], rater: Any) -> tuple[str, str] | None:
    """Reason and comment of this rater, where our own export has kept them apart."""
    options = of.get("options")
    texts = options.get("rater_texts") if isinstance(options, dict) else None
    kept = texts.get(rater) if isinstance(texts, dict) and isinstance(rater, str) else None
    if not isinstance(kept, list) or [type(text) for text in kept] != [str, str]:
        return None
    return kept[0], kept[1]


def _kind(of: Mapping[str, Any], rater: Any) -> Any:
    options = of.get("options")
    kinds = options.get("rater_kinds") if isinstance(options, dict) else None
    return kinds.get(rater) if isinstance(kinds, dict) else None


def _raw(of: Mapping[str, Any], rating: Any) -> str:
    told = {"query_text": _query_text(of), "doc_id": of.get("doc_id"), "rating": rating}
    return json.dumps(told, ensure_ascii=False)


def _no_object(file: str, number: int, element: Any) -> Row:
    fault = FaultError("bad_json", f"A pair is an object, and this is {shown(element)}.")
    return Row(file, number, json.dumps(element, ensure_ascii=False), {}, fault)


def _is_row(line: str, shape: Shape) -> bool:
    """Whether the line is a whole JSON object with the id that rows of this shape have."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(told, dict) and bool(told.keys() & set(shape.required[0]))
