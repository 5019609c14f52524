"""``tourney doctor``: which protections work on this machine, tried by a canary bot."""

import click

from tourney.bots.sandbox.base import PROTECTIONS, Level, Sandbox, open_sandbox
from tourney.bots.sandbox.bubblewrap import Bubblewrap
from tourney.bots.sandbox.probe import Finding, probe_sandbox
from tourney.cli.options import format_option, output_options
from tourney.cli.output import Column, Format, Row, current
from tourney.errors import CheckError, SandboxError

COLUMNS = (Column("protection"), Column("degree"), Column("means", "what it means"), Column("tried"))


@click.command("doctor")
@click.option(
    "--level",
    type=click.Choice(["strict", "auto", "off"]),
    default="auto",
    show_default=True,
    help="The level of a tournament's `sandbox` to try.",
)
@format_option
@output_options
def command(level: Level, format_: Format) -> None:
    """Try what stands between bots and this machine.

    A canary bot tries to break out in every way that is guarded against. A line a protection: enforced,
    partial (some of the attempts worked) or absent, and what was tried. The exit code is 1 if --level strict
    does not hold, or if something that is counted on does not.
    """
    output = current()
    sandbox = open_sandbox("off" if level == "off" else "auto")
    if level != "off" and sandbox.name == "plain":
        output.warn(why_plain())
    findings = list(probe_sandbox(sandbox))
    output.table([row_of(finding) for finding in findings], COLUMNS, format_)
    lacking = [f"{f.protection} ({f.degree})" for f in findings if f.degree != "enforced"]
    if level == "strict" and lacking:
        raise CheckError(
            f'sandbox = "strict" does not hold on this machine, for want of {", ".join(lacking)}'
        )
    broken = broken_promises(sandbox, findings)
    if broken:
        raise CheckError(f"what the sandbox counts on does not hold: {', '.join(broken)}")
    held = len(findings) - len(lacking)
    output.say(f"{sandbox.name}: {held} of {len(findings)} protections enforced")


def row_of(finding: Finding) -> Row:
    """Return a finding's row."""
    return {
        "protection": finding.protection,
        "degree": finding.degree,
        "means": PROTECTIONS[finding.protection],
        "tried": finding.said,
    }


def broken_promises(sandbox: Sandbox, findings: list[Finding]) -> list[str]:
    """Return the protections that a sandbox says it enforces and the canary got past."""
    return [
        finding.protection
        for finding in findings
        if finding.degree != "enforced" and sandbox.protections[finding.protection] == "enforced"
    ]


def why_plain() -> str:
    """Say why there is no containment here."""
    try:
        Bubblewrap.open("auto")
    except SandboxError as error:
        return (
            f"the bots run without containment: {error}; install bubblewrap"
            " (see docs/explanation/containment.md)"
        )
    return "the bots run without containment"
