"""The verdict of a gate in sentences, as a table, as Markdown and as JUnit's XML; all say the same."""

import re
from collections import Counter
from itertools import chain
from typing import Final
from xml.etree import ElementTree as ET

from tourney.addons.lab.question import interval_text
from tourney.addons.lab.results import Claim, GateResult, claim_text, distinct_text, warnings
from tourney.results.texts import kinds_text
from tourney.texts import counted, name_list

COLUMNS: Final = ("baseline", "proven", "pairs", "games", "score", "Elo", "interval at every look", "faults")
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def verdict_text(result: GateResult) -> str:
    """The verdict and its reason in a sentence."""
    head = f"{result.verdict.upper()}: {result.candidate.name} {result.candidate.version}"
    names: dict[Claim | None, list[str]] = {"better": [], "worse": [], None: []}
    for line in result.against:
        names[line.claim].append(line.name)
    open_ = name_list(names[None])
    pairs = counted(result.pairs, "pair")
    match result.reason:
        case "start":
            return f"{head} cannot be built or started"
        case "faults":
            kinds = Counter(result.faults)
            return f"{head} was at fault {counted(kinds.total(), 'time')} ({kinds_text(kinds)})"
        case "better" | "worse":
            claim = claim_text(result.reason, result.no_regression, result.gain)
            return f"{head} {claim} {name_list(names[result.reason])}"
        case "baseline":
            broken = name_list([line.name for line in result.against if line.broken])
            return f"{head}: the games against {broken} say nothing, as the baseline fails; see its log"
        case "pairs":
            return f"{head}: {pairs} of games prove nothing yet about {open_}; allow more by --max-pairs"
        case "unfinished":
            return (
                f"{head} so far, after {pairs} of games against {open_}: run the same command again to go on"
            )


def rule_text(result: GateResult) -> str:
    """The meaning of the verdict, in sentences."""
    bounds = result.no_regression, result.gain
    meaning = (
        f"Accepted: the candidate {claim_text('better', *bounds)} every baseline; wrong in at most"
        f" {100 * result.alpha:g} % of gates. Rejected: it {claim_text('worse', *bounds)} one of them; wrong"
        f" in at most {100 * result.beta:g} %. Both hold however often one looks, and an interval holds what"
        " is not refuted."
    )
    name = result.candidate.name
    return "\n".join((meaning, *chain(*(warnings(line, name, line.name) for line in result.against))))


def versus_rows(result: GateResult) -> list[dict[str, str | int | None]]:
    """A row for each baseline, by ``COLUMNS``."""
    rows = []
    for line in result.against:
        values = (
            f"{line.name} {line.version}",
            line.claim or "nothing yet",
            line.pairs,
            distinct_text(line) if line.pairs else None,
            None if line.score is None else f"{100 * line.score:.1f} %",
            None if line.elo is None else f"{line.elo:+.1f}",
            None if line.elo is None else interval_text(line.low, line.high),
            line.faults,
        )
        rows.append(dict(zip(COLUMNS, values, strict=True)))
    return rows


def log_title(result: GateResult) -> str:
    """The heading of the verdict's log."""
    first = result.first_fault
    return "It ends" if first is None else f"The log of match {first.match} ends"


def markdown(result: GateResult) -> str:
    """The verdict as Markdown, for a comment on a pull request.

    Names hold no character that Markdown knows, but ``_``; logs are bots' text, so they stand in a block that
    nothing in them can close.
    """
    verdict, _, rest = verdict_text(result).partition(" ")
    lines = [f"### Gate: {result.candidate.name} at {result.game}", ""]
    lines += [f"**{verdict.rstrip(':')}**{':' * verdict.endswith(':')} {_escaped(rest)}", ""]
    lines += ["| " + " | ".join(COLUMNS) + " |", "|---|---|" + "---:|" * (len(COLUMNS) - 2)]
    for row in versus_rows(result):
        cells = [_escaped("-" if row[column] is None else str(row[column])) for column in COLUMNS]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", rule_text(result)]
    if result.log:
        longest = max((len(run) for line in result.log for run in re.findall("`+", line)), default=0)
        # A log with a fence of its own would end the block, and the rest would be read as Markdown.
        fence = "`" * max(3, longest + 1)
        lines += ["", log_title(result) + ":", "", f"{fence}text", *result.log, fence]
    if result.gate:
        lines += ["", f"Stored as `{result.gate}`."]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    # "@" too: a name such as @team would notify people on a pull request.
    return re.sub(r"([\\`*_{}\[\]<>#|~@])", r"\\\1", text)


def junit(result: GateResult) -> str:
    """The verdict as JUnit's XML: a test case for each baseline, and one for the candidate itself."""
    name = f"tourney gate {result.candidate.name}"
    root = ET.Element("testsuites")
    suite = ET.SubElement(root, "testsuite", {"name": name, "tests": str(1 + len(result.against))})
    properties = ET.SubElement(suite, "properties")
    for key in ("verdict", "reason", "gate", "gain", "no_regression", "alpha", "beta", "pairs"):
        if (value := getattr(result, key)) is not None:
            ET.SubElement(properties, "property", {"name": key, "value": _xml(str(value))})

    def case(title: str, kind: str | None, message: str, text: str = "") -> None:
        made = ET.SubElement(suite, "testcase", {"classname": f"{name}.{result.game}", "name": title})
        if kind is not None:
            ET.SubElement(made, kind, {"message": _xml(message)}).text = _xml(text)

    failed = result.reason in ("start", "faults")
    case("plays without faults", "failure" if failed else None, verdict_text(result), "\n".join(result.log))
    for line, row in zip(result.against, versus_rows(result), strict=True):
        text = ", ".join(f"{key} {value}" for key, value in row.items() if value is not None)
        # CI servers show "skipped" as neither passed nor failed, as an undecided claim is.
        kind: str | None = "error" if line.broken else "skipped"
        if line.claim is not None:
            kind = None if line.claim == "better" else "failure"
        case(f"better than {line.name}", kind, f"{result.verdict}: {text}")
    for key, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(key, str(len(suite.findall(f"testcase/{kind}"))))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode")


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
