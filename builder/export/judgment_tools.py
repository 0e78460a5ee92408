"""Raw judgments for other tools: Quepid's books and Label Studio's tasks.

Only what people and imported files said goes there: neither tool could tell a language model from
a person, and nor could we when it comes back.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any
from xml.sax.saxutils import quoteattr

from builder.errors import BuilderError
from builder.export.judgment_source import PAIRS_AT_ONCE, JudgmentSource
from builder.settings import Settings
from builder.spreadsheets import BOM, begins_formula, csv_line
from builder.store.batches import batches
from builder.store.documents import documents_by_ids
from builder.store.judgment_rows import JudgmentRow
from evals.records import Document, Query

_HEADER = ("query", "docid")
_FORGOTTEN = "unknown"
"""Quepid's column of ratings whose rater it has forgotten."""

_CHOICE = ("value", "alias", "hotkey")

_encode = json.JSONEncoder(ensure_ascii=False).encode

INTERFACE = """\
<View>
  <Header value="$query"/>
  <Text name="need" value="$need"/>
  <Header size="5" value="$title"/>
  <Text name="document" value="$text"/>
  <Choices name="grade" toName="document" choice="single" required="true">
{choices}
  </Choices>
  <TextArea name="comment" toName="document" placeholder="Comment" maxSubmissions="1"/>
  <TextArea name="reason" toName="document" placeholder="Why it cannot be judged"
    maxSubmissions="1"/>
</View>
"""


def write_quepid_csv(stream: IO[str], source: JudgmentSource) -> None:
    """A book as CSV: query, docid, and a column of grades for each rater.

    It has no place for comments; they are counted in `left_out`. As Quepid does, a blank is put
    before a query or a name that would be a formula; for Excel also before document ids.

    Raises:
        BuilderError: A rater is called as one of the other columns.
    """
    graders = source.graders()
    _refuse_column_names(graders)
    end = "\r\n" if source.asked.excel else "\n"
    stream.write(BOM if source.asked.excel else "")
    stream.write(csv_line([*_HEADER, *map(_blanked, graders)], end=end))
    queries, texts = source.queries(), _SharedTexts()
    for (query_id, doc_id), rows in source.pairs():
        grades = {row.rater: row.grade for row in rows if row.grade is not None}
        source.tally.left_out.update(row.outcome for row in rows if row.grade is None)
        if not grades:
            continue
        text = queries[query_id].text
        texts.meet(query_id, text)
        document = _blanked(doc_id) if source.asked.excel else doc_id
        ratings = [grades.get(name) for name in graders]
        stream.write(csv_line([_blanked(text), document, *ratings], end=end))
        _count_graded(source, [row for row in rows if row.grade is not None])
    source.tally.warnings += texts.warnings()


def write_quepid_json(stream: IO[str], source: JudgmentSource) -> None:
    """A book as JSON, one pair a line; `options`, which Quepid leaves alone, keep our ids."""
    head = _encode(_book(source.settings))
    stream.write(f'{head[:-1]}, "query_doc_pairs": [')
    queries, sign, position = source.queries(), "\n", _Positions()
    for query, document, rows in _with_documents(source, queries):
        pair = _quepid_pair(query, document, rows, position.of(query.query_id))
        stream.write(sign + _encode(pair))
        _count(source, rows)
        sign = ",\n"
    stream.write("\n]}\n")


def write_label_studio(stream: IO[str], source: JudgmentSource) -> None:
    """An array of tasks, one a line, each with the annotations of its raters."""
    queries, sign, number = source.queries(), "[\n", 0
    for number, (query, document, rows) in enumerate(_with_documents(source, queries), start=1):
        stream.write(sign + _encode(_task(number, query, document, rows)))
        _count(source, rows)
        sign = ",\n"
    stream.write("\n]\n" if number else "[]\n")


def labelling_interface(settings: Settings) -> str:
    """The labelling interface of a Label Studio project in which such tasks are graded."""
    named = [(f"{grade} {name}", str(grade)) for grade, name in enumerate(settings.grades.names)]
    choices = [(*pair, pair[1]) for pair in named] + [("Cannot judge", "cannot_judge", "x")]
    lines = [
        " ".join(f"{name}={_attribute(text)}" for name, text in zip(_CHOICE, choice, strict=True))
        for choice in choices
    ]
    return INTERFACE.format(choices="\n".join(f"    <Choice {line}/>" for line in lines))


class _SharedTexts:
    """Notices where a text does not say which query is meant."""

    def __init__(self) -> None:
        self._by_text: dict[str, str] = {}
        self._shared: set[str] = set()

    def meet(self, query_id: str, text: str) -> None:
        if self._by_text.setdefault(text, query_id) != query_id:
            self._shared.add(text)

    def warnings(self) -> list[str]:
        if not self._shared:
            return []
        example = min(self._shared)[:60]
        return [
            f"{len(self._shared)} texts belong to several queries, such as {example!r}; the file "
            "names queries by their text only"
        ]


class _Positions:
    """Numbers the documents of each query; pairs of one query come together."""

    def __init__(self) -> None:
        self._query_id, self._position = "", 0

    def of(self, query_id: str) -> int:
        self._position = self._position + 1 if query_id == self._query_id else 1
        self._query_id = query_id
        return self._position


def _with_documents(
    source: JudgmentSource, queries: Mapping[str, Query]
) -> Iterator[tuple[Query, Document, list[JudgmentRow]]]:
    for batch in batches(source.pairs(), PAIRS_AT_ONCE):
        asked = list({doc_id for (_, doc_id), _ in batch})
        documents = documents_by_ids(source.connection, asked)
        for (query_id, doc_id), rows in batch:
            yield queries[query_id], documents[doc_id], rows


def _count_graded(source: JudgmentSource, rows: Sequence[JudgmentRow]) -> None:
    """Count grades of which only the number is written; what was said of them stays behind."""
    _count(source, rows)
    if texts := sum(bool(row.comment) + bool(row.reason) for row in rows):
        source.tally.left_out["comments"] += texts


def _count(source: JudgmentSource, rows: Sequence[JudgmentRow]) -> None:
    source.tally.pairs += 1
    for row in rows:
        source.tally.take(row)


def _book(settings: Settings) -> dict[str, Any]:
    labels = dict(zip("0123", settings.grades.names, strict=True))
    return {
        "name": settings.name,
        "show_rank": False,
        "support_implicit_judgements": False,
        "scale": [0, 1, 2, 3],
        "scale_with_labels": labels,
        "scorer": {"name": "nDCG@10", "scale": [0, 1, 2, 3], "scale_with_labels": labels},
        "selection_strategy": {"name": "Multiple Raters"},
    }


def _quepid_pair(
    query: Query, document: Document, rows: Sequence[JudgmentRow], position: int
) -> dict[str, Any]:
    fields = {**document.metadata, "title": document.title, "text": document.text}
    kinds = {row.rater: row.kind for row in rows if row.kind != "human"}
    texts = {row.rater: [row.reason, row.comment] for row in rows if _would_move(row)}
    more = {"rater_kinds": kinds, "rater_texts": texts}
    options = {"query_id": query.query_id} | {name: told for name, told in more.items() if told}
    return {
        "query_text": query.text,
        "doc_id": document.doc_id,
        "position": position,
        "document_fields": _encode(fields),
        "information_need": query.need or None,
        "notes": None,
        "options": options,
        "judgements": [_judgement(row) for row in rows],
    }


def _would_move(row: JudgmentRow) -> bool:
    """Whether reason or comment would not come back as what it is from Quepid's one text."""
    return bool(row.reason if row.outcome == "grade" else row.comment)


def _judgement(row: JudgmentRow) -> dict[str, Any]:
    # A book has one text for both; its options tell them apart for whoever imports it again.
    said = "\n".join(filter(None, [row.reason, row.comment]))
    told = {
        "rating": None if row.grade is None else float(row.grade),
        "unrateable": row.outcome == "cannot_judge",
        "judge_later": row.outcome == "skip",
        "user_email": row.rater,
        "explanation": said or None,
    }
    return told if row.moment is None else {**told, "created_at": row.moment}


def _task(
    number: int, query: Query, document: Document, rows: Sequence[JudgmentRow]
) -> dict[str, Any]:
    return {
        "id": number,
        "annotations": [_annotation(place, row) for place, row in enumerate(rows, start=1)],
        "predictions": [],
        "data": {
            "query_id": query.query_id,
            "doc_id": document.doc_id,
            "query": query.text,
            "need": query.need,
            "title": document.title,
            "text": document.text,
        },
    }


def _annotation(place: int, row: JudgmentRow) -> dict[str, Any]:
    answer = str(row.grade) if row.outcome == "grade" else row.outcome
    results = [] if row.outcome == "skip" else [_result("grade", "choices", [answer])]
    texts = [("comment", row.comment), ("reason", row.reason)]
    results += [_result(name, "textarea", [text]) for name, text in texts if text]
    told = {
        "id": place,
        "completed_by": {"email": row.rater},
        "result": results,
        "was_cancelled": row.outcome == "skip",
        "ground_truth": False,
        "lead_time": None if row.milliseconds is None else row.milliseconds / 1000,
        "kind": row.kind,
    }
    times = {} if row.moment is None else {"created_at": row.moment, "updated_at": row.moment}
    return told | times


def _result(name: str, kind: str, value: list[str]) -> dict[str, Any]:
    key = "choices" if kind == "choices" else "text"
    return {
        "id": name,
        "from_name": name,
        "to_name": "document",
        "type": kind,
        "value": {key: value},
    }


def _refuse_column_names(graders: Sequence[str]) -> None:
    for name in graders:
        if name.lower() in (*_HEADER, _FORGOTTEN):
            raise BuilderError(
                f"A rater is called {name!r}, as a column of Quepid's CSV.",
                hint="Take quepid-json, or --pseudonymous.",
            )


def _blanked(text: str) -> str:
    return f" {text}" if begins_formula(text) else text


def _attribute(text: str) -> str:
    return quoteattr("".join(sign for sign in text if sign >= " "))
