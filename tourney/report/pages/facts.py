"""Facts of a match: what its record has of its own, and its measurements."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tourney.match.record import Record
from tourney.report import text
from tourney.report.pages.listing import MatchLine


@dataclass(frozen=True, slots=True)
class Fact:
    """A label with its value; ``code`` asks for a monospaced font."""

    label: str
    value: str
    code: bool = False


def match_facts(record: Record) -> Iterator[Fact]:
    """Yield what a record has of its own: seed, opening and digest. Its tournament has the rest."""
    opening = record["opening"]
    begun = f"{opening['plies']} actions" if "plies" in opening else " ".join(opening["actions"])
    yield Fact("Match seed", text.display(record["seed"]), code=True)
    if begun != "0 actions":
        yield Fact("Opening", text.line(begun))
    yield Fact("Record digest", record["digest"], code=True)


def measured_facts(measured: Mapping[str, Any], line: MatchLine) -> Iterator[Fact]:
    """Yield the measurements of a match: time, host, reproducibility and sandbox."""
    if "started" in measured:
        yield Fact("Started", text.display(str(measured["started"])))
    if "wall-ms" in measured:
        yield Fact("Duration", text.milliseconds(float(measured["wall-ms"])))
    if "host" in measured:
        yield Fact("Host", text.display(str(measured["host"])))
    for seated, used in zip(line.seats, measured.get("seats", ()), strict=False):
        spent = f"{text.milliseconds(float(used['wall-ms']))} in {text.count(used['turns'], 'turn')}"
        if used.get("cpu-ms") is not None:
            spent += f"; {text.milliseconds(float(used['cpu-ms']))} of CPU, including startup"
        yield Fact(f"Time of {seated.seat.name}", spent)
    if "reproducible" in measured:
        why = ", ".join(map(str, measured.get("why-not", ())))
        yield Fact("Reproducible", "yes" if measured["reproducible"] else text.line(f"not guaranteed: {why}"))
    if isinstance(measured.get("sandbox"), Mapping):
        sandbox = measured["sandbox"]
        name = f"{sandbox.get('level', '')} {sandbox.get('kind', '')}".strip()
        yield Fact("Sandbox", text.line(name or "off"))
        by_state: dict[str, list[str]] = {}
        for protection, state_ in dict(sandbox.get("protections", {})).items():
            by_state.setdefault(str(state_), []).append(str(protection))
        # Only protections that are not enforced are named: the others are the same for all matches.
        said = [f"{len(by_state.pop('enforced', ()))} enforced"]
        said += [f"{state_}: {', '.join(names)}" for state_, names in by_state.items()]
        yield Fact("Protections", text.line("; ".join(said)))
