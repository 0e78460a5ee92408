"""Clicks against experts as the terminal shows it; texts come from files, people and logs."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from builder.crosscheck.click_wording import rechecks_in_words, settled_in_words
from builder.judging.agreement.words import in_words
from builder.mining.deciding import flagged_in_words
from terminal.click_words import MEANINGS
from terminal.output import print_table
from terminal.texts import plain

SHOWN = 20
"""So many contradictions are shown; --json has all."""

_COLUMNS = ("query", "document", "experts", "clicks", "confidence", "strength", "clicked")


def print_clicks(found: Mapping[str, Any]) -> None:
    """The sentence, what could not be compared, confusion, and the strongest contradictions."""
    click.echo()
    click.echo(f"Clicks against experts: {found['sentence']}")
    left = {reason: n for reason, n in found["not_compared"].items() if n}
    if left:
        told = ", ".join(f"{n:,} {in_words(reason)}" for reason, n in left.items())
        click.echo(f"  graded pairs not compared: {told}")
    if said := flagged_in_words(found["flagged"]):
        click.echo(f"  {said}")
    if found["reason"] is None:
        _print_confusion(found["confusion"])
        _print_contradictions(found)
        _print_rechecks(found["rechecks"])


def print_meanings() -> None:
    """What the words of it mean, as the foot of what is told."""
    click.echo()
    for word, meaning in MEANINGS.items():
        click.echo(f"{word}: {meaning}")


def print_next(found: Mapping[str, Any], sent: Mapping[str, Any] | None) -> None:
    """What to do; before that what was sent to a blind re-check, and what was not."""
    if sent is not None:
        _print_sent(sent)
    click.echo(f"Next: {found['next'] if sent is None else sent['next']}")


def _print_sent(sent: Mapping[str, Any]) -> None:
    left = ", ".join(f"{n:,} {in_words(reason)}" for reason, n in sent["not_sent"].items())
    click.echo(f"sent to a blind re-check: {sent['sent']:,}" + (f"; not sent: {left}" * bool(left)))
    for row in sent["pairs"]:
        click.echo(f"  {plain(row['query_id'])}  {plain(row['doc_id'])}")


def _print_confusion(confusion: Sequence[Sequence[int]]) -> None:
    click.echo()
    columns = ["expert grade", *(f"weak {grade}" for grade in range(4))]
    rows = [[str(grade), *(f"{n:,}" for n in row)] for grade, row in enumerate(confusion)]
    print_table(columns, rows)


def _print_contradictions(found: Mapping[str, Any]) -> None:
    rows = found["contradictions"][:SHOWN]
    if not rows:
        return
    click.echo()
    measure = found["rule"]["measure"]
    columns = [*_COLUMNS, measure.upper()]
    print_table(columns, [_contradiction(row, measure) for row in rows])
    if found["n_contradictions"] > len(rows):
        click.echo(f"  the strongest {len(rows)} of {found['n_contradictions']:,}; --json has all")


def _contradiction(row: Mapping[str, Any], measure: str) -> list[str]:
    evidence = row["evidence"]
    return [
        plain(row["query"]),
        plain(row["title"] or row["doc_id"]),
        f"{row['grade']}{' (decided)' if row['adjudicated'] else ''}",
        str(row["weak_grade"]),
        f"{row['confidence']:.2f}",
        f"{row['strength']:.2f}",
        f"{evidence['clicks']:,} of {evidence['impressions']:,}",
        f"{evidence[measure]['value']:.2f}",
    ]


def _print_rechecks(rechecks: Sequence[Mapping[str, Any]]) -> None:
    if not rechecks:
        return
    click.echo()
    click.echo(f"Re-checks: {rechecks_in_words(rechecks)}")
    answered = [row for row in rechecks if row["state"] == "answered"]
    for row in answered[:SHOWN]:
        which = f"{plain(row['query_id'])}  {plain(row['doc_id'])}"
        click.echo(f"  {which}  before: {row['grade']}; {_given(row)}; {settled_in_words(row)}")
    if len(answered) > SHOWN:
        click.echo(f"  the newest {SHOWN} of {len(answered):,}; --json has all")


def _given(row: Mapping[str, Any]) -> str:
    """Who gave which grade."""
    both = zip(row["given_by"], row["given"], strict=True)
    return ", ".join(f"{plain(name)} gave {grade}" for name, grade in both)
