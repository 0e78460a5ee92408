"""A double press never grades the next pair."""

from dataclasses import dataclass

SAME_KEY_MS = 400
OTHER_KEY_MS = 150


@dataclass(slots=True)
class PressGuard:
    """Decides for one rater's keyboard which presses were meant; one guard per browser session.

    A press is measured from the last accepted press or from the moment at which the pair was
    shown, whichever is later: behind a slow server the second half of a double press arrives when
    the next pair has just appeared, long after the first half.

    Attributes:
        same_key_ms: The key of the last accepted press again within this time is swallowed.
        other_key_ms: Any key within this time is swallowed; nobody reads a pair that fast.
    """

    same_key_ms: int = SAME_KEY_MS
    other_key_ms: int = OTHER_KEY_MS
    _last_key: str | None = None
    _last_at_ms: float | None = None

    def accepts(self, key: str, now_ms: float, shown_at_ms: float | None = None) -> str | None:
        """None if the press counts, else the reason that the person is told.

        Args:
            key: What was pressed: "0" to "3", "s" …
            now_ms: The time of the press on a monotonic clock, in milliseconds.
            shown_at_ms: When the pair on screen appeared, on the same clock; None if unknown.
        """
        elapsed = self._since(now_ms, shown_at_ms)
        if elapsed is not None and 0 <= elapsed < self._wait_ms(key):
            return self._reason(key)
        self._last_key, self._last_at_ms = key, now_ms
        return None

    def _since(self, now_ms: float, shown_at_ms: float | None) -> float | None:
        """Milliseconds since the last accepted press or the pair's appearance."""
        moments = [moment for moment in (self._last_at_ms, shown_at_ms) if moment is not None]
        return now_ms - max(moments) if moments else None

    def _wait_ms(self, key: str) -> int:
        return self.same_key_ms if key == self._last_key else self.other_key_ms

    def _reason(self, key: str) -> str:
        if key == self._last_key:
            return f"{key} came twice within {self.same_key_ms} ms: the second press was ignored."
        return f"{key} came within {self.other_key_ms} ms of this pair: the press was ignored."
