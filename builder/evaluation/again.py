"""The commands that evaluate models again on a task that has changed since."""

import json
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

_PROMPTS = {"query_prompt": "--query-prompt", "doc_prompt": "--doc-prompt"}


@dataclass(frozen=True, slots=True, order=True)
class Known:
    """A model as people know it: another revision of it is the same one.

    Attributes:
        name: What it is called.
        options: The options with which `goldsmith eval` takes its prompts.
        run: The name of the run file that was scored; "" where Goldsmith searched itself.
    """

    name: str
    options: tuple[str, ...] = ()
    run: str = ""

    @classmethod
    def of(cls, name: str, model_key: str) -> "Known":
        """Out of a result's or a run's model and its key."""
        told = _read(model_key)
        prompts = [(option, str(told[part])) for part, option in _PROMPTS.items() if told.get(part)]
        return cls(name, tuple(part for pair in prompts for part in pair), str(told.get("run", "")))


def commands_again(models: Iterable[Known], task: str) -> list[str]:
    """What to type at the terminal, models with the same options in one line.

    Args:
        models: Which ones; what stands there twice is evaluated once.
        task: What the task is called after `-t`, such as custom/NAME.
    """
    together: dict[tuple[str, ...], list[str]] = {}
    scored = []
    for model in sorted(set(models)):
        if model.run:
            scored.append(shlex.join(["goldsmith", "score", model.run, "-t", task]))
        else:
            together.setdefault(model.options, []).append(model.name)
    evaluated = [
        shlex.join(["goldsmith", "eval", *names, *options, "-t", task])
        for options, names in together.items()
    ]
    return evaluated + scored


def _read(model_key: str) -> dict[str, Any]:
    try:
        told = json.loads(model_key)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}
