"""No key is left in what is kept, wherever a server puts it."""

import json
import logging
import time

import pytest

from builder.synthesis.llm import LLMClient
from builder.synthesis.llm.redaction import HIDDEN, Redactor
from tests.builder.synthesis.llm.asked import KEY, QUESTION, endpoint_at, reply_to
from tests.llm_server import Fault, LLMServer

PLACES = {
    "message of an error": Fault("server_error", text=f"Bad header Authorization: Bearer {KEY}"),
    "page of HTML": Fault("html", text=f"<p>{KEY}</p>"),
    "answer of the form": Fault("fenced", text=json.dumps({"queries": [f"what is {KEY}"]})),
    "answer of another": Fault("bad_json", text=f"your key is {KEY}"),
    "refusal": Fault("unauthorized", text=f"Incorrect API key provided: {KEY}"),
    "place to go": Fault("redirect", text=f"/v2?api_key={KEY}"),
    "half a body": Fault("broken_body", text=f'{{"key": "{KEY}"'),
    "unsupported": Fault("unsupported_500", text=f"response_format {KEY}"),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_key_is_taken_out_wherever_a_server_says_it(place: str) -> None:
    reply = reply_to(PLACES[place])
    assert KEY not in repr(reply)
    assert HIDDEN in repr(reply)


def test_a_key_stands_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with LLMServer() as server, LLMClient(endpoint_at(server.base_url), KEY) as client:
        client.send(QUESTION, "plain")
    assert caplog.text
    assert KEY not in caplog.text


@pytest.mark.parametrize(
    "said",
    [
        "Incorrect API key provided: sk-ab***********wxyz.",
        "Authorization: Bearer eyJhbGciOi.abc.def",
        "see http://user:password@host/v1",
        "GET /v1?api_key=0123456789 failed",
        "API key AIzaSyA0123456789abcdefghijkl not valid",
    ],
)
def test_what_looks_like_a_key_is_taken_out_of_messages(said: str) -> None:
    hidden = Redactor(None).message(said)
    assert HIDDEN in hidden
    for secret in ("sk-ab", "wxyz", "eyJ", "password", "0123456789"):
        assert secret not in hidden


def test_a_short_key_hides_whole_words_only() -> None:
    redactor = Redactor("token")
    assert redactor.text("a token, no tokens") == f"a {HIDDEN}, no tokens"
    assert Redactor(None).text("sk-something is text of a document") == (
        "sk-something is text of a document"
    )


def test_a_key_in_the_form_of_a_url_is_taken_out() -> None:
    assert Redactor("ab/cd+ef==").text("?k=ab%2Fcd%2Bef%3D%3D") == f"?k={HIDDEN}"


def test_a_message_is_one_line_that_can_be_shown_and_stored() -> None:
    message = Redactor(None).message("a\nb\t\x1b[31mc \ud800 d\x00" + " long" * 200)
    assert message.startswith("a b [31mc")
    assert len(message) == 500
    message.encode()


@pytest.mark.parametrize("text", ["://" + "a:" * 500_000, "<" * 1_000_000, "sk-" * 300_000])
def test_no_text_keeps_it_busy(text: str) -> None:
    started = time.process_time()
    assert len(Redactor(KEY).message(text)) <= 500
    assert reply_to(Fault("html", text=text)).outcome == "server"
    assert time.process_time() - started < 1
