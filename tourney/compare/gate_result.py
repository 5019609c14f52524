"""The verdict of a gate: as JSON data, as text, Markdown and JUnit, and live after each round.

It is one long module so that a verdict says the same in each of its four forms.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from xml.etree import ElementTree as ET

from tourney.compare.gate_format import GateRule, GateState, Versus, judge
from tourney.compare.request import has_ended, row_of_event
from tourney.errors import BotError
from tourney.ratings.betting import needed
from tourney.ratings.sequences import estimate_now
from tourney.ratings.sprt import expected_score
from tourney.run.engine.broken import reason_of
from tourney.run.monitoring.progress import Listener, Progress, counted, kinds_text
from tourney.schedule.row import MatchKey, ResultRow
from tourney.store.repository import Repository
from tourney.store.values import Plan, StoredEntrant, Tournament

LOG_LINES: Final = 20
"""The last lines of a log that a verdict shows."""
EXIT_CODES: Final[Mapping[str, int]] = {"accepted": 0, "rejected": 1, "undecided": 4}


def gate_data(repository: Repository, tournament: Tournament) -> dict[str, Any]:
    """Return the verdict of a gate as JSON data with rounded numbers, from its stored results alone.

    ``verdict`` is ``accepted``, ``rejected`` or ``undecided``; ``reason`` says why: ``better``, ``worse``,
    ``faults`` (of the candidate), ``baseline`` (one fails too often to compare with), ``pairs`` (the limit is
    reached) or ``unfinished``. ``ended``: no further match can change it. Results count by whole rounds, the
    candidate's faults at once. ``elo``, ``low`` and ``high`` (95 %, at every look) are None before the first
    few pairs; ``evidence`` are logarithms.
    """
    rule = GateRule.of(tournament.plan.extra)
    entrants = repository.entrants(tournament.id)
    unfinished = {row.round for _, row in repository.rows(tournament.id, pending=True)}
    results = [row for row in repository.results(tournament.id) if row.key.round not in unfinished]
    state = judge(rule, len(entrants) - 1, results)
    faults = {kind: count for number, kind, count in repository.faults(tournament.id) if number == 0}
    others: Counter[int] = Counter()
    for number, _, count in repository.faults(tournament.id):
        others[number] += count
    failed = sum(faults.values()) >= rule.max_faults
    verdict = "rejected" if failed else state.verdict or "undecided"
    if failed:
        reason = "faults"
    elif state.verdict is not None:
        reason = "better" if verdict == "accepted" else "worse"
    elif state.ended:
        reason = "baseline"
    else:
        reason = "pairs" if has_ended(repository, tournament) else "unfinished"
    first = next((found for found in repository.faulty_matches(tournament.id) if _of_candidate(found)), None)
    return {
        **_head(tournament.plan, entrants, rule),
        "gate": tournament.name,
        "verdict": verdict,
        "reason": reason,
        "ended": failed or state.ended,
        "rounds": max((row.key.round for row in results), default=0),
        "pairs": sum(sum(one.pairs) for one in state.versus),
        "against": [
            _against(rule, state, stored.number, stored, others[stored.number]) for stored in entrants[1:]
        ],
        "faults": dict(sorted(faults.items())),
        "first_fault": None
        if first is None
        else {"match": first[0], "seat": first[1].index(0) + 1, "kind": first[2][first[1].index(0)]},
        "log": [] if first is None else _log(repository, tournament.id, first[0], first[1].index(0) + 1),
    }


def broken_data(plan: Plan, entrants: Sequence[StoredEntrant], error: BotError) -> dict[str, Any]:
    """Return the verdict on a candidate that cannot be built or started: it is rejected without a match."""
    notes = [line for note in getattr(error, "__notes__", ()) for line in str(note).splitlines()]
    rule = GateRule.of(plan.extra)
    state = judge(rule, len(entrants) - 1, ())
    return {
        **_head(plan, entrants, rule),
        "gate": None,
        "verdict": "rejected",
        "reason": "start",
        "ended": True,
        "rounds": 0,
        "pairs": 0,
        "against": [_against(rule, state, stored.number, stored, 0) for stored in entrants[1:]],
        "faults": {},
        "first_fault": None,
        "log": [reason_of(error), *(_one_line(line) for line in notes[-LOG_LINES:])],
    }


def _head(plan: Plan, entrants: Sequence[StoredEntrant], rule: GateRule) -> dict[str, Any]:
    return {
        "game": plan.game,
        "candidate": _bot(entrants[0]),
        "no_regression": rule.elo0,
        "gain": rule.elo1,
        "alpha": rule.alpha,
        "beta": rule.beta,
        "batch": rule.batch,
        "max_faults": rule.max_faults,
    }


def _bot(stored: StoredEntrant) -> dict[str, Any]:
    entrant = stored.entrant
    return {
        "name": entrant.name,
        "bot": entrant.bot,
        "version": entrant.version,
        "args": list(entrant.args),
        "digest": entrant.digest,
    }


def _of_candidate(found: tuple[int, tuple[int, ...], tuple[str | None, ...]]) -> bool:
    _, seats, faults = found
    return faults[seats.index(0)] is not None


def _log(repository: Repository, tournament: int, match: int, seat: int) -> list[str]:
    """Return the end of the log of a match, as far as it is the referee's or this seat's."""
    if (archive := repository.archives().get(tournament)) is not None:
        return [f"in {archive}"]
    lines = [line for line in repository.log(tournament, match) if line.seat in (0, seat)]
    return [_one_line(f"{line.kind}: {line.text}") for line in lines[-LOG_LINES:]]


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def planned_pairs(rule: GateRule) -> int:
    """Return the pairs for which the shown intervals are tuned: that a gain takes to prove."""
    gap = expected_score(rule.elo1) - expected_score(rule.elo0)
    return max(rule.batch, math.ceil(2 * math.log(1 / rule.alpha) * 0.125 / gap**2))


def _against(
    rule: GateRule, state: GateState, number: int, stored: StoredEntrant, faults: int
) -> dict[str, Any]:
    one = state.versus[number - 1]
    total = sum(one.pairs)
    found = estimate_now(one.pairs, planned_pairs(rule))
    score = sum(count * half_points for half_points, count in enumerate(one.pairs))
    return {
        **_bot(stored),
        "claim": one.claim,
        "broken": one.broken,
        "pairs": total,
        "pentanomial": list(one.pairs),
        "lost_pairs": one.lost,
        "score": round(score / (4 * total), 4) if total else None,
        **{name: _finite(None if found is None else getattr(found, name)) for name in ("elo", "low", "high")},
        "faults": faults,
        "evidence": _evidence(rule, state, one),
    }


def _finite(value: float | None) -> float | None:
    """Return a number as it is published; None for an end of an interval that has none."""
    return None if value is None or math.isinf(value) else round(value, 1) + 0.0


def _evidence(rule: GateRule, state: GateState, one: Versus) -> dict[str, float]:
    """Return the evidence for both claims, and how much proves them as the other baselines stand."""
    found: dict[str, float] = {}
    for claim, value, error in (("better", one.better, rule.alpha), ("worse", one.worse, rule.beta)):
        proven = sum(other.claim == claim for other in state.versus if other is not one)
        found |= {
            claim: round(value, 2),
            f"{claim}_needed": round(needed(len(state.versus) - proven, error), 2),
        }
    return found


def verdict_text(result: Mapping[str, Any]) -> str:
    """Return the verdict and its reason in a sentence."""
    candidate = f"{result['candidate']['name']} {result['candidate']['version']}"
    reason = result["reason"]
    head = f"{result['verdict'].upper()}: {candidate}"
    if reason == "start":
        return f"{head} cannot be built or started"
    if reason == "faults":
        kinds = Counter(result["faults"])
        return f"{head} was at fault {counted(kinds.total(), 'time')} ({kinds_text(kinds)})"
    names = {
        claim: [one["name"] for one in result["against"] if one["claim"] == claim]
        for claim in ("better", "worse", None)
    }
    if reason in ("better", "worse"):
        return f"{head} {claim_text(result, reason)} {_and(names[reason])}"
    if reason == "baseline":
        broken = [one["name"] for one in result["against"] if one["broken"]]
        return f"{head}: the games against {_and(broken)} say nothing, as the baseline fails; see its log"
    pairs = counted(result["pairs"], "pair")
    if reason == "pairs":
        return (
            f"{head}: {pairs} of games prove nothing yet about {_and(names[None])}; allow more by --max-pairs"
        )
    return (
        f"{head} so far, after {pairs} of games against {_and(names[None])}: run the same command again to go"
        " on"
    )


def claim_text(result: Mapping[str, Any], claim: str) -> str:
    """Return what a claim says of the candidate, up to the baseline's name."""
    elo = result["no_regression" if claim == "better" else "gain"]
    if claim == "better":
        return "is better than" if not elo else f"is {_bound(elo, 'more')} than"
    return "is weaker than" if not elo else f"is {_bound(elo, 'less')} than"


def _bound(elo: float, word: str) -> str:
    """Return ``more than 5 Elo better``, or of a negative bound ``less than 5 Elo weaker``."""
    if elo > 0:
        return f"{word} than {elo:g} Elo better"
    return f"{'less' if word == 'more' else 'more'} than {-elo:g} Elo weaker"


def rule_text(result: Mapping[str, Any]) -> str:
    """Return what the verdict means, in a sentence."""
    alpha, beta = (f"{100 * result[key]:g} %" for key in ("alpha", "beta"))
    return (
        f"Accepted: the candidate {claim_text(result, 'better')} every baseline; wrong in at most {alpha} of"
        f" gates. Rejected: it {claim_text(result, 'worse')} one of them; wrong in at most {beta}. Both hold"
        " however often one looks."
    )


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


COLUMNS: Final = ("baseline", "proven", "pairs", "score", "Elo", "95 % at every look", "faults")


def versus_rows(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a row for each baseline, by ``COLUMNS``."""
    rows = []
    for one in result["against"]:
        known = one["elo"] is not None
        values = (
            f"{one['name']} {one['version']}",
            one["claim"] or "nothing yet",
            one["pairs"],
            None if one["score"] is None else f"{100 * one['score']:.1f} %",
            f"{one['elo']:+.1f}" if known else None,
            _interval_text(one["low"], one["high"]) if known else None,
            one["faults"],
        )
        rows.append(dict(zip(COLUMNS, values, strict=True)))
    return rows


def _interval_text(low: float | None, high: float | None) -> str:
    return " .. ".join("none" if end is None else f"{end:+.1f}" for end in (low, high))


def markdown(result: Mapping[str, Any]) -> str:
    """Return the verdict as Markdown, for a comment on a pull request.

    Names hold no character that Markdown knows, but ``_``; logs are bots' text, so they stand in a block that
    nothing in them can close.
    """
    verdict, _, rest = verdict_text(result).partition(" ")
    lines = [f"### Gate: {result['candidate']['name']} at {result['game']}", ""]
    lines += [f"**{verdict.rstrip(':')}**{':' * verdict.endswith(':')} {_escaped(rest)}", ""]
    lines += ["| " + " | ".join(COLUMNS) + " |", "|---|---|" + "---:|" * (len(COLUMNS) - 2)]
    for row in versus_rows(result):
        lines.append(
            "| " + " | ".join(_escaped("-" if row[c] is None else str(row[c])) for c in COLUMNS) + " |"
        )
    lines += ["", rule_text(result)]
    if result["log"]:
        longest = max((len(run) for line in result["log"] for run in re.findall("`+", line)), default=0)
        fence = "`" * max(3, longest + 1)
        lines += ["", log_title(result) + ":", "", f"{fence}text", *result["log"], fence]
    if result["gate"]:
        lines += ["", f"Stored as `{result['gate']}`."]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>#|~@])", r"\\\1", text)


def log_title(result: Mapping[str, Any]) -> str:
    """Return what the lines of the verdict's log are."""
    first = result["first_fault"]
    return "It ends" if first is None else f"The log of match {first['match']} ends"


_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(result: Mapping[str, Any]) -> str:
    """Return the verdict as JUnit's XML: a test case for each baseline, and one for the candidate itself."""
    name = f"tourney gate {result['candidate']['name']}"
    cases: list[ET.Element] = []

    def case(title: str, kind: str | None, message: str, text: str = "") -> None:
        made = ET.Element("testcase", {"classname": f"{name}.{result['game']}", "name": title})
        if kind is not None:
            ET.SubElement(made, kind, {"message": _xml(message)}).text = _xml(text)
        cases.append(made)

    sentence, log = verdict_text(result), "\n".join(result["log"])
    failed = result["reason"] in ("start", "faults")
    case("plays without faults", "failure" if failed else None, sentence, log)
    for one, row in zip(result["against"], versus_rows(result), strict=True):
        kind = {"better": None, "worse": "failure"}.get(one["claim"], "error" if one["broken"] else "skipped")
        text = ", ".join(f"{key} {value}" for key, value in row.items() if value is not None)
        case(f"better than {one['name']}", kind, f"{result['verdict']}: {text}")
    counts = {
        kind: str(sum(one.find(kind) is not None for one in cases))
        for kind in ("failure", "error", "skipped")
    }
    suite = ET.Element(
        "testsuite",
        {
            "name": name,
            "tests": str(len(cases)),
            "failures": counts["failure"],
            "errors": counts["error"],
            "skipped": counts["skipped"],
        },
    )
    properties = ET.SubElement(suite, "properties")
    for key in ("verdict", "reason", "gate", "gain", "no_regression", "alpha", "beta", "pairs"):
        if result[key] is not None:
            ET.SubElement(properties, "property", {"name": key, "value": _xml(str(result[key]))})
    suite.extend(cases)
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode")


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)


class LiveGate(Listener):
    """Sends another listener a line after each whole round, in whatever order the matches end.

    ``names`` are the entrants', the candidate first; ``before`` the results stored before the run.
    """

    def __init__(
        self, listener: Listener, rule: GateRule, names: Sequence[str], before: Iterable[ResultRow]
    ) -> None:
        self._listener = listener
        self._rule = rule
        self._numbers = {name: number for number, name in enumerate(names)}
        self._names = names
        self._results = {row.number: row for row in before}
        self._taken: list[ResultRow] = []
        self._state = judge(rule, len(names) - 1, ())
        self._take_rounds()

    def event(self, name: str, data: Mapping[str, Any]) -> None:
        """Take a stored match."""
        if name == "match":
            # Its place in the schedule follows when its round is whole.
            row = row_of_event(data, MatchKey(0, 0, 0, 0), self._numbers)
            self._results[row.number] = row

    def progress(self, progress: Progress) -> None:  # noqa: ARG002 - ``event`` took what matters
        """Send lines if a round has ended."""
        if self._take_rounds():
            for number, one in enumerate(self._state.versus, 1):
                self._listener.say(self._line(self._names[number], one))

    def _line(self, name: str, one: Versus) -> str:
        evidence = _evidence(self._rule, self._state, one)
        found = estimate_now(one.pairs, planned_pairs(self._rule))
        elo = ""
        if found is not None:
            ends = _interval_text(_finite(found.low), _finite(found.high))
            elo = f", Elo {found.elo:+.1f} ({ends} at every look)"
        shown = (
            f"proven {one.claim}"
            if one.claim
            else f"better {evidence['better']:.2f} of {evidence['better_needed']:.2f},"
            f" worse {evidence['worse']:.2f} of {evidence['worse_needed']:.2f}"
        )
        return f"against {name}: {counted(sum(one.pairs), 'pair')}{elo}; {shown}"

    def _take_rounds(self) -> bool:
        """Take the rounds that are whole now; return whether there is a new one."""
        known = len(self._taken)
        while True:
            size, first = 2 * self._rule.batch, len(self._taken) + 1
            tables = self._state.open
            numbers = range(first, first + size * len(tables))
            if not tables or not all(number in self._results for number in numbers):
                return len(self._taken) > known
            round_ = self._taken[-1].key.round + 1 if self._taken else 1
            for place, number in enumerate(numbers):
                table, rest = divmod(place, size)
                key = MatchKey(round_, tables[table], rest // 2 + 1, rest % 2 + 1)
                self._taken.append(self._results[number]._replace(key=key))
            self._state = judge(self._rule, len(self._names) - 1, self._taken)
