from pathlib import Path

import pandas as pd

from ui import charts


def test_a_model_keeps_its_colour_when_others_come(tmp_path: Path) -> None:
    file = tmp_path / "cache" / "models.json"
    first = charts.model_colours(file, ["minilm", "bm25"])
    later = charts.model_colours(file, ["a new one", "minilm"])
    assert first == {"bm25": charts.OKABE_ITO[0], "minilm": charts.OKABE_ITO[1]}
    assert later["minilm"] == first["minilm"]
    assert later["a new one"] == charts.OKABE_ITO[2]


def test_a_broken_note_of_colours_costs_only_the_colours(tmp_path: Path) -> None:
    file = tmp_path / "models.json"
    file.write_text("{broken")
    assert charts.model_colours(file, ["bm25"]) == {"bm25": charts.OKABE_ITO[0]}


def test_clicks_by_rank_are_shares_and_the_deep_ranks_are_one() -> None:
    frame = charts.clicks_by_rank({"bm25": {"1": 3, "2": 1, "11": 3, "40": 1}, "none": {}})
    shares = dict(zip(frame["rank"], frame["share"], strict=True))
    assert shares["1"] == 3 / 8
    assert shares["11+"] == 4 / 8
    assert frame["clicks"].sum() == 8
    assert set(frame["model"]) == {"bm25"}


def test_charts_draw_the_interval_in_the_model_s_colour() -> None:
    colours = {"bm25": "#0072B2"}
    scores = pd.DataFrame([{"model": "bm25", "value": 0.5, "low": 0.4, "high": 0.6}])
    drawn = charts.score_chart(scores, colours, "nDCG@10").to_dict()
    assert drawn["layer"][0]["encoding"]["x2"] == {"field": "high"}
    assert drawn["layer"][1]["encoding"]["color"]["scale"]["range"] == ["#0072B2"]
    days = scores.assign(at=pd.Timestamp("2026-11-01"))
    assert charts.time_chart(days, colours, "CTR").to_dict()["layer"][0]["mark"]["type"] == "area"
    ranks = charts.clicks_by_rank({"bm25": {"1": 1}})
    assert charts.rank_chart(ranks, colours).to_dict()["mark"]["type"] == "bar"


def test_a_line_is_broken_where_a_model_lacks_a_day_and_its_days_are_named_in_utc() -> None:
    days = pd.to_datetime(["2026-11-01", "2026-11-02", "2026-11-04"])
    points = pd.DataFrame({"at": days, "model": "a", "value": 0.5, "low": 0.4, "high": 0.6})
    drawn = charts.time_chart(points, {"a": "#0072B2"}, "CTR", form=".1%").to_dict()
    rows = next(iter(drawn["datasets"].values()))
    assert [(row["when"], row["value"]) for row in rows] == [
        ("2026-11-01", 0.5),
        ("2026-11-02", 0.5),
        ("2026-11-03", None),
        ("2026-11-04", 0.5),
    ]
    assert rows[0]["at"] == "2026-11-01 00:00:00+00:00"
    assert drawn["layer"][1]["encoding"]["x"]["scale"] == {"type": "utc"}


def test_an_axis_of_many_days_or_hours_has_few_ticks_and_all_at_points() -> None:
    for freq, periods, most, form in (
        ("D", 400, 5, "%-d %b"),
        ("h", 168, 5, "%-d %b"),
        ("h", 30, 3, "%-d %b %H:%M"),
    ):
        times = list(pd.date_range("2026-11-01", periods=periods, freq=freq))
        axis = charts._time_axis(times).to_dict()
        assert 2 <= len(axis["values"]) <= most
        assert axis["format"] == form
        assert all(value["utc"] for value in axis["values"])


def test_a_chart_draws_the_busiest_models_and_no_two_in_one_colour(tmp_path: Path) -> None:
    names = [f"m{n:02}" for n in range(13)]
    colours = charts.model_colours(tmp_path / "models.json", names)
    drawn = charts.drawn_colours({name: n for n, name in enumerate(names)}, colours)
    assert list(drawn) == names[5:]
    assert len(set(drawn.values())) == len(drawn)
    # m05 to m07 and their namesakes m12 down to m08 share no colour; the busier keeps its own.
    assert all(drawn[name] == colours[name] for name in names[8:])
    assert charts.drawn_colours({"m00": 1, "m08": 2}, colours)["m08"] == colours["m08"]


def test_an_axis_begins_at_0_unless_sure_values_would_be_hidden() -> None:
    def domain(*values: tuple[float, float | None, float | None]) -> list[float]:
        frame = pd.DataFrame(values, columns=["value", "low", "high"]).astype(float)
        return charts._value_domain(frame)

    assert domain((0.4, None, None), (0.3, None, None)) == [0, 0.4]
    assert domain((0.4, None, None), (0.39, None, None)) == [0, 0.4]
    assert domain((0.40, 0.39, 0.41), (0.41, 0.40, 0.42)) == [0.39, 0.42]
    assert domain((0.0, None, None)) == [0, 1]
    assert domain((0.4, None, None)) == [0, 0.4]
    assert domain((-2.0, None, None)) == [-2, 0]


def test_points_of_quarters_of_a_day_have_no_gaps_between() -> None:
    times = pd.to_datetime(["2026-11-01 00:00", "2026-11-01 06:00", "2026-11-01 18:00"])
    points = pd.DataFrame({"at": times, "model": "a", "value": 0.5, "low": 0.4, "high": 0.6})
    drawn = charts.time_chart(points, {"a": "#0072B2"}, "CTR", often="6h").to_dict()
    rows = next(iter(drawn["datasets"].values()))
    assert [row["when"][11:] for row in rows] == ["00:00", "06:00", "12:00", "18:00"]
