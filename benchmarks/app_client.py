"""Raters without a browser: they speak the app's websocket protocol and press its keys.

The protocol is Streamlit's own and internal; constraints.txt pins the version that this was written
for. A client knows just what the script in the browser knows: what the server drew last.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

if TYPE_CHECKING:
    from websockets.sync.client import ClientConnection

SECONDS = 60
_FINISHED = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)


class AppClient:
    """One rater's connection to the grading page.

    Attributes:
        bar: What the server sent to the bar under the pair: its name, what was said …; empty where
            no bar was drawn.
        html: The HTML of everything else that was drawn last.
    """

    def __init__(self, connection: "ClientConnection", **address: str) -> None:
        self.bar: dict[str, Any] = {}
        self.html: list[str] = []
        self._connection = connection
        self._query = urlencode(address)
        self._fragment = self._widget = self._page = ""
        self._rerun()

    @property
    def pair(self) -> str:
        """What the pair on screen is called in the page; "" when nothing is left."""
        return str(self.bar.get("pair", ""))

    @property
    def said(self) -> str:
        """What was said of the last press."""
        said = self.bar.get("said", {})
        return "".join(said.get(part, "") for part in ("before", "title", "after"))

    def press(self, key: str, pair: str | None = None, **more: Any) -> float:
        """Press a key, of the pair on screen if no other is named; seconds until it is answered."""
        began = time.perf_counter()
        shown = self.pair if pair is None else pair
        told = {"pair": shown, "token": self.bar["token"], "key": key, "pressed": key} | more
        self._rerun(told)
        return time.perf_counter() - began

    def look_again(self) -> None:
        """Reload the page: whatever comes next is drawn."""
        self._rerun()

    def _rerun(self, press: dict[str, Any] | None = None) -> None:
        message = BackMsg()
        asked = message.rerun_script
        asked.query_string = self._query
        if self._page:
            asked.page_script_hash = self._page
        else:
            asked.page_name = "grade"
        asked.context_info.timezone = "UTC"
        if press is not None:
            asked.fragment_id = self._fragment
            state = asked.widget_states.widgets.add()
            state.id = f"$$STREAMLIT_INTERNAL_KEY_{self._widget}__events"
            state.json_trigger_value = json.dumps([{"event": "press", "value": press}])
        self.html.clear()
        self._connection.send(message.SerializeToString())
        self._read_run()

    def _read_run(self) -> None:
        """Read until the run is over, keeping what was drawn."""
        while True:
            message = ForwardMsg()
            received = self._connection.recv(SECONDS)
            message.ParseFromString(received if isinstance(received, bytes) else received.encode())
            kind = message.WhichOneof("type")
            if kind == "delta":
                self._keep(message)
            elif kind == "navigation":
                self._page = message.navigation.page_script_hash
            elif kind == "script_finished" and message.script_finished in _FINISHED:
                return

    def _keep(self, message: ForwardMsg) -> None:
        element = message.delta.new_element
        kind = element.WhichOneof("type")
        if kind == "bidi_component":
            component = element.bidi_component
            self._widget, self._fragment = component.id, message.delta.fragment_id
            self.bar = json.loads(component.json or component.mixed.json)
        elif kind == "html":
            self.html.append(element.html.body)


@contextmanager
def app_client(address: str, rater: str, **more: str) -> Iterator[AppClient]:
    """A rater at the app on `address`, as running_app gives it, with the first pair drawn.

    Args:
        address: Of the app.
        rater: The rater's name.
        more: What else stands in the page's address, such as pair="17".
    """
    from websockets.sync.client import connect

    url = f"ws://{urlsplit(address).netloc}/_stcore/stream"
    with connect(url, subprotocols=["streamlit"], max_size=None) as connection:  # type: ignore[list-item]
        yield AppClient(connection, rater=rater, **more)
