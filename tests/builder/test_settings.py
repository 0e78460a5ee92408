from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.errors import SettingsError
from builder.settings import (
    LLMSettings,
    ModelPrice,
    Settings,
    WeakGradeRule,
    read_settings,
    write_default_settings,
)


def written(folder: Path, text: str) -> Path:
    path = folder / "workspace.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_is_written_reads_back_as_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "workspace.toml"
    write_default_settings(path, "Shop search")
    assert read_settings(path) == Settings(name="Shop search")


@given(name=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=80))
def test_any_name_survives(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    if not name.strip():
        return
    path = tmp_path_factory.mktemp("settings") / "workspace.toml"
    write_default_settings(path, name)
    assert read_settings(path).name == name


def test_defaults() -> None:
    settings = Settings(name="x")
    assert settings.timezone == "UTC"
    assert settings.raters_per_pair == 2
    assert settings.grades.names == (
        "not relevant",
        "marginally relevant",
        "relevant",
        "highly relevant",
    )
    assert (settings.guard.same_key_ms, settings.guard.other_key_ms) == (400, 150)


def test_a_file_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    path = written(tmp_path, 'name = "mine"')
    with pytest.raises(FileExistsError):
        write_default_settings(path, "other")
    assert path.read_text(encoding="utf-8") == 'name = "mine"'


def test_events_are_kept_for_ever_unless_it_says_how_long(tmp_path: Path) -> None:
    path = tmp_path / "workspace.toml"
    write_default_settings(path, "x")
    assert read_settings(path).events.keep_days is None
    path.write_text(path.read_text().replace("# [events]\n# keep", "[events]\nkeep"))
    assert read_settings(path).events.keep_days == 400
    path.write_text(path.read_text().replace("keep_days = 400", "keep_days = 0"))
    with pytest.raises(SettingsError, match=r"events\.keep_days does not fit"):
        read_settings(path)


def test_the_proposed_rule_of_weak_grades_is_written_as_a_comment_that_holds(
    tmp_path: Path,
) -> None:
    path = tmp_path / "workspace.toml"
    write_default_settings(path, "x")
    assert "weak_grades" not in read_settings(path).model_fields_set
    head, _, rule = path.read_text().partition("# [weak_grades]")
    rule = rule.partition("\n\n")[0]
    keys = [line.removeprefix("# ") for line in rule.splitlines() if " = " in line]
    assert len(keys) == 7
    path.write_text("\n".join([head, "[weak_grades]", *keys]))
    assert read_settings(path).weak_grades.as_json() == Settings(name="x").weak_grades.as_json()


def test_the_language_model_is_written_as_a_comment_that_holds(tmp_path: Path) -> None:
    path = tmp_path / "workspace.toml"
    write_default_settings(path, "x")
    head, _, tables = path.read_text().partition("# [llm]")
    lines = [line for line in tables.splitlines() if " = " in line or "[prices" in line]
    path.write_text("\n".join([head, "[llm]", *(line.removeprefix("# ") for line in lines)]))
    read = read_settings(path)
    assert read.llm == LLMSettings(base_url="http://localhost:8000/v1", model="gpt-4o-mini")
    assert read.prices == {"gpt-4o-mini": ModelPrice(input=0.15, output=0.6, currency="USD")}


def test_a_key_that_stands_in_the_settings_is_refused_and_not_repeated(tmp_path: Path) -> None:
    for line in ('key_variable = "sk-secret-1"', 'api_key = "sk-secret-1"'):
        with pytest.raises(SettingsError) as refused:
            read_settings(written(tmp_path, f'name = "x"\n[llm]\n{line}'))
        error = refused.value
        assert "sk-secret" not in f"{error.message} {error.where} {error.hint}"
        assert "key_variable" in str(error.hint)


@pytest.mark.parametrize(
    "line",
    [
        'model = "sk-secret-1"',
        'base_url = "https://models.example/sk-secret-1/v1"',
        'api_version = "sk_secretsecret1"',
        'temperature = "sk-secret-1"',
    ],
)
def test_a_key_in_another_setting_of_a_model_is_refused_and_not_repeated(
    tmp_path: Path, line: str
) -> None:
    with pytest.raises(SettingsError, match="looks like a key") as refused:
        read_settings(written(tmp_path, f'name = "x"\n[llm]\n{line}'))
    error = refused.value
    assert "secret" not in f"{error.message} {error.where} {error.hint}"
    assert f"llm.{line.split(maxsplit=1)[0]}" in str(error.where)


@pytest.mark.parametrize(
    "model", ["hf-internal-testing/tiny-random-gpt2", "gpt-4.1-mini", "xai-org/grok-1", "sk-small"]
)
def test_names_of_models_are_no_keys(tmp_path: Path, model: str) -> None:
    path = written(tmp_path, f'name = "x"\n[llm]\nmodel = "{model}"')
    assert read_settings(path).llm.model == model


def test_thresholds_follow_the_measure_unless_they_are_named() -> None:
    assert WeakGradeRule().bounds == (0.6, 1.0, 1.2)
    assert WeakGradeRule(measure="sdbn").bounds == (0.15, 0.3, 0.5)
    assert WeakGradeRule(measure="sdbn", thresholds=[0.1, 0.2, 0.3]).bounds == (0.1, 0.2, 0.3)


def test_grade_names_may_be_changed(tmp_path: Path) -> None:
    path = written(tmp_path, 'name = "x"\n[grades]\n3 = "perfect"')
    assert read_settings(path).grades.names[3] == "perfect"


@pytest.mark.parametrize(
    ("text", "message", "where", "hint"),
    [
        ('name="x"\ntimezon="UTC"', "timezon is unknown", "timezon", "timezone"),
        ('name="x"\n[guard]\nsame_key=1', "guard.same_key is unknown", "guard", "same_key_ms"),
        ('name="x"\nzzz=1', "zzz is unknown", "zzz", "raters_per_pair"),
        ('name="x"\n[grades]\n4="super"', "grades.4 is unknown", "grades.4", "0 to 3"),
        ('name="x"\nraters_per_pair="2"', "raters_per_pair does not fit", "'2'", None),
        ('name="x"\nraters_per_pair=0', "raters_per_pair does not fit", "0", None),
        ('name="x"\nraters_per_pair=true', "raters_per_pair does not fit", "True", None),
        ('name="x"\ntimezone="Mars/Base"', "such as UTC or Europe/Berlin", "Mars", None),
        ('name="x"\ntimezone="../../etc"', "such as UTC or Europe/Berlin", "etc", None),
        ('name="  "', "name does not fit", "name", None),
        ('name="x"\n[weak_grades]\nmin_clicks=1', "min_clicks is unknown", "weak_grades", None),
        ('name="x"\n[weak_grades]\nthresholds=[2,1,3]', "must ascend", "weak_grades", None),
        ('name="x"\n[weak_grades]\nthresholds=[1,2]', "does not fit", "thresholds", None),
        ('name="x"\n[weak_grades]\nwithout_bots=1', "does not fit", "without_bots", None),
        ('name="x"\n[weak_grades]\nleast_expected_clicks=-1', "does not fit", "-1", None),
        ('name="x"\n[synthesis]\nleast_agreement=0.9', "must not be above", "synthesis", None),
        ('name="x"\n[synthesis]\ngood_agreement=1.0', "does not fit", "good_agreement", None),
        ("raters_per_pair=1", "name is missing", "workspace.toml", None),
        ('name="x"\n\nbroken here', "no valid TOML", "line 3", "key = value"),
        ('name="x', "no valid TOML", "line 1", "key = value"),
    ],
)
def test_a_mistake_is_named(
    text: str, message: str, where: str, hint: str | None, tmp_path: Path
) -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings(written(tmp_path, text))
    assert message in caught.value.message
    assert "workspace.toml" in (caught.value.where or "")
    assert where in (caught.value.where or "")
    if hint is not None:
        assert hint in (caught.value.hint or "")


def test_an_absent_or_foreign_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        read_settings(tmp_path / "workspace.toml")
    (tmp_path / "workspace.toml").write_bytes('name = "Müller"'.encode("latin-1"))
    with pytest.raises(SettingsError, match="not UTF-8"):
        read_settings(tmp_path / "workspace.toml")
