"""What can go wrong in the builder, said so that a person knows what to do.

BuilderError            base: one clear message, the place, and a hint
├── SettingsError       workspace.toml cannot be read as it stands
├── WorkspaceError      the folder is no workspace, or of a newer Goldsmith
├── ImportFailedError   a file cannot be read at all (bad rows go to quarantine instead)
├── NotAllowedError     this person may not do that
├── PairGoneError       the pair was taken out of the pool
└── TaskNotFoundError   a task name leads to no folder
"""


class BuilderError(Exception):
    """One clear message: what went wrong, where, and what to do."""

    def __init__(self, message: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint


class SettingsError(BuilderError):
    """workspace.toml cannot be read as it stands."""


class WorkspaceError(BuilderError):
    """The folder is no workspace, or was made by a newer Goldsmith."""


class ImportFailedError(BuilderError):
    """A file cannot be read at all; single bad rows go into quarantine instead."""


class NotAllowedError(BuilderError):
    """This person may not do that."""


class PairGoneError(BuilderError):
    """The pair was taken out of the pool: nothing that is said of it is needed any more."""


class TaskNotFoundError(BuilderError):
    """A task name leads to no folder."""
