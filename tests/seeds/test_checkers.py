"""The two checkers accept every record that is written, refuse damaged ones, and print the same."""

import json
import re
import sys
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from tests.seeds.checkers import NODE, PYTHON, check, module, needs_node
from tests.seeds.mutations import KEPT, NEVER, RULES, SEEN, Change, Json, changed, put
from tests.support.command import GOLDEN, ROOT
from tests.support.genuine import late_opening
from tests.support.tournaments import entrant
from tourney.check.record import verify_data
from tourney.match.record import Outcome, make_record
from tourney.match.spec import MatchSpec
from tourney.schedule.format import FORMATS
from tourney.seeds import derive, pick, stream

pytestmark = pytest.mark.slow

BOTH = [PYTHON, pytest.param(NODE, marks=needs_node)]
CHANGES = [(name, change, False) for name, change in SEEN.items()]
CHANGES += [(f"{name}, the digest kept", change, True) for name, change in KEPT.items()]


def of_stones(records: Path) -> Any:
    """Return a match of Sage Stones for two seats without withdrawals."""
    return json.loads(_of_stones(records))


@cache
def _of_stones(records: Path) -> bytes:
    for line in records.read_bytes().splitlines():
        record = json.loads(line)
        outcome = record["outcome"]
        ended = not outcome["faults"] and "resigned" not in outcome
        if record["game"] == "sage-stones" and ended and "clock-ms" in record["limits"]:
            return line
    raise AssertionError("the pool has no such match")


@pytest.mark.parametrize("program", BOTH, ids=lambda path: path.suffix)
def test_checker_accepts_every_record_of_the_pool(program: Path, records: Path) -> None:
    done = check(program, str(records))
    count = len(records.read_bytes().splitlines())
    assert done.stdout.decode() == f"{count} records, 0 problems; dice of 0 not checked\n"
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("program", BOTH, ids=lambda path: path.suffix)
def test_checkers_accept_an_opening_with_dice_of_a_late_try(program: Path, tmp_path: Path) -> None:
    record = late_opening()
    file = tmp_path / "late.jsonl"
    file.write_bytes(record.encode() + b"\n")
    assert check(program, str(file)).stdout == b"1 records, 0 problems; dice of 0 not checked\n"
    first = next(k for k, (actor, _) in enumerate(record.actions) if actor == 0)
    other = "roll-111" if record.actions[first][1] != "roll-111" else "roll-123"
    file.write_bytes(changed(json.loads(record.encode()), put(f"actions.{first}.1", other)))
    assert b"but the seed gives" in check(program, str(file)).stdout


def test_pool_holds_every_format_game_seat_count_and_withdrawal(records: Path, names: list[str]) -> None:
    found = [json.loads(line) for line in records.read_bytes().splitlines()]
    assert {record["game"] for record in found} == set(GOLDEN)
    formats = set(FORMATS.own) - {"import", "results"}  # these play nothing
    assert {(game, format_) for game in GOLDEN for format_ in formats} <= {
        (game, format_) for name in names for game in GOLDEN for format_ in formats
        if name.startswith(f"{game}-{format_}-")
    }  # fmt: skip
    assert {len(record["seats"]) for record in found} == {2, 3, 4}
    kinds = {kind for record in found for _, kind, _ in record["outcome"]["faults"]}
    assert kinds == {"startup", "illegal", "timeout", "crash", "protocol", "overflow"}
    assert any("resigned" in record["outcome"] for record in found)
    assert {key for record in found for key in record["opening"]} == {"plies", "actions"}
    assert any(record["opening"].get("plies") for record in found)
    drawn = [action for record in found for actor, action in record["actions"] if actor == 0]
    assert sum(action.startswith("stones-") for action in drawn) > 100
    flows = [record for record in found if any("flow-" in action for _, action in record["actions"])]
    assert len(flows) > 10


@pytest.mark.parametrize("program", BOTH, ids=lambda path: path.suffix)
def test_checker_accepts_the_golden_records(program: Path) -> None:
    golden = sorted(str(path) for path in (ROOT / "seeds" / "golden").iterdir())
    done = check(program, *golden)
    assert (done.returncode, done.stdout.count(b"\n")) == (0, 1)


@pytest.mark.parametrize("program", BOTH, ids=lambda path: path.suffix)
def test_checker_refuses_each_change_of_a_record(program: Path, records: Path, tmp_path: Path) -> None:
    assert len(CHANGES) >= 30
    record = of_stones(records)
    path = tmp_path / "changed.jsonl"
    path.write_bytes(b"".join(changed(record, change, keep=keep) for _, change, keep in CHANGES))
    done = check(program, str(path))
    lines = done.stdout.decode().splitlines()
    seen = {int(line.split(" line ")[1].split(",")[0]) for line in lines[:-1]}
    assert [name for number, (name, _, _) in enumerate(CHANGES, 1) if number not in seen] == []
    assert lines[-1].startswith(f"{len(CHANGES)} records, {len(CHANGES)} problems")
    assert done.returncode == 1


def found_by_verify(line: bytes) -> bool:
    return bool(verify_data(json.loads(line)))


@pytest.mark.parametrize("program", BOTH, ids=lambda path: path.suffix)
def test_what_the_rules_alone_show_is_left_to_verify(program: Path, records: Path, tmp_path: Path) -> None:
    record = of_stones(records)
    path = tmp_path / "changed.jsonl"
    lines = [changed(record, change) for change in (*RULES.values(), *NEVER.values())]
    path.write_bytes(b"".join(lines))
    assert check(program, str(path)).returncode == 0
    assert [found_by_verify(line) for line in lines] == [True] * len(RULES) + [False] * len(NEVER)


@pytest.mark.parametrize("change", [*SEEN.values()], ids=[*SEEN])
def test_verify_refuses_what_the_checkers_refuse(records: Path, change: Change) -> None:
    assert found_by_verify(changed(of_stones(records), change))


@needs_node
def test_both_checkers_print_the_same(records: Path, tmp_path: Path) -> None:
    record = of_stones(records)
    good = records.read_bytes().splitlines(keepends=True)
    lines = [*good, *(changed(record, change, keep=keep) for _, change, keep in CHANGES)]
    lines += [changed(record, change) for change in (*RULES.values(), *NEVER.values())]
    lines += [line + b"\n" for line in TEXTS]
    whole = tmp_path / "mixed.jsonl"
    whole.write_bytes(b"".join(lines))
    python, node = check(PYTHON, str(whole)), check(NODE, str(whole))
    assert python.stdout.decode() == node.stdout.decode()
    assert (python.returncode, node.returncode) == (1, 1)
    assert python.stdout.count(b"\n") >= len(CHANGES) + len(TEXTS) - 2


TEXTS: list[bytes] = [
    *(
        b"{}",
        b"[]",
        b"7",
        b'"x"',
        b"null",
        b"nul",
        b"NaN",
        b"[1,]",
        b"[1 2]",
        b"{,}",
        b'{"a" 1}',
        b"01",
        b"-",
        b"1.",
    ),
    *(
        b'{"a":1,"a":2}',
        b'{"a":{"b":1,"b":1}}',
        b'{"__proto__":1}',
        b'{"constructor":1}',
        b'"\\x"',
        b'"\\ud800"',
    ),
    *(b'"a\tb"', b'"open', b'"', b"\xff", b'"\xed\xa0\x80"', b"\xef\xbb\xbf{}", b"1e5", b"-0", b"9" * 5000),
    *(
        b"[" * 100_000,
        b" ",
        b"\x0c",
        b"{} {}",
        b'{"format": "tourney-record/1"}',
        b"'x'",
        b"// x",
        b'{"a":1}}',
    ),
]
"""Texts that are not a record; all but the one of blanks are a problem."""


def drop_action(n: int, record: Json) -> None:
    record["actions"].pop(n)


def insert_action(n: int, action: list[Any], record: Json) -> None:
    record["actions"].insert(n, action)


@needs_node
@pytest.mark.parametrize("game", ["element", "sage-stones"])
def test_both_checkers_agree_on_each_changed_action(records: Path, tmp_path: Path, game: str) -> None:
    """Every action of some matches is dropped, doubled, and preceded by the last."""
    lines: list[bytes] = []
    for line in records.read_bytes().splitlines():
        record = json.loads(line)
        if record["game"] != game or len(lines) > 600 or not 40 < len(record["actions"]) < 200:
            continue
        for n, action in enumerate(record["actions"]):
            lines.append(changed(record, partial(drop_action, n)))
            lines.append(changed(record, partial(insert_action, n, action)))
            lines.append(changed(record, partial(insert_action, n, record["actions"][-1])))
    path = tmp_path / "changed.jsonl"
    path.write_bytes(b"".join(lines))
    python, node = check(PYTHON, str(path)), check(NODE, str(path))
    assert python.stdout.decode() == node.stdout.decode()
    assert python.stderr == node.stderr == b""
    assert python.stdout.count(b"\n") > len(lines) // 4 > 50


@pytest.mark.parametrize("program", BOTH, ids=lambda path: path.suffix)
def test_checker_reads_standard_input_and_names_unreadable_files(program: Path, records: Path) -> None:
    line = records.read_bytes().splitlines()[0]
    done = check(program, "-", given=b"\n" + line[:-1] + b"\n" + line)
    assert done.stdout.decode().splitlines() == [
        "- line 2, record ?: this is not JSON, or an object has a key twice",
        "1 records, 1 problems; dice of 0 not checked",
    ]
    missing = check(program, "no-such-file.jsonl")
    assert (missing.returncode, missing.stderr) == (2, b"no-such-file.jsonl cannot be read\n")
    helped = check(program, "--help")
    assert helped.returncode == 0
    assert b"Exit code" in helped.stdout
    assert check(program).returncode == 2


@pytest.mark.parametrize("program", BOTH, ids=lambda path: path.suffix)
def test_dice_of_an_unknown_game_are_counted(program: Path, records: Path) -> None:
    line = changed(of_stones(records), put("game", "my-game"))
    done = check(program, "-", given=line)
    assert done.stdout.decode() == "1 records, 0 problems; dice of 1 not checked\n"


BOUNDS = {
    "check.py": 425,
    "check_schedule.py": 500,
    "check_swiss.py": 420,
    "check.mjs": 500,
    "check_schedule.mjs": 500,
    "check_seeds.mjs": 80,
    "check_swiss.mjs": 450,
}
"""Lines of each file. A schedule is as long as a check of records: five formats, and for a Swiss a matching
of general graphs, which no standard library has; node's has no keyed BLAKE2b either."""


@pytest.mark.parametrize("name", [*BOUNDS])
def test_checkers_are_short_and_import_only_their_standard_library(name: str) -> None:
    text = (PYTHON.parent / name).read_text(encoding="utf-8")
    assert text.count("\n") <= BOUNDS[name]
    found = re.findall(
        r"^(?:import (\w+)|from ([\w.]+) import|import .* from \"([\w:./]+)\";)", text, re.MULTILINE
    )
    own = {one.removesuffix(".py") for one in BOUNDS} | {f"./{one}" for one in BOUNDS}
    names = {"".join(parts) for parts in found} - own
    if name.endswith(".py"):
        assert {name.partition(".")[0] for name in names} <= set(sys.stdlib_module_names)
    else:
        assert all(name.startswith("node:") for name in names)


def test_every_file_of_the_checkers_is_bounded() -> None:
    assert {path.name for path in PYTHON.parent.glob("check*")} == {*BOUNDS}


def of_element(actions: list[tuple[int, str]], seed: int) -> bytes:
    """Return the record of a match of Element in which seat 1 resigns after some actions, legal or not."""
    seats = tuple(entrant(letter) for letter in "ab")
    outcome = Outcome((2, 1), "resign", (), ((1, len(actions)),))
    record = make_record(MatchSpec("element", (), seats, seed), "1", actions, outcome)
    return record.encode() + b"\n"


def with_three_waters() -> tuple[int, str]:
    """Return a seed whose first four stones hold three Waters, and the chance outcome."""
    checker = module().Element({"seats": [None, None], "actions": []})
    checker.play(1, 1, "draw-4")
    for seed in range(10_000):
        drawn = pick(derive(seed, "chance", 0), list(checker.weights), list(checker.weights.values()))
        if drawn.count("W") == 3:
            return seed, drawn
    raise AssertionError("no seed draws three Waters")


RIVERS = ["W-b3", "W-c2", "W-b2"]
FLOWS = {
    ("river-n", "flow-w", "flow-n"): "1 records, 0 problems; dice of 0 not checked",
    ("flow-w", "flow-n"): "1 records, 0 problems; dice of 1 not checked",
    ("flow-w", "end"): "the river of action 5 cannot flow so",
    ("flow-w", "flow-e", "end"): "the river of action 5 cannot flow so",
    ("flow-n", "flow-n"): "the river of action 5 cannot flow so",
    ("river-s", "flow-w", "flow-n", "end"): "the river of action 5 cannot flow so",
    ("flow-w",): "1 records, 0 problems; dice of 0 not checked",
    ("flow-w", "flow-w"): "the river of action 5 cannot flow so",
}
"""How the river of ``b2`` flows, which could be that with ``b3`` or ``c2``, and what the checkers say."""


@pytest.mark.parametrize("program", BOTH, ids=lambda path: path.suffix)
@pytest.mark.parametrize("flows", [*FLOWS], ids=" ".join)
def test_rivers_flow_as_the_page_says(program: Path, flows: tuple[str, ...]) -> None:
    """Without ``river-D`` two rivers of one length leave the dice unchecked."""
    seed, drawn = with_three_waters()
    texts = ["draw-4", *RIVERS, *flows]
    actions = [(1, text) for text in texts]
    actions.insert(1, (0, drawn))
    done = check(program, "-", given=of_element(actions, seed))
    assert FLOWS[flows] in done.stdout.decode()


BYTES = b'{}[]",:0123456789aeE.-+\\ \t\xff\xc3\x00'


@needs_node
def test_both_checkers_agree_on_damaged_bytes(records: Path, tmp_path: Path) -> None:
    """Bytes of lines are replaced, dropped or added at places that a seed chooses."""
    below = stream(1, "damage")
    lines = [line for line in records.read_bytes().splitlines() if len(line) < 2000]
    damaged = []
    for _ in range(800):
        line = bytearray(lines[below(len(lines))])
        for _ in range(1 + below(3)):
            at, byte = below(len(line)), BYTES[below(len(BYTES))]
            line[at : at + below(2)] = bytes([byte]) if below(3) else b""
        damaged.append(bytes(line) + b"\n")
    path = tmp_path / "damaged.jsonl"
    path.write_bytes(b"".join(damaged))
    python, node = check(PYTHON, str(path)), check(NODE, str(path))
    assert python.stdout == node.stdout
    assert python.stderr == node.stderr == b""
    assert python.stdout.count(b"\n") > 700
