"""Where requests go, with which key, at which price, by which rung."""

from pathlib import Path

import pytest
from sqlalchemy import text

from builder.errors import SettingsError
from builder.settings import LLMSettings, ModelPrice, Settings
from builder.synthesis.llm import (
    Endpoint,
    Price,
    endpoint_of,
    key_from,
    price_of,
    remember_rung,
    remembered_rung,
)
from tests.workspaces import new_workspace

SETTINGS = Settings(
    name="x",
    llm=LLMSettings(base_url="http://gpu-1:8000/v1/", model="qwen", timeout_seconds=9),
    prices={"gpt": ModelPrice(input=0.15, output=0.6), "free": ModelPrice(input=0, output=0)},
)


def test_an_endpoint_is_what_the_settings_say_or_what_is_named() -> None:
    endpoint = endpoint_of(SETTINGS)
    assert (endpoint.url, endpoint.host) == ("http://gpu-1:8000/v1", "gpu-1:8000")
    assert (endpoint.model, endpoint.timeout, endpoint.is_openai) == ("qwen", 9, False)
    named = endpoint_of(SETTINGS, base_url="", model=" gpt ")
    assert (named.host, named.model, named.is_openai) == ("api.openai.com", "gpt", True)


@pytest.mark.parametrize(
    "url",
    [
        "http://ada:s3cret@host/v1",
        "https://s3cret@host/v1",
        "host/s3cret",
        "ftp://host/s3cret",
        "http://host/v1?key=s3cret",
        "http://host:s3cret/v1",
        "http://[s3cret/v1",
        "http:///s3cret",
        "file:///etc/s3cret",
        "http://host/s3 cret",
        "http://höst/s3cret",
        "http://host/s3cret\n",
        "http://host..example/s3cret",
        f"http://{'s3cret' * 20}/v1",
    ],
)
def test_a_url_that_holds_a_secret_or_leads_nowhere_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(SettingsError) as refused:
        Endpoint(url, "m")
    assert "s3cret" not in f"{refused.value.message} {refused.value.where} {refused.value.hint}"


def test_without_a_model_there_is_no_endpoint() -> None:
    with pytest.raises(SettingsError, match="No language model is named"):
        endpoint_of(Settings(name="x"))


def test_the_key_stands_in_the_variable_that_the_settings_name() -> None:
    other = Settings(name="x", llm=LLMSettings(key_variable="MY_KEY"))
    none = Settings(name="x", llm=LLMSettings(key_variable=""))
    environment = {"OPENAI_API_KEY": " sk-a \n", "MY_KEY": " ", "": "odd"}
    assert key_from(SETTINGS, environment) == "sk-a"
    assert key_from(other, environment) is None
    assert key_from(none, {"OPENAI_API_KEY": "sk-a"}) is None


def test_a_price_is_known_or_it_is_not() -> None:
    assert price_of(SETTINGS, "gpt") == Price(0.15, 0.6, "USD")
    assert price_of(SETTINGS, "free") == Price(0, 0, "USD")
    assert price_of(SETTINGS, "gpt-4") is None


def test_a_rung_is_remembered_per_server_and_model_for_a_month(tmp_path: Path) -> None:
    one, other = Endpoint("http://a/v1", "m"), Endpoint("http://a/v1", "n")
    with new_workspace(tmp_path) as workspace:
        assert remembered_rung(workspace, one) == "json_schema"
        with workspace.store.write() as connection:
            remember_rung(connection, one, "json_object")
            remember_rung(connection, one, "plain")
            with pytest.raises(ValueError, match="no rung"):
                remember_rung(connection, one, "xml")
        assert remembered_rung(workspace, Endpoint("http://a/v1/", "m")) == "plain"
        assert remembered_rung(workspace, other) == "json_schema"
        with workspace.store.write() as connection:
            connection.execute(text("UPDATE llm_rungs SET noted_at = '2026-01-01T'"))
        assert remembered_rung(workspace, one) == "json_schema"
