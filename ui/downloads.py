"""What a page shows, to take away: tables as CSV, charts as PNG and SVG.

A CSV file runs nothing in a spreadsheet (builder/spreadsheets.py), holds days and numbers as they
are, and is written only when somebody asks. A picture is made in the browser of the chart on
screen: same colours, same width.
"""

import json
import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from builder.spreadsheets import readable_csv
from ui.frame import section

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

_SCRIPT = Path(__file__).with_name("chart_files.js")
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9@._-]+")
_LONGEST_NAME = 120
# What the browser could not make a picture of: Streamlit draws large charts as pixels otherwise.
_AS_SVG = {"embedOptions": {"renderer": "svg"}}


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table to take away.

    Attributes:
        columns: Their names, ours.
        rows: Texts, numbers, and None for empty cells; numbers in full precision.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[object]]


def sheet_of(frame: "pd.DataFrame") -> Sheet:
    """The table behind a chart: times as ISO 8601, missing values as empty cells."""
    rows = [tuple(map(_plain, row)) for row in frame.itertuples(index=False, name=None)]
    return Sheet(list(frame.columns), rows)


def file_name(*parts: object) -> str:
    """A file's name, without its ending, of what it holds: letters, digits and "@._-" only."""
    words = [_NOT_IN_A_NAME.sub("-", str(part)).strip("-.") for part in parts]
    return "-".join(filter(None, ["goldsmith", *words]))[:_LONGEST_NAME]


def offer_csv(make: Callable[[], Sheet], file: str, *, key: str, what: str) -> None:
    """A button that downloads a table.

    Args:
        make: Gives the table when it is asked for, on a thread of its own.
        file: Name of the file without its ending; see `file_name`.
        key: Unique on the page.
        what: Names the table for screen readers, ours.
    """
    st.download_button(
        "CSV",
        data=partial(_csv, make),
        file_name=f"{file}.csv",
        mime="text/csv",
        key=f"csv_{key}",
        help=f"Download the table: {what}",
        on_click="ignore",
        type="tertiary",
        icon=":material/download:",
    )


def titled_csv(title: str, make: Callable[[], Sheet], file: str, *, key: str) -> None:
    """The heading of a table, and at its end the button that downloads it.

    Args:
        title: Of the table, ours.
        make: Gives the table when it is asked for.
        file: Name of the file without its ending; see `file_name`.
        key: Unique on the page.
    """
    with st.container(key=f"titled_{key}", horizontal=True):
        section(title)
        offer_csv(make, file, key=key, what=title)


def show_chart(
    draw: "Callable[[], alt.Chart | alt.LayerChart]",
    *,
    drawn_of: Hashable,
    title: Sequence[str],
    file: str,
    key: str,
    make: Callable[[], Sheet],
) -> None:
    """A chart, and below it what takes it away: as PNG, as SVG, and its numbers as CSV.

    Args:
        draw: Draws it, once for all that `drawn_of` names: Altair takes longer than the rest.
        drawn_of: All that the drawing depends on.
        title: What it shows and of what, for the picture and for screen readers; the first line is
            ours, the others may hold data.
        file: Name of the files without ending; see `file_name`.
        key: Unique on the page.
        make: Gives the numbers when they are asked for.
    """
    with st.container(key=f"chart_{key}"):
        spec = json.loads(_spec(key, drawn_of, draw))
        st.vega_lite_chart(spec=spec, width="stretch", alt=title[0])
        with st.container(key=f"files_{key}", horizontal=True, vertical_alignment="center"):
            told = {"title": list(title), "file": file}
            _component()(key=f"pictures_{key}", data=told, width="content")
            offer_csv(make, file, key=key, what=title[0])


@st.cache_resource(max_entries=64, show_spinner=False)
def _spec(
    key: str,  # noqa: ARG001 - part of the key
    drawn_of: Hashable,  # noqa: ARG001 - part of the key
    _draw: "Callable[[], alt.Chart | alt.LayerChart]",
) -> str:
    """The chart in Vega-Lite's language."""
    spec = _draw().properties(usermeta=_AS_SVG).to_dict(validate=False)
    # Altair's own theme has a fixed size; Streamlit's, put on later, has the page's width.
    spec.pop("config", None)
    return json.dumps(spec, allow_nan=False)


def _csv(make: Callable[[], Sheet]) -> bytes:
    sheet = make()
    return readable_csv(sheet.columns, sheet.rows)


def _plain(value: Any) -> object:
    """A cell as the file holds it."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return None if value is None or value != value else value  # noqa: PLR0124 - NaN


@lru_cache(maxsize=1)
def _component() -> Callable[..., Any]:
    script = _SCRIPT.read_text(encoding="utf-8")
    return st.components.v2.component("goldsmith_chart_files", js=script, isolate_styles=False)
