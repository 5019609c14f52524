"""The output of ``tourney verify``: lines as it goes, or one JSON document."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from tourney.check.record import Finding
from tourney.cli.output import Output
from tourney.errors import UsageError
from tourney.schema import Document, Part

Checked = tuple[str, list[Finding]]
"""A match's label and its findings."""


class FoundFlaw(Part, frozen=True, kw_only=True):
    """What does not hold, and of what; `action` is the number (from 1) of the action in question, if any."""

    where: str
    what: str
    action: int | None


class WholeTournament(Part, frozen=True, kw_only=True):
    """A tournament as a whole: whether its rounds follow from its plan and results, and all are played.

    `unfinished` says why it is not whole yet, though nothing is wrong.
    """

    tournament: str
    whole: bool
    unfinished: str | None
    rounds: int
    matches: int


class VerifyDocument(Document, frozen=True, kw_only=True):
    """Whether records hold: `checked` of them were, `wrong` do not.

    `failures` are sentences on what does not hold, `findings` its parts. `tournaments` are those of `--all`.
    `root_of` is the tournament with the root that was given, or null. `entry` is the number of the proof's
    entry among `entries`. `left` matches were left for the next call by `--max-duration`. `notes` are
    sentences on what could not be checked here.
    """

    format: Literal["tourney-verify/1"] = "tourney-verify/1"
    holds: bool
    checked: int
    wrong: int
    failures: tuple[str, ...]
    findings: tuple[FoundFlaw, ...]
    tournaments: tuple[WholeTournament, ...]
    root_of: str | None
    entry: int | None
    entries: int | None
    left: int
    notes: tuple[str, ...]


@dataclass
class Checks:
    """The checks so far: printed line by line as text, and the fields of a ``VerifyDocument``."""

    output: Output
    checked: int = 0
    wrong: int = 0
    failures: list[str] = field(default_factory=list)
    findings: list[FoundFlaw] = field(default_factory=list)
    tournaments: list[WholeTournament] = field(default_factory=list)
    root_of: str | None = None
    entry: int | None = None
    entries: int | None = None
    left: int = 0
    notes: set[str] = field(default_factory=set)

    def find(self, where: str, finding: Finding) -> None:
        """Add a finding and print its line."""
        self.findings.append(FoundFlaw(where=where, what=finding.text, action=finding.action))
        self.output.text(f"{where}: {finding}")

    def check(self, checked: Iterable[Checked], where: str = "") -> None:
        """Add records with their findings, and print the number of records that hold.

        Raises UsageError if there is no record and ``where`` names the place.
        """
        for label, findings in checked:
            self.checked += 1
            self.wrong += bool(findings)
            for finding in findings:
                self.find(label, finding)
        total = self.checked
        wrong = self.wrong
        if total == 0 and where:
            raise UsageError(f"there is nothing to verify in {where}")
        noun = "record" if total == 1 else "records"
        if wrong:
            self.failures.append(f"{wrong} of {total} {noun} {'does' if wrong == 1 else 'do'} not hold")
        else:
            self.output.text(f"{total} {noun} {'holds' if total == 1 else 'hold'}")
