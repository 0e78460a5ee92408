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
