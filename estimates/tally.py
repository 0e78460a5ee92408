"""What became of the rows of an import; every row is accounted for."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True)
class ImportTally:
    """Rows of one import: read = accepted + duplicate + updated + quarantined, always.

    Attributes:
        accepted: Rows that brought something new.
        duplicate: Rows that said what was known already.
        updated: Rows that replaced what was known, where that was asked for.
        reasons: Reason -> rows in quarantine for it.
        notes: Code -> rows that were kept but are odd.
        named: Code of a note -> what it is about, for a few of those that it counts; untrusted.
        quarantine_file: Where the bad rows and their reasons lie; None if there are none.
    """

    accepted: int = 0
    duplicate: int = 0
    updated: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    named: dict[str, list[str]] = field(default_factory=dict)
    quarantine_file: Path | None = None

    @property
    def quarantined(self) -> int:
        """Rows that lie in quarantine."""
        return self.reasons.total()

    @property
    def read(self) -> int:
        """Rows that were read: the sum of all that became of them."""
        return self.accepted + self.duplicate + self.updated + self.quarantined

    @property
    def nothing_accepted(self) -> bool:
        """Whether no row was good, or none was there: the import failed (exit code 1)."""
        return self.accepted + self.duplicate + self.updated == 0

    @classmethod
    def total(cls, tallies: Iterable["ImportTally"]) -> "ImportTally":
        """The sum of several imports; of their quarantine files the first that there is."""
        whole = cls()
        for tally in tallies:
            whole.accepted += tally.accepted
            whole.duplicate += tally.duplicate
            whole.updated += tally.updated
            whole.reasons += tally.reasons
            whole.notes += tally.notes
            for code, names in tally.named.items():
                whole.named[code] = [*whole.named.get(code, []), *names]
            whole.quarantine_file = whole.quarantine_file or tally.quarantine_file
        return whole

    def as_json(self) -> dict[str, object]:
        """The document that every import prints with `--json`."""
        return {
            "read": self.read,
            "accepted": self.accepted,
            "duplicate": self.duplicate,
            "updated": self.updated,
            "quarantined": self.quarantined,
            "reasons": dict(sorted(self.reasons.items())),
            "notes": dict(sorted(self.notes.items())),
            "named": dict(sorted(self.named.items())),
            "quarantine_file": str(self.quarantine_file.resolve())
            if self.quarantine_file
            else None,
        }
