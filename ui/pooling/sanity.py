"""What is odd about the corpus, where somebody is about to have it graded."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from ui.frame import note

MOST_IDS = 5
LONGEST_ID = 80
"""Characters of an id in a sentence."""


def show_findings(findings: Sequence[Mapping[str, Any]]) -> None:
    """Each finding: what it is, why it matters, what to do; advice is folded."""
    for finding in findings:
        if finding.get("level") != "advice":
            note(*in_sentences(finding), kind="warning")
    advice = [finding for finding in findings if finding.get("level") == "advice"]
    if advice:
        title = "1 thing" if len(advice) == 1 else f"{len(advice)} things"
        with st.expander(f"{title} to know about the corpus"):
            for finding in advice:
                note(*in_sentences(finding))


def in_sentences(finding: Mapping[str, Any]) -> list[str]:
    """What, why and fix; a few documents by their ids."""
    ids = [_short(str(doc_id)) for doc_id in finding.get("ids", ())][:MOST_IDS]
    more = " and others" if finding.get("count", 0) > len(ids) else ""
    named = f"For example {', '.join(ids)}{more}." if ids else ""
    return [finding["what"], finding["why"], finding["fix"], named]


def _short(doc_id: str) -> str:
    return doc_id if len(doc_id) <= LONGEST_ID else f"{doc_id[: LONGEST_ID - 1]}\u2026"
