"""Channels between two hostile bots of a machine: ``python -m benchmarks.hostile channels``.

Two bots, each in a sandbox, try to pass bits by names and by slots of time; see ``benchmarks.hostile``.
"""

import argparse
import json
import math
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tourney.bots.catalogue.command import BotCommand, environment, interpreter_paths
from tourney.bots.channel.interface import Channel
from tourney.bots.sandbox import cgroups
from tourney.bots.sandbox.sandbox import Sandbox, open_sandbox
from tourney.run.workers.worker import pin

SLOT_NS = 20_000_000
CHANNEL_BOT = """
import ctypes, json, os, statistics, sys, time
plan = json.loads(sys.argv[1])
libc = ctypes.CDLL(None)
def lookup(name):
    began = time.perf_counter_ns()
    try:
        os.stat(name)
    except OSError:
        pass
    return time.perf_counter_ns() - began
def processes():
    words = (ctypes.c_uint64 * 16)()
    libc.sysinfo(words)
    return words[10] & 0xFFFF
def number():
    ends = os.pipe()
    found = os.fstat(ends[0]).st_ino
    for end in ends:
        os.close(end)
    return found
def spin():
    count, until = 0, time.monotonic_ns() + plan["slot"] // 2
    while time.monotonic_ns() < until:
        count += 1
    return count
def send_processes(until):
    children = []
    for _ in range(60):
        child = os.fork()
        if child == 0:
            time.sleep(60)
        children.append(child)
    sleep_until(until)
    for child in children:
        os.kill(child, 9)
        os.waitpid(child, 0)
def send_number(until):
    for _ in range(300):
        number()
def send_spin(until):
    while time.monotonic_ns() < until:
        pass
def sleep_until(at):
    left = at - time.monotonic_ns()
    if left > 0:
        time.sleep(left / 1e9)
def names(key, count):
    return [f"{plan['folder']}/{key}-{k}" for k in range(count)]
began = time.perf_counter_ns()
way, bits = plan["way"], plan["count"]
if way == "names" and "bits" in plan:
    for name, bit in zip(names(plan["key"], bits), plan["bits"]):
        if bit:
            lookup(name)
    heard = []
elif way == "names":
    fresh = names(plan["key"] + "-fresh", 200)
    first, again = [lookup(name) for name in fresh], [lookup(name) for name in fresh]
    middle = (statistics.median(first) + statistics.median(again)) / 2
    heard = "".join(str(int(lookup(name) < middle)) for name in names(plan["key"], bits))
else:
    sender = {"processes": send_processes, "pipes": send_number, "processor": send_spin}[way]
    figure = {"processes": processes, "pipes": number, "processor": spin}[way]
    heard, slot = [], plan["slot"]
    for k in range(bits):
        at = plan["start"] + k * slot
        sleep_until(at)
        if "bits" in plan:
            if plan["bits"][k]:
                sender(at + slot * 3 // 4)
        else:
            if way != "processor":
                before = figure()
                sleep_until(at + slot // 2)
            now = figure()
            heard.append(now - before if way == "pipes" else now)
print(json.dumps([time.perf_counter_ns() - began, heard]), flush=True)
sys.stdin.readline()
"""


def spawn(sandbox: Sandbox, folder: Path, plan: dict[str, object]) -> Channel:
    """Start a bot with a plan."""
    words = (sys.executable, "-I", "-S", "-B", "bot.py", json.dumps(plan))
    command = BotCommand(words, folder, environment(), interpreter_paths())
    return sandbox.spawn(command, memory_mb=512)


def answer(channel: Channel) -> tuple[float, list[int]]:
    """The seconds that a bot took, and what it heard."""
    event = channel.wait(time.monotonic_ns() + 600 * 10**9)
    if event.kind != "line":
        raise SystemExit(f"a bot failed: {event} {channel.stderr()}")
    took, heard = json.loads(event.text)
    return took / 1e9, [int(figure) for figure in heard]


def channel_row(name: str, sent: Sequence[int], heard: Sequence[int], seconds: float) -> str:
    """The row of a channel."""
    right = sum(a == b for a, b in zip(sent, heard, strict=True)) / len(sent)
    worth = 0.0
    if 0 < right < 1:
        worth = 1 + right * math.log2(right) + (1 - right) * math.log2(1 - right)
    elif right == 1:
        worth = 1.0
    # With so few bits chance alone deviates from one half by this much in one case of a thousand.
    chance = abs(right - 0.5) < 3.3 * 0.5 / math.sqrt(len(sent))
    rate = "none" if chance else f"{worth * len(sent) / seconds:,.0f}"
    return f"| {name} | {len(sent):,} | {right:.3f} | {seconds:.2f} | {rate} |"


def levels(figures: Sequence[int], *, upwards: bool) -> list[int]:
    """The bits of figures: those above their middle are 1, or those below."""
    ordered = sorted(figures)
    middle = (ordered[len(ordered) // 4] + ordered[-len(ordered) // 4]) / 2
    return [int((figure > middle) == upwards) for figure in figures]


def by_names(sandbox: Sandbox, folder: Path, bits: list[int], place: str, *, at_once: bool) -> str:
    """Send by names that do not exist."""
    plan: dict[str, object] = {"way": "names", "folder": place, "count": len(bits)}
    plan["key"] = f"{random.getrandbits(60):x}"
    sender = spawn(sandbox, folder, {**plan, "bits": bits})
    wrote, _ = answer(sender)
    if not at_once:
        sender.close(0)
    receiver = spawn(sandbox, folder, plan)
    read, heard = answer(receiver)
    receiver.close(0)
    sender.close(0)
    return channel_row(
        f"names in {place}, {'at once' if at_once else 'from match to match'}", bits, heard, wrote + read
    )


def by_slots(sandbox: Sandbox, folder: Path, bits: list[int], way: str) -> str:
    """Send in slots of time, to a bot that runs at once."""
    start = time.monotonic_ns() + 500_000_000
    plan = {"way": way, "count": len(bits), "slot": SLOT_NS, "start": start}
    both = [spawn(sandbox, folder, {**plan, "bits": bits}), spawn(sandbox, folder, plan)]
    try:
        heard = [answer(channel)[1] for channel in both][1]
    finally:
        for channel in both:
            channel.close(0)
    return channel_row(
        f"{way}, at once", bits, levels(heard, upwards=way != "processor"), len(bits) * SLOT_NS / 1e9
    )


def channels(words: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bits", type=int, default=2048, help="at most 3,000")
    parser.add_argument("--level", choices=("auto", "off"), default="auto")
    given = parser.parse_args(words)
    sandbox = open_sandbox(given.level)
    pin(0, 1)
    few = min(given.bits, 256)
    print("| channel | bits | share right | seconds | bits per second |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="tourney-channels-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "bot.py").write_text(CHANNEL_BOT, "ascii")

        def bits(count: int) -> list[int]:
            return [random.getrandbits(1) for _ in range(count)]

        rows: list[Callable[[], str]] = [
            lambda: by_names(sandbox, folder, bits(given.bits), "/usr/bin", at_once=False),
            lambda: by_names(sandbox, folder, bits(given.bits), "/tmp", at_once=False),  # noqa: S108 - inside
            lambda: by_names(sandbox, folder, bits(given.bits), "/usr/bin", at_once=True),
            *(
                (lambda way=way: by_slots(sandbox, folder, bits(few), way))
                for way in ("processes", "pipes", "processor")
            ),
        ]
        for make in rows:
            print(make(), flush=True)
        kept = cgroups.drop_caches
        cgroups.drop_caches = lambda folder: 0  # noqa: ARG005 - as before this was dropped
        try:
            print("without dropping what a match cached:")
            print(by_names(sandbox, folder, bits(given.bits), "/usr/bin", at_once=False), flush=True)
        finally:
            cgroups.drop_caches = kept
    return 0
