"""Bots that fill the memory of a small container when they believe that they are lost.

Their matches fit into it, so no match may be void, and no bot but the hog may have a fault.
"""

import json
import subprocess
import sys
from pathlib import Path
from textwrap import indent

import pytest

from tests.support.command import ROOT
from tests.support.containment import contained
from tests.support.folders import write_bot
from tests.support.memory_group import memory_group

pytestmark = [pytest.mark.containment, contained]

CUP = """
name = "cup"
game = "sage-stones"
seed = 7
bots = ["./good", "./hog"]
games-per-pairing = 4
[limits]
memory-mb = 128
move-ms = 60000
startup-ms = 600000
[options]
stones = "15"
"""
CONTAINER_MB = 760

BOT = """
import os, sys, time
MIB = 1 << 20
def child(work):
    pid = os.fork()
    if pid == 0:
        work()
        os._exit(0)
    return pid
def fill(mb):
    return [b"x" * MIB for _ in range(mb)]
def attack():
{attack}
ballast = fill({ballast})
turn = 0
for line in sys.stdin:
    word, *rest = line.split()
    if word == "tourney":
        print("bot wants=legal", flush=True)
    elif word == "game":
        turn = 0
        print("ready", flush=True)
    elif word == "legal":
        legal = rest
    elif word == "go":
        turn += 1
        if turn == 4:
            attack()
        print("move", legal[0], flush=True)
    elif word == "quit":
        break
"""

ATTACKS = {
    "one process": "fill(2000)",
    "children": """
for _ in range(14):
    child(lambda: (fill(90), time.sleep(600)))
os.wait()
os._exit(1)
""",
    "small children": """
for _ in range(80):
    child(lambda: (fill(16), time.sleep(600)))
os.wait()
os._exit(1)
""",
    "files in memory": """
for _ in range(40):
    file = os.memfd_create("x")
    for _ in range(60):
        os.write(file, bytes(MIB))
""",
    "given back": """
files = [os.memfd_create(str(k)) for k in range(40)]
for file in files:
    for _ in range(60):
        os.write(file, bytes(MIB))
for file in files:
    os.close(file)
""",
    "itself": """
children = [child(lambda: (fill(90), time.sleep(600))) for _ in range(14)]
os.wait()
for pid in children:
    os.kill(pid, 9)
os.kill(os.getpid(), 9)
""",
}


@pytest.mark.parametrize("groups", ["yes", "no"])
@pytest.mark.parametrize("attack", ATTACKS)
def test_bot_that_fills_memory_makes_no_match_void(tmp_path: Path, attack: str, groups: str) -> None:
    """The kernel may well end its opponent, which is larger than each of many small processes."""
    tmp_path.chmod(0o755)
    for name, does, ballast in (("good", "pass", 60), ("hog", ATTACKS[attack], 0)):
        program = BOT.format(attack=indent(does, "    "), ballast=ballast)
        write_bot(tmp_path, name, {"bot.py": program}, games='["sage-stones"]')
    (tmp_path / "cup.toml").write_text(CUP, "utf-8")
    with memory_group(CONTAINER_MB) as inside:
        words = [*inside, sys.executable, "-m", "tests.attacks.full_memory", str(tmp_path), groups]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=1200, check=False)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["void"] == []
    assert said["faults"] == {"hog crash": 4}
