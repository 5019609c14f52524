"""The page of methods: every rule, formula and setting in use, digests, and how to verify and play again."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import msgspec

from tourney import __version__
from tourney.match.spec import Limits
from tourney.ratings.fit import Prior
from tourney.report import display
from tourney.report.display import EntrantLabel, Fact
from tourney.report.output.layout import File
from tourney.report.output.rendering import Renderer
from tourney.report.pages.history_page import sampled
from tourney.report.pages.tournament_facts import tournament_facts
from tourney.report.source import ReportSource
from tourney.results.ratings import pool_notes, shared_by
from tourney.results.standings import ranking_sentences
from tourney.results.texts import sharing_text
from tourney.schedule.format import group_size
from tourney.store.exchange import IMPORTED

LOOKED_AT = 20
"""Matches whose measurements are read for the protections in force."""
LIBRARIES = ("numpy", "trueskill")
"""Packages that decide numbers of a report."""

_PLAIN = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class ProtectionStates:
    """A protection, and in how many of the matches looked at it had which state, in words."""

    name: str
    states: str


@dataclass(frozen=True, slots=True)
class CheckCommand:
    """A command with what it does."""

    line: str
    purpose: str


@dataclass(frozen=True, slots=True)
class Methods:
    """The page's template context.

    ``limits`` are (key, value, meaning); ``sandboxes`` and ``protections`` come from ``looked_at`` matches
    spread over the tournament, and are empty without measurements.
    """

    facts: tuple[Fact, ...]
    rules: tuple[str, ...]
    seats: int
    recorded: bool
    group: int
    mirrored: bool
    sharing: str
    imported: bool
    seed: str
    prior: tuple[str, str]
    pool: tuple[str, ...]
    skill: tuple[Fact, ...]
    limits: tuple[tuple[str, str, str], ...]
    sandboxes: tuple[str, ...]
    protections: tuple[ProtectionStates, ...]
    looked_at: int
    entrants: tuple[EntrantLabel, ...]
    root: str
    commands: tuple[CheckCommand, ...]
    software: tuple[str, ...]


def files(make: Renderer) -> Iterator[File]:
    """Yield the page."""
    yield make.page("methods.html", "methods.html", page=_methods(make))


def _methods(make: Renderer) -> Methods:
    source = make.source
    plan, settings = source.tournament.plan, source.settings
    prior = Prior()
    names = {number: label.name for number, label in source.labels.items()}
    sandboxes, protections, looked_at = _containment(source) if make.measured else ((), (), 0)
    return Methods(
        facts=tuple(tournament_facts(source, measured=make.measured)),
        rules=ranking_sentences(source.format, plan.seats),
        seats=plan.seats,
        recorded=source.tournament.recorded,
        group=group_size(plan.seats) if source.tournament.recorded else 0,
        mirrored=plan.mirrored_dice,
        sharing=sharing_text(plan, source.game),
        imported=plan.format == IMPORTED,
        seed=str(source.tournament.seed),
        prior=(
            display.number(source.batch.pool.prior_elo, 0),
            display.number(prior.seat, 0),
        ),
        pool=tuple(pool_notes(source.batch, names, display.number, shared=shared_by(source.tournament))),
        skill=tuple(
            Fact(label, f"{value:.6g}")
            for label, value in (
                ("mu of the prior", settings.mu),
                ("sigma of the prior", settings.sigma),
                ("beta", settings.beta),
                ("tau", settings.tau),
                ("draw probability", settings.draw_probability),
            )
        ),
        limits=() if not source.tournament.recorded else tuple(_limits(source)),
        sandboxes=sandboxes,
        protections=protections,
        looked_at=looked_at,
        entrants=tuple(source.labels.values()),
        root=source.root or "",
        commands=tuple(_commands(source)),
        software=tuple(_software()) if make.measured else (f"Tourney {__version__}",),
    )


def _limits(source: ReportSource) -> Iterator[tuple[str, str, str]]:
    """Yield the limits with their meaning, from the schema of the tournament file."""
    keys: dict[str, Any] = msgspec.json.schema(Limits)["$defs"]["Limits"]["properties"]
    for key, value in source.tournament.plan.limits.texts().items():
        field = keys.get(key, {})
        choices = (field, *field.get("anyOf", ()))
        words = next((one["description"] for one in choices if "description" in one), "")
        yield key, value, words.replace("`", "")


def _containment(source: ReportSource) -> tuple[tuple[str, ...], tuple[ProtectionStates, ...], int]:
    """The sandboxes and protections of some matches spread over the tournament, and their number."""
    sandboxes: Counter[str] = Counter()
    states: dict[str, Counter[str]] = {}
    looked_at = 0
    for match in sampled(source.recorded, LOOKED_AT):
        sandbox = source.detail(match.number).measured.sandbox
        if sandbox is None:
            continue
        looked_at += 1
        sandboxes[sandbox.name] += 1
        for name, state in sandbox.protections.items():
            states.setdefault(name, Counter())[state] += 1
    return (
        tuple(f"{display.label(name)} ({n})" for name, n in sorted(sandboxes.items())),
        tuple(
            ProtectionStates(
                display.label(name),
                ", ".join(
                    display.label(state) if n == looked_at else f"{display.label(state)} ({n})"
                    for state, n in sorted(found.items())
                ),
            )
            for name, found in sorted(states.items())
        ),
        looked_at,
    )


def _commands(source: ReportSource) -> Iterator[CheckCommand]:
    """Yield the commands that check this tournament, with its own name and root."""
    name = source.tournament.name
    name = name if _PLAIN.fullmatch(name) else "TOURNAMENT"
    file = f"{name}.jsonl"
    yield CheckCommand(
        "tourney verify --all",
        "check every record against rules, dice and schedule, and draw every round again",
    )
    if source.root:
        yield CheckCommand(
            f"tourney verify --root {source.root}", "compare the whole tournament with its root"
        )
    yield CheckCommand(
        f"tourney export {name} --what tournament --out {file}", "write the tournament into one file"
    )
    if source.root:
        yield CheckCommand(
            f"tourney verify {file} --root {source.root}", "check that file, without the database"
        )
    yield CheckCommand(f"tourney import {file}", "make the same tournament of it in another database")
    yield CheckCommand(
        f"tourney rerun {name}/1", "play a match again with the same bots, and compare the records"
    )
    yield CheckCommand(f"tourney rerun {name} --sample 20", "play 20 matches again, drawn at random")
    yield CheckCommand(f"tourney rerun {name} --all", "play all of them again")
    yield CheckCommand(
        f"tourney ratings {name}", "print the ratings; --show pairs and --show pool print the rest"
    )


def _software() -> Iterator[str]:
    yield f"Tourney {__version__}"
    for package in LIBRARIES:
        try:
            yield f"{package} {version(package)}"
        except PackageNotFoundError:
            yield f"{package}: not installed"
