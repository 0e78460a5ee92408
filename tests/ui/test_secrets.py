"""The key of the language model: taken from Streamlit's secrets, given to jobs that need it."""

import os
from collections.abc import Iterator, Mapping

import pytest

from builder.settings import LLMSettings, Settings
from ui import secrets

KEY = "sk-secret-of-the-tests"


class NoSecrets(Mapping[str, object]):
    """As Streamlit's where there is no file: every look raises."""

    def __getitem__(self, _: str) -> object:
        raise FileNotFoundError

    def __iter__(self) -> Iterator[str]:
        raise FileNotFoundError

    def __len__(self) -> int:
        raise FileNotFoundError


@pytest.fixture(autouse=True)
def _nothing_handed_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("OUR_KEY", raising=False)
    yield
    secrets.hand_in({}, settings())


def settings(variable: str = "OUR_KEY") -> Settings:
    return Settings(name="Shop", llm=LLMSettings(model="m", key_variable=variable))


def test_only_the_key_that_the_settings_name_is_kept_and_jobs_inherit_it_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # As Streamlit does with its secrets.
    monkeypatch.setenv("OUR_KEY", KEY)
    secrets.hand_in({"OUR_KEY": KEY, "other": "x", "auth": {"cookie": "y"}}, settings())
    assert "OUR_KEY" not in os.environ
    assert secrets.environment()["OUR_KEY"] == KEY
    assert "other" not in secrets.environment()
    assert secrets.key_for_job(settings()) == {"OUR_KEY": KEY}


def test_a_key_that_left_the_secrets_is_gone() -> None:
    secrets.hand_in({"OUR_KEY": KEY}, settings())
    secrets.hand_in({}, settings())
    assert secrets.key_for_job(settings()) == {}


@pytest.mark.parametrize("held", [NoSecrets(), {"OUR_KEY": "  "}, {"OUR_KEY": 7}, {"OUR_KEY": {}}])
def test_without_a_key_in_the_secrets_the_environment_has_the_say(
    held: Mapping[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets.hand_in(held, settings())
    assert secrets.key_for_job(settings()) == {}
    monkeypatch.setenv("OUR_KEY", KEY)
    secrets.hand_in(held, settings())
    assert os.environ["OUR_KEY"] == KEY
    assert secrets.key_for_job(settings()) == {"OUR_KEY": KEY}


def test_where_no_variable_is_named_no_key_is_given() -> None:
    secrets.hand_in({"": KEY, "OUR_KEY": KEY}, settings(""))
    assert secrets.key_for_job(settings("")) == {}
