"""Two sides' grades of the same pairs against each other, as a table of four by four."""

from collections.abc import Sequence

from ui.numbers import count
from ui.tables import Column, Html, table
from ui.text import inline


def confusion_table(
    confusion: Sequence[Sequence[int]], names: Sequence[str], one: str, other: str, caption: str
) -> str:
    """Safe HTML: a row a grade of one side, a column a grade of the other, darker where more are.

    Args:
        confusion: Grade of one side -> grade of the other -> how many.
        names: Of the grades 0 to 3.
        one: Whose grades the rows are.
        other: Whose the columns are.
        caption: What is counted.
    """
    columns = [
        Column(one),
        *(Column(f"{other} {grade}", numeric=True) for grade in range(len(names))),
    ]
    most = max(map(max, confusion))
    rows = [
        [
            Html(f"{grade} <small>{inline(names[grade])}</small>"),
            *(_shaded(n, most, equal=grade == its) for its, n in enumerate(row)),
        ]
        for grade, row in enumerate(confusion)
    ]
    return f'<div class="gs-confusion">{table(columns, rows, caption=caption)}</div>'


def _shaded(n: int, most: int, *, equal: bool) -> Html:
    share = round(45 * n / most) if most else 0
    framed = ' class="gs-equal"' if equal else ""
    return Html(f'<span{framed} style="--gs-share:{share}%">{count(n)}</span>')
