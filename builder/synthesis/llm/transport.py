"""The one place that knows the SDK: a request goes out, and whatever came back is told.

The answer is noted where it is read, below the SDK, so that nothing of it is lost by how the SDK
words its errors: a body that was cut keeps its beginning, an error its headers. Imported when a
client is made, for the SDK takes about a second.
"""

import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx2
from openai import APIConnectionError, APITimeoutError, AzureOpenAI, OpenAI, OpenAIError

from builder.synthesis.llm.endpoints import NOT_NEEDED, Endpoint

LARGEST_BODY = 8_000_000
"""Bytes: no answer of ours comes near it."""
_CONNECT_SECONDS = 10.0


@dataclass(slots=True)
class Answer:
    """What came back.

    Attributes:
        status: The HTTP status; None where no answer came.
        headers: By their name in small letters.
        body: As far as it came.
        fault: "" where it came whole, else "timeout", "connection", or "unreachable": no connection
            was made, and nothing was sent.
        message: What the fault was.
    """

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytearray = field(default_factory=bytearray)
    fault: str = ""
    message: str = ""


class Transport:
    """Connections to one server; may be used by several threads at once."""

    def __init__(self, endpoint: Endpoint, key: str | None) -> None:
        self._http = _NotingClient(endpoint.timeout)
        self._sdk = _sdk(endpoint, key or NOT_NEEDED, self._http)

    def post(self, arguments: Mapping[str, Any]) -> Answer:
        """Send one request for a completion; whatever a server does, an answer says it."""
        noted = self._http.note()
        # Typed loosely on purpose: the body is ours to read, and never becomes the SDK's types.
        create: Any = self._sdk.chat.completions.with_raw_response.create
        try:
            create(**arguments)
        except APITimeoutError as error:
            noted.fault, noted.message = _fault(error, "timeout"), _cause(error)
        except APIConnectionError as error:
            noted.fault, noted.message = _fault(error, "connection"), _cause(error)
        except (OpenAIError, httpx2.HTTPError) as error:
            if noted.status is None:
                noted.fault, noted.message = "connection", _cause(error)
        return noted

    def close(self) -> None:
        """Give back the connections."""
        self._sdk.close()


class _NotingClient(httpx2.Client):
    """Notes what comes in, per thread; ends an answer that takes too long or grows too large.

    The timeout of httpx is one between two bytes: a server that drips would never be late.
    """

    def __init__(self, seconds: float) -> None:
        connect = min(seconds, _CONNECT_SECONDS)
        # A redirect would send the texts to a host that nobody has agreed to.
        super().__init__(
            timeout=httpx2.Timeout(seconds, connect=connect),
            limits=httpx2.Limits(max_connections=100, max_keepalive_connections=100),
            follow_redirects=False,
        )
        self._seconds = seconds
        self._noted = threading.local()

    def note(self) -> Answer:
        """A fresh answer, in which what this thread receives next is noted."""
        self._noted.answer = Answer()
        answer: Answer = self._noted.answer
        return answer

    def send(self, request: httpx2.Request, *, stream: bool = False, **how: Any) -> httpx2.Response:
        """Send the request; the body is read whole, or the note says how far it came."""
        answer: Answer = self._noted.answer
        until = time.monotonic() + self._seconds
        response = super().send(request, stream=True, **how)
        answer.status = response.status_code
        answer.headers = {name.lower(): value for name, value in response.headers.items()}
        if isinstance(response.stream, httpx2.SyncByteStream):
            response.stream = _Watched(response.stream, answer.body, until)
        if not stream:
            response.read()
        return response


class _Watched(httpx2.SyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream, body: bytearray, until: float) -> None:
        self._stream, self._body, self._until = stream, body, until

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._stream:
            self._body.extend(piece)
            if time.monotonic() > self._until:
                raise httpx2.ReadTimeout("the answer was not whole in time")
            if len(self._body) > LARGEST_BODY:
                raise httpx2.RemoteProtocolError("the answer is larger than any of ours")
            yield piece

    def close(self) -> None:
        self._stream.close()


def _sdk(endpoint: Endpoint, key: str, http: httpx2.Client) -> OpenAI:
    # Nothing of where texts go comes from the environment: each is named. As the bytes are noted
    # as they come, they must not be compressed.
    headers = {"Accept-Encoding": "identity"}
    if endpoint.api_version:
        return AzureOpenAI(
            azure_endpoint=endpoint.url.removesuffix("/openai"),
            api_version=endpoint.api_version,
            api_key=key,
            max_retries=0,
            default_headers=headers,
            http_client=http,
        )
    sdk = OpenAI(
        base_url=endpoint.url,
        api_key=key,
        max_retries=0,
        default_headers=headers,
        http_client=http,
    )
    if not endpoint.is_openai:
        sdk.organization = sdk.project = None
    return sdk


def _fault(error: Exception, otherwise: str) -> str:
    """Refused, no such name, TLS or a tunnel that failed: a request goes out only after that."""
    never = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError)
    return "unreachable" if isinstance(error.__cause__, never) else otherwise


def _cause(error: Exception) -> str:
    cause = error.__cause__ or error
    return str(cause) or type(cause).__name__
