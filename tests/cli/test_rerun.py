"""``tourney rerun``: the same record again, or what differs."""

import json
from pathlib import Path

import pytest

from tests.support.command import ROOT, invoke
from tests.support.gates import FIRST
from tests.support.memory import set_memory
from tests.support.records import digest_of
from tourney.bots.catalogue.store import BotStore
from tourney.match.spec import Entrant, Limits, MatchSpec


@pytest.fixture
def rerunnable(tmp_path: Path) -> Path:
    """A record of two shell bots from a store, with the actions that they choose."""
    program = tmp_path / "firstlegal"
    program.write_text(FIRST, encoding="ascii")
    program.chmod(0o755)
    bot = BotStore(tmp_path / "bots").add(program)
    entrants = tuple(Entrant(name, "firstlegal", "0", (), bot.digest) for name in ("a", "b"))
    spec = MatchSpec("sage-stones", (), entrants, 7, Limits(move_ms=60_000))

    from tourney.bots.sandbox.plain import PlainSandbox
    from tourney.match.runner import MatchRunner, StoreLauncher

    with MatchRunner(StoreLauncher(BotStore(tmp_path / "bots"), PlainSandbox("off"))) as room:
        record = room.play(spec).record
    path = tmp_path / "record.json"
    path.write_bytes(record.encode())
    return path


def test_rerun_gives_the_same_record(rerunnable: Path) -> None:
    """The store finds the bots by digest, and the record's digest is the same."""
    digest = json.loads(rerunnable.read_text(encoding="utf-8"))["digest"]
    done = invoke("rerun", str(rerunnable), "--bots", str(rerunnable.parent / "bots"), "--sandbox", "off")
    assert (done.exit_code, done.stdout) == (0, f"{rerunnable} came out the same: {digest}\n")


def test_rerun_names_the_first_action_that_differs(rerunnable: Path) -> None:
    """In the record, seat 1 places a stone on another square than its bot."""
    record = json.loads(rerunnable.read_text(encoding="utf-8"))
    place = next(k for k, (actor, _) in enumerate(record["actions"]) if actor == 1)
    was = record["actions"][place][1]
    record["actions"][place][1] = was[0] + "e"
    record["outcome"]["faults"] = [[2, "timeout", place + 1]]
    record["digest"] = digest_of(record)
    rerunnable.write_text(json.dumps(record), encoding="utf-8")
    done = invoke("rerun", str(rerunnable), "--bots", str(rerunnable.parent / "bots"), "--sandbox", "off")
    assert done.exit_code == 5
    first = done.stdout.splitlines()[0]
    assert (
        first
        == f"{rerunnable}: not promised: action {place + 1}: it was seat 1 {was[0]}e, now it is seat 1 {was}"
    )
    assert "is not guaranteed to reproduce: timeout" in done.stderr


def test_rerun_names_missing_bots(rerunnable: Path, tmp_path: Path) -> None:
    """The message has the store and the bot's digest."""
    done = invoke("rerun", str(rerunnable), "--bots", str(tmp_path / "other"), "--sandbox", "off")
    assert done.exit_code == 2
    assert "has no bot with the digest" in done.stderr


def rerun(*words: str, bots: Path) -> tuple[int, str, str]:
    done = invoke("rerun", *words, "--bots", str(bots), "--sandbox", "off", "--workers", "2")
    return done.exit_code, done.stdout, done.stderr


def test_rerun_of_many_sums_up(rerunnable: Path) -> None:
    """A record consistent in itself, which the bots would not play, is found among honest ones."""
    bots = rerunnable.parent / "bots"
    record = json.loads(rerunnable.read_text(encoding="utf-8"))
    forged = {**record, "seed": str(int(record["seed"]) + 1)}
    forged["digest"] = digest_of(forged)
    alien = {**record, "seats": [{**record["seats"][0], "digest": "0" * 64}, record["seats"][1]]}
    alien["digest"] = digest_of(alien)
    for lines, code, sums in (
        ([record, record], 0, "2 matches replayed: 2 the same"),
        ([record, forged], 1, "2 matches replayed: 1 the same, 1 differently"),
        ([record, alien], 2, "1 match replayed: 1 the same, 1 not played"),
    ):
        rerunnable.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        done = rerun(str(rerunnable), "--all", bots=bots)
        assert (done[0], done[1].splitlines()[-1]) == (code, sums)
        found = done[1].splitlines()[:-1]
        assert all(line.startswith(f"{rerunnable} line 2: ") for line in found)
    assert "has no bot with the digest 0000" in found[0]


def test_rerun_of_a_sample_says_its_seed(rerunnable: Path) -> None:
    bots = rerunnable.parent / "bots"
    line = json.dumps(json.loads(rerunnable.read_text(encoding="utf-8"))) + "\n"
    rerunnable.write_text(line * 5, encoding="utf-8")
    code, out, err = rerun(str(rerunnable), "--sample", "2", "--seed", "9", bots=bots)
    assert (code, out) == (0, "2 matches replayed: 2 the same\n")
    assert "a sample of 2 of 5 matches, drawn from the seed 9\n" in err
    for words in (["--all", "--sample", "2"], ["--all", "--seed", "2"], []):
        assert rerun(*words, bots=bots)[0] == 2


def test_rerun_takes_bots_that_ship(tmp_path: Path) -> None:
    """A golden record is replayed by a store that holds no bot."""
    golden = Path(__file__).parents[2] / "seeds" / "golden" / "sages-tafl.json"
    code, out, _ = rerun(str(golden), bots=tmp_path / "bots")
    digest = json.loads(golden.read_text(encoding="utf-8"))["digest"]
    assert (code, out) == (0, f"{golden} came out the same: {digest}\n")


def test_shipped_record_reruns_without_adding_its_bots(tmp_path: Path) -> None:
    golden = ROOT / "seeds" / "golden" / "seven-sages.json"
    words = ("rerun", str(golden), "--sandbox", "off", "--bots", str(tmp_path / "bots"))
    done = invoke(*words)
    assert (done.exit_code, "came out the same" in done.stdout) == (0, True)
    changed = json.loads(golden.read_text())
    changed["seats"][0]["digest"] = "0" * 64
    (tmp_path / "other.json").write_text(json.dumps(changed))
    done = invoke("rerun", str(tmp_path / "other.json"), *words[2:])
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("words", [(), ("--all",)])
def test_replay_without_enough_memory_says_so_and_plays(
    rerunnable: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """Records of bots with a high limit stay checkable: no result of a replay counts."""
    set_memory(monkeypatch, 1000)
    code, _, said = rerun(str(rerunnable), *words, bots=rerunnable.parent / "bots")
    assert code == 0
    assert "memory: 1 match at a time, and this machine has too little for it now" in said
