"""``tourney doctor``: test with a canary bot which protections work on this machine."""

from pathlib import Path
from typing import Literal, get_args

import click

from tourney.bots.modules import find_runtime
from tourney.bots.sandbox.host_limits import low_limits, with_limits
from tourney.bots.sandbox.probe import probe_sandbox
from tourney.bots.sandbox.sandbox import PROTECTIONS, open_sandbox
from tourney.cli import options as opt
from tourney.cli.output import Output, current
from tourney.errors import CheckError, UsageError
from tourney.games import compiled
from tourney.match.machine_settings import machine_settings
from tourney.results.columns import Column
from tourney.run.private_paths import private_paths
from tourney.schema import Document, Part, SandboxLevel


class Protection(Part, frozen=True, kw_only=True):
    """A protection, its degree on this machine, what it means and what was tried."""

    protection: str
    degree: Literal["enforced", "partial", "absent"]
    means: str
    tried: str


class DoctorDocument(Document, frozen=True, kw_only=True):
    """The protections on this machine. `holds`: all that the level requires and the sandbox claims are there.

    `rules_for_search` says whether they are compiled.
    """

    format: Literal["tourney-doctor/1"] = "tourney-doctor/1"
    level: Literal["strict", "auto", "off"]
    sandbox: str
    holds: bool
    protections: tuple[Protection, ...]
    rules_for_search: str


class Setting(Part, frozen=True, kw_only=True):
    """A setting of the machine. `even`: times do not vary by it; null if it cannot be read."""

    setting: str
    value: str
    even: bool | None
    advice: str


class MachineDocument(Document, frozen=True, kw_only=True):
    """The settings that can make equal matches take unequal time. `holds`: none of those known does."""

    format: Literal["tourney-machine/1"] = "tourney-machine/1"
    holds: bool
    settings: tuple[Setting, ...]


SETTING_COLUMNS = ("setting", "value", "even", "advice")
COLUMNS = ("protection", "degree", Column("means", "meaning"), "tried")


@opt.command("doctor")
@opt.choice_option("--level", get_args(SandboxLevel), "Sandbox level to test.", "auto")
@opt.db_option
@opt.bots_option
@opt.formats_option(DoctorDocument, MachineDocument)
@click.option(
    "--machine", is_flag=True, help="Look at the settings that make times uneven, and nothing else."
)
def command(level: SandboxLevel, db: str, bots: str, *, machine: bool) -> None:
    """Test which protections against bots work on this machine.

    A canary bot tries to break out of the sandbox in every known way, and to see the database and the bot
    store. Prints for each protection whether it is enforced, partial (some attempts worked) or absent, and
    what was tried; then what starts contained bots, whether the games' rules are compiled or plain Python,
    and whether WebAssembly modules can play and count fuel. Exits with code 1 if a protection that the level
    requires is missing.

    With --machine it prints instead which settings of this machine make equal matches take unequal time, and
    what to do: the governor and the turbo of the processor, transparent huge pages, ASLR, and other load.
    Exits with code 1 if one of them does. Each match has them beside its record.
    """
    output = current()
    if machine:
        _show_machine(output)
        return
    sandbox = open_sandbox("off" if level == "off" else "auto", {})  # the canary tries what is private
    if sandbox.fallen:
        output.warn(f"bots run without containment: {sandbox.fallen}")
    findings = list(probe_sandbox(sandbox, private_paths(db, Path(bots).absolute()).values()))
    lines = tuple(Protection.of(f, means=PROTECTIONS[f.protection], tried=f.sentence) for f in findings)
    lacking = [f"{f.protection} ({f.degree})" for f in findings if f.degree != "enforced"]
    # A protection that the sandbox claims, but that the canary bypassed.
    broken = [f.protection for f in findings if f.degree != "enforced" == sandbox.protections[f.protection]]
    output.document(
        DoctorDocument(
            level=level,
            sandbox=sandbox.name,
            holds=not (broken or (level == "strict" and lacking)),
            protections=lines,
            rules_for_search=compiled.summary(),
        )
    )
    output.table(lines, COLUMNS)
    if sandbox.starter:
        output.say(f"start of contained bots: {sandbox.starter}")
    advice = "; to compile them, install a C compiler and install Tourney again (in a checkout: make cores)"
    wanted = not compiled.wants_plain() and compiled.summary() != "compiled"
    output.say(f"rules of the games: {compiled.summary()}{advice if wanted else ''}")
    try:
        modules = find_runtime().state()
    except UsageError as error:
        modules = str(error)
    output.say(f"WebAssembly modules: {modules}")
    if level == "strict" and lacking:
        lacks = with_limits(f"it lacks {', '.join(lacking)}")
        raise CheckError(f'sandbox = "strict" is not possible on this machine: {lacks}')
    # Low limits of the account are a frequent reason, and easy to raise.
    for limit in low_limits() if lacking and level != "off" else ():
        output.warn(limit)
    if broken:
        raise CheckError(f"the sandbox fails to enforce: {', '.join(broken)}")
    held = len(findings) - len(lacking)
    output.say(f"{sandbox.name}: {held} of {len(findings)} protections enforced")


def _show_machine(output: Output) -> None:
    settings = tuple(Setting(**each._asdict()) for each in machine_settings())
    uneven = [f"{each.setting} {each.value}" for each in settings if each.even is False]
    output.document(MachineDocument(holds=not uneven, settings=settings))
    output.table(settings, SETTING_COLUMNS)
    if uneven:
        raise CheckError(f"times on this machine vary with {', '.join(uneven)}")
    output.say("no setting that can be read makes times uneven")
