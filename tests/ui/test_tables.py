from ui.tables import Column, Html, Tile, named, shortened, table, tiles, with_note

MODEL = "<b>e5</b>"


def test_cells_are_escaped_unless_they_are_ours() -> None:
    html = table([Column("model"), Column("n", numeric=True)], [[MODEL, Html("<i>3</i>")]])
    assert "<b>" not in html
    assert "&lt;b&gt;e5&lt;/b&gt;" in html
    assert '<td class="gs-number"><i>3</i></td>' in html


def test_a_row_begins_with_its_heading() -> None:
    html = table([Column("model"), Column("n")], [["bm25", "3"]], caption="Scores")
    assert html.count('<th scope="row">') == 1
    assert html.count('<th scope="col"') == 2
    assert "<caption><bdi>Scores</bdi></caption>" in html


def test_names_and_notes_are_escaped() -> None:
    assert "<b>" not in named(MODEL, "#0072B2")
    assert "<b>" not in with_note(MODEL, MODEL)
    assert "<b>" not in tiles([Tile(MODEL, MODEL, MODEL)])


def test_what_stands_below_a_row_spans_its_columns() -> None:
    columns, rows = [Column("rater"), Column("n")], [["ann", "3"], ["bob", "4"]]
    html = table(columns, rows, below=["", MODEL])
    assert html.count("<tr>") == 3
    assert html.count('<tr class="gs-below"><td colspan="2">') == 1
    assert html.index("bob") < html.index("gs-below")
    assert "<b>" not in html


def test_a_long_text_is_whole_under_the_mouse_and_never_markup() -> None:
    hostile = f'"><b>{"x" * 3000}'
    html = shortened(hostile)
    assert html.startswith('<span class="gs-two-lines" title="&quot;&gt;&lt;b&gt;xxx')
    assert "<b>" not in html
    assert "gs-two-lines" not in shortened("short")
