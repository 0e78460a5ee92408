"""What the words of click evidence mean, for the help and the foot of `agreement --clicks`."""

from collections.abc import Mapping

MEANINGS: Mapping[str, str] = {
    "weak grade": "0 to 3, made of clicks alone by thresholds; nobody read the document.",
    "COEC": "clicks over expected clicks: those of a document, divided by what the ranks where it "
    "stood get on the average; 1 is average, 2 twice as many.",
    "SDBN": "how attractive a document is: the share of clicks among the searches in which "
    "somebody looked at it (simplified dynamic Bayesian network).",
    "confidence": "how likely the true value lies within the thresholds of the weak grade, 0 to 1.",
    "strength": "how much experts and clicks contradict each other: the difference of the two "
    "grades times the confidence, 0 to 3.",
}
"""Word -> one plain sentence; `ui.mining.meanings` says the same on the pages."""


def meanings_as_help() -> str:
    """All of them as the end of a command's help, a paragraph each."""
    return "\n\n".join(f"{word}: {meaning}" for word, meaning in MEANINGS.items())
