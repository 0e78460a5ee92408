"""Tables and figures as plain HTML: they wrap on a phone, follow the theme and can be read aloud.

Cells are escaped unless they are `Html`, which only our own code makes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from ui.text import clean, inline

_TWO_LINES = 40
"""Characters that are two lines in the narrowest column, or less."""


class Html(str):
    """Markup that is safe already: made here or of escaped parts."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, and whether it holds numbers (set to the right)."""

    title: str
    numeric: bool = False


@dataclass(frozen=True, slots=True)
class Tile:
    """One figure: what it is, its value, and its interval and n."""

    name: str
    value: str
    note: str = ""


def table(
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    *,
    caption: str = "",
    below: Sequence[str] = (),
) -> str:
    """The table; the first cell of each row is its heading.

    Args:
        columns: What the cells are.
        rows: The cells.
        caption: Stands above the table.
        below: What stands under each row across all columns; "" where nothing does.
    """
    head = "".join(f'<th scope="col"{_class(c)}>{escape(c.title)}</th>' for c in columns)
    across = [_across(columns, text) for text in below] or [""] * len(rows)
    body = "".join(
        f"<tr>{_row(columns, row)}</tr>{under}" for row, under in zip(rows, across, strict=True)
    )
    title = f"<caption>{_cell(caption)}</caption>" if caption else ""
    return (
        f'<div class="gs-scroll"><table class="gs-table">{title}<thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def tiles(figures: Sequence[Tile]) -> str:
    """Figures side by side, as many in a row as fit."""
    return f'<div class="gs-tiles">{"".join(map(_tile, figures))}</div>'


def with_note(value: str, note: str) -> Html:
    """A cell with a small second line: a value and its interval."""
    return Html(f"{_cell(value)}<small>{_cell(note)}</small>")


def shortened(text: str) -> Html:
    """A text of people in two lines at most; where it may be longer, the whole under the mouse."""
    if len(text) <= _TWO_LINES:
        return Html(inline(text))
    whole = escape(clean(text))
    return Html(f'<span class="gs-two-lines" title="{whole}">{inline(text)}</span>')


def named(name: str, colour: str) -> Html:
    """A model's name behind a dot of its colour."""
    return Html(f'<span class="gs-dot" style="background:{colour}"></span>{inline(name)}')


def _tile(figure: Tile) -> str:
    return (
        f'<div class="gs-tile"><div class="gs-tile-name">{_cell(figure.name)}</div>'
        f'<div class="gs-tile-value">{_cell(figure.value)}</div>'
        f'<div class="gs-tile-note">{_cell(figure.note)}</div></div>'
    )


def _row(columns: Sequence[Column], row: Sequence[str]) -> str:
    first = f'<th scope="row">{_cell(row[0])}</th>'
    rest = zip(columns[1:], row[1:], strict=True)
    return first + "".join(f"<td{_class(c)}>{_cell(cell)}</td>" for c, cell in rest)


def _across(columns: Sequence[Column], text: str) -> str:
    if not text:
        return ""
    return f'<tr class="gs-below"><td colspan="{len(columns)}">{_cell(text)}</td></tr>'


def _cell(text: str) -> str:
    return str(text) if isinstance(text, Html) else inline(text)


def _class(column: Column) -> str:
    return ' class="gs-number"' if column.numeric else ""
