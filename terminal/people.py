"""The commands that say who works here; a new team needs its first admin before any browser."""

from typing import TYPE_CHECKING

import click

from terminal import output as out
from terminal.options import json_option, with_workspace

if TYPE_CHECKING:
    from builder.people import Listed, Person
    from builder.workspace import Workspace

# As builder.people.ROLES, which costs the time of loading the store.
ROLE = click.Choice(["rater", "analyst", "admin"])


@click.group()
def people() -> None:
    """Who works here, and in which role."""


@people.command("list")
@json_option
@with_workspace
def list_people(workspace: "Workspace", *, as_json: bool) -> None:
    """Everybody and everything that grades, with what came of it."""
    from builder.people import people_with_counts

    listed = people_with_counts(workspace, None)
    if as_json:
        out.print_json({"people": [_as_json(row) for row in listed]})
    elif listed:
        columns = ["name", "kind", "role", "state", "grades", "last seen grading (UTC)"]
        out.print_table(columns, [_row(row) for row in listed])
    else:
        click.echo("Nobody is here yet. Next: goldsmith people add NAME --role admin")


@people.command("add")
@click.argument("name")
@click.option("--role", type=ROLE, default="rater", show_default=True, help="What they may do.")
@json_option
@with_workspace
def add(workspace: "Workspace", name: str, *, role: str, as_json: bool) -> None:
    """Add the person NAME; the last line is the end of their own link to the app.

    Whoever opens the app's address with it works as NAME. It is shown only now. Where a proxy says
    who people are, there is no link: NAME is the name that the proxy gives.
    """
    from builder.people import add_person, new_invite

    person = add_person(workspace, name, role, None)
    by_proxy = bool(workspace.settings.sign_in.header)
    ending = None if by_proxy else _ending(new_invite(workspace, person.name, None))
    if as_json:
        out.print_json({**_person(person), "link": ending})
        return
    _say(person, as_json=False)
    if ending is None:
        click.echo("comes in by the name that the proxy gives; no link is needed")
    else:
        click.echo(f"link, behind the app's address: {ending}")


@people.command("invite")
@click.argument("name")
@json_option
@with_workspace
def invite(workspace: "Workspace", name: str, *, as_json: bool) -> None:
    """Make a new link for NAME; the one before does not work any more."""
    from builder.people import new_invite

    ending = _ending(new_invite(workspace, name, None))
    if as_json:
        out.print_json({"name": name, "link": ending})
    else:
        click.echo(f"link, behind the app's address: {ending}")


@people.command("role")
@click.argument("name")
@click.argument("role", type=ROLE)
@json_option
@with_workspace
def role(workspace: "Workspace", name: str, role: str, *, as_json: bool) -> None:
    """Give NAME another role: rater, analyst or admin."""
    from builder.people import change_role

    _say(change_role(workspace, name, role, None), as_json=as_json)


@people.command("deactivate")
@click.argument("name")
@json_option
@with_workspace
def deactivate(workspace: "Workspace", name: str, *, as_json: bool) -> None:
    """Let NAME come in no more; the grades given before stay and count."""
    from builder.people import deactivate as end

    _say(end(workspace, name, None), as_json=as_json)


@people.command("reactivate")
@click.argument("name")
@json_option
@with_workspace
def reactivate(workspace: "Workspace", name: str, *, as_json: bool) -> None:
    """Let NAME come in again, in the role and with the link they had."""
    from builder.people import reactivate as begin

    _say(begin(workspace, name, None), as_json=as_json)


def _ending(token: str) -> str:
    return f"/?invite={token}"


def _say(person: "Person", *, as_json: bool) -> None:
    if as_json:
        out.print_json(_person(person))
    else:
        click.echo(f"{person.name}: {person.role}, {_state(person)}")


def _person(person: "Person") -> dict[str, object]:
    return {
        "name": person.name,
        "kind": person.kind,
        "role": person.role if person.kind == "human" else None,
        "active": person.active,
    }


def _as_json(row: "Listed") -> dict[str, object]:
    return {
        **_person(row.person),
        "has_link": row.has_link,
        "grades": row.grades,
        "last_judged_at": row.last_judged_at,
        "excluded": row.excluded,
    }


def _row(row: "Listed") -> list[str]:
    person = row.person
    is_human = person.kind == "human"
    return [
        person.name,
        person.kind,
        person.role if is_human else "-",
        _state(person) if is_human else "-",
        f"{row.grades:,}{', left out' * row.excluded}",
        row.last_judged_at[:16].replace("T", " ") if row.last_judged_at else "-",
    ]


def _state(person: "Person") -> str:
    return "active" if person.active else "not active"
