"""Scripts without spaces between words: what counts are runs that query and text share."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ui.marking.letters import combining_marks
from ui.marking.spans import Span

# Thai to Tibetan, Myanmar, Khmer: no spaces between words, and several characters to a letter.
_CLUSTERED = "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff"
_HAN = "\u3400-\u9fff\uf900-\ufaff\u3005\u3007\U00020000-\U0003ffff"
_KANA = "\u3040-\u30ff"
SPACELESS = re.compile(f"[{_CLUSTERED}{_HAN}{_KANA}]+")
_HIRAGANA = re.compile("[\u3040-\u309f]+")
_PIECES = re.compile(f"[{_CLUSTERED}]+|[{_HAN}]+|[\u30a0-\u30ff]+|[\u3040-\u309f]+")
_LONGEST_CLUSTER_RUN = 4


@dataclass(frozen=True)
class Runs:
    """Runs of characters of scripts without spaces."""

    pattern: re.Pattern[str]
    number_of: dict[str, int]

    def find(self, text: str, most: int | None) -> Iterator[Span]:
        """Overlapping runs are one place."""
        at, found = 0, 0
        while match := self.pattern.search(text, at):
            start, at = match.span()
            at = self._longest(text, start, at)
            yield Span(start, at, self.number_of[match[0]], 1.0)
            found += 1
            if found == most:
                return

    def _longest(self, text: str, start: int, end: int) -> int:
        """Where the runs end that begin inside one another."""
        at = start + 1
        while at < end:
            if match := self.pattern.match(text, at):
                end = max(end, match.end())
            at += 1
        return end


def made_ready(runs: dict[str, int]) -> Runs | None:
    """The search for these runs, each with the number of its term; None if there are none."""
    if not runs:
        return None
    longest_first = sorted(runs, key=len, reverse=True)
    return Runs(re.compile("|".join(map(re.escape, longest_first))), runs)


def runs_of(word: str) -> Iterator[str]:
    """The runs by which a word of a script without spaces is found."""
    pieces = _PIECES.findall(word)
    telling = [piece for piece in pieces if not _HIRAGANA.fullmatch(piece)] or pieces
    for piece in telling:
        if re.match(f"[{_CLUSTERED}]", piece):
            clusters = re.findall(f".[{combining_marks()}]*", piece)
            yield from _windows(clusters, _LONGEST_CLUSTER_RUN)
        elif re.match(f"[{_HAN}]", piece) or _HIRAGANA.match(piece):
            yield from _windows(piece, 2)
        else:
            yield piece


def _windows(letters: Sequence[str], size: int) -> Iterator[str]:
    for start in range(max(1, len(letters) - size + 1)):
        yield "".join(letters[start : start + size])
