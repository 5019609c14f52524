"""What is pushed ends no night, wins nothing by its name or its dates, and hides no other."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.addons.league.leagues import NOW, reopened
from tests.addons.league.test_git_inbox import commit, git, repository
from tourney.addons.league import git_inbox
from tourney.addons.league.admission import take_in
from tourney.addons.league.folder import League
from tourney.addons.league.intake import arrivals, look
from tourney.bots.catalogue.tree import Bounds

pytestmark = [
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
    pytest.mark.usefixtures("admitted"),
]


def store(repo: Path, kind: str, content: bytes) -> bytes:
    """Store an object as it is, valid or not; its hash in hex."""
    words = ["git", "hash-object", "-w", "--literally", "--stdin", "-t", kind]
    done = subprocess.run(words, cwd=repo, input=content, capture_output=True, check=True, timeout=60)
    return done.stdout.strip()


def tree(repo: Path, *entries: tuple[bytes, bytes]) -> bytes:
    """Store a tree of trees by name."""
    parts = (b"40000 " + name + b"\0" + bytes.fromhex(sub.decode()) for name, sub in entries)
    return store(repo, "tree", b"".join(parts))


def push(repo: Path, branch: str, root: bytes) -> None:
    """Let a branch of the server hold a tree."""
    who = b" eve <eve@example.org> 1764000000 +0000\n"
    made = store(repo, "commit", b"tree " + root + b"\nauthor" + who + b"committer" + who + b"\nx\n")
    git(repo, "update-ref", f"refs/heads/{branch}", made.decode())


def empty(repo: Path) -> bytes:
    return store(repo, "tree", b"")


def nights(league: League, count: int = 2) -> list[str]:
    """Take in, several times; the fates, and the sentences of the last time."""
    said: list[str] = []
    for number in range(1, count + 1):
        said.clear()
        take_in(reopened(league), number, NOW, said.append)
    for one in reopened(league).ledger.submissions.values():
        assert (league.outbox / one.author / f"{one.number:06}-{one.bot}" / "receipt.txt").exists()
    return said


def fates(league: League) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in reopened(league).ledger.submissions.values():
        found.setdefault(one.author, []).append(f"{one.bot} {one.fate}")
    return {author: sorted(lines) for author, lines in found.items()}


NAMES = (
    b":(x)y",
    b":(top)",
    b":/",
    b"--all",
    b"..",
    b".",
    b".git",
    b"a/b",
    b"\xff",
    b"a\nb",
    b"*",
    b" ",
    b"a:b",
)


@pytest.mark.parametrize("mode", ["branches", "folders"])
@pytest.mark.parametrize("name", NAMES)
def test_folder_of_any_name_ends_no_night(tmp_path: Path, name: bytes, mode: str) -> None:
    league, repo = repository(tmp_path, f'git = "{mode}"')
    inner = tree(repo, (name, empty(repo)))
    if mode == "branches":
        commit(repo, "drifter", "one")
        push(repo, "eve", inner)
    else:
        commit(repo, "mason/drifter", "one")
        mason = subprocess.run(
            ["git", "rev-parse", "HEAD:mason"], cwd=repo, capture_output=True, check=True, timeout=60
        ).stdout.strip()
        push(repo, "mason", tree(repo, (name, inner), (b"eve", inner), (b"mason", mason)))
    nights(league)
    assert fates(league) == {"mason": ["drifter accepted"], "eve": ["unnamed refused"]}


def test_literal_paths_hold_for_authors_with_keys(tmp_path: Path) -> None:
    """The last commit of a path is looked for, by a name that would be an instruction."""
    league, repo = repository(tmp_path)
    (league.folder / "authors.toml").write_text('[eve]\nkeys = ["ssh-ed25519 AAAA eve"]\n')
    commit(repo, "drifter", "one")
    push(repo, "eve", tree(repo, (b":(x)y", empty(repo))))
    nights(league)
    assert fates(league) == {"mason": ["drifter accepted"], "eve": ["unnamed refused"]}


@pytest.mark.parametrize("kind", ["bomb", "deep", "many files", "large", "many folders"])
def test_tree_beyond_all_bounds_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    league, repo = repository(tmp_path)
    commit(repo, "drifter", "one")
    monkeypatch.setattr(git_inbox, "SUBMITTED", Bounds(100, 10_000, "a bot"))
    inner = empty(repo)
    if kind == "bomb":  # 10 ** 12 paths of a dozen objects
        for _ in range(12):
            inner = tree(repo, *((str(number).encode(), inner) for number in range(10)))
    elif kind == "deep":
        for _ in range(600):
            inner = tree(repo, (b"deep", inner))
    elif kind == "many folders":
        inner = tree(repo, *((f"{number:03}".encode(), inner) for number in range(200)))
    else:
        blob = store(repo, "blob", b"x" * (20_000 if kind == "large" else 1))
        entry = b"100644 %03d\0" + bytes.fromhex(blob.decode())
        count = 1 if kind == "large" else 200
        inner = store(repo, "tree", b"".join(entry.replace(b"%03d", b"%03d" % n) for n in range(count)))
    push(repo, "eve", tree(repo, (b"bot", inner)))
    nights(league)
    assert fates(league) == {"mason": ["drifter accepted"], "eve": ["bot refused"]}


def test_branch_that_cannot_be_fetched_keeps_no_other_from_it(tmp_path: Path) -> None:
    league, repo = repository(tmp_path)
    commit(repo, "drifter", "one")
    lost = store(repo, "tree", b"100644 x\0" + bytes(20))
    push(repo, "eve", lost)
    (repo / ".git" / "objects" / lost[:2].decode() / lost[2:].decode()).unlink()
    nights(league, 3)
    assert fates(league) == {"mason": ["drifter accepted"], "eve": ["branch refused"]}
    commit(repo, "drifter", "two")
    nights(league, 1)
    assert fates(league)["mason"] == ["drifter accepted"] * 2, "the bad branch is not fetched again"
    push(repo, "eve", tree(repo, (b"bot", empty(repo))))
    nights(league, 1)
    assert fates(league)["eve"] == ["bot refused", "branch refused"], "what was pushed since is looked at"


def test_strict_settings_of_the_organiser_refuse_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config").write_text("[transfer]\nfsckObjects = true\n[fetch]\nfsckObjects = true\n")
    league, repo = repository(tmp_path)
    commit(repo, "drifter", "one")
    push(repo, "eve", tree(repo, (b".git", empty(repo))))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    nights(league)
    assert fates(league)["mason"] == ["drifter accepted"]


@pytest.mark.parametrize("branches", [1, 2])
@pytest.mark.parametrize("mode", ["branches", "folders"])
def test_head_may_name_a_branch_that_was_never_pushed(tmp_path: Path, mode: str, branches: int) -> None:
    league, repo = repository(tmp_path, f'git = "{mode}"')
    commit(repo, "drifter" if mode == "branches" else "mason/drifter", "one")
    if branches == 2:
        git(repo, "branch", "zoe")
    git(repo, "symbolic-ref", "HEAD", "refs/heads/nowhere")
    said = nights(league, 1)
    if mode == "folders" and branches == 2:
        assert fates(league) == {}
        assert "HEAD of the inbox names a branch that is not there" in said[0]
    else:
        assert "mason" in fates(league)


def test_flood_of_branches_hides_no_known_author(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_inbox, "_MOST_NEW", 5)
    monkeypatch.setattr(git_inbox, "MOST_ENTRIES", 3)
    league, repo = repository(tmp_path)
    commit(repo, "drifter", "one")
    nights(league)
    for number in range(10):
        push(repo, f"aaa{number}", tree(repo, (b"bot", empty(repo))))
        push(repo, f"A{number}", empty(repo))
    push(repo, "aaa0", tree(repo, *((f"bot{number}".encode(), empty(repo)) for number in range(5))))
    commit(repo, "drifter", "two")
    said = nights(league, 1)
    assert fates(league)["mason"] == ["drifter accepted"] * 2
    assert len(fates(league)) == 6
    assert (
        "the inbox has 10 authors of whom no bot is in the league: the first 5 by name are looked at" in said
    )
    assert "the branch A0 cannot name an author: it is left alone" in said
    assert "aaa0 has 5 folders: the first 3 by name are looked at" in said


# -- who was first ------------------------------------------------------------------------------------------


def pushed(repo: Path, author: str, seconds: int, *words: str) -> None:
    """Change a branch at a time by the clock of the server."""
    who = {
        f"GIT_{role}_{what}": "x@example.org"
        for role in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    time = {"GIT_COMMITTER_DATE": f"{1_764_000_000 + seconds} +0000"}
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    command = ["git", "update-ref", "--create-reflog", "-m", "push", f"refs/heads/{author}", *words]
    subprocess.run(command, cwd=repo, env=os.environ | who | time | alone, check=True, timeout=60)


def bare(folder: Path) -> tuple[League, Path, Path]:
    """A league, the folder where commits are made, and the server, which has no branch yet."""
    league, repo = repository(folder)
    path = league.folder / "league.toml"
    path.write_text(path.read_text().replace("../repo", "../server"))
    git(folder, "init", "--quiet", "--bare", "server")
    return reopened(league), repo, folder / "server"


def send(repo: Path, server: Path, place: str, text: str) -> str:
    """Commit a bot, and give the server its objects; the commit."""
    commit(repo, place, text)
    done = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=repo, capture_output=True, text=True, check=True, timeout=60
    )
    git(repo, "push", "--quiet", "--force", str(server), "HEAD:refs/stage/x")
    return done.stdout.strip()


@pytest.mark.parametrize("thief", ["aaa", "zzz"])
def test_first_push_of_equal_bots_is_the_authors(tmp_path: Path, thief: str) -> None:
    """Also if its branch was changed, and replaced, after the copy was pushed."""
    league, repo, server = bare(tmp_path)
    first = send(repo, server, "drifter", "one")
    pushed(server, "mason", 1_000, first)
    pushed(server, thief, 2_000, first)
    pushed(server, "mason", 3_000, send(repo, server, "floater", "two"))
    git(repo, "commit", "--quiet", "--amend", "-m", "replaced")
    pushed(server, "mason", 4_000, send(repo, server, "other", "three"))
    nights(league)
    assert fates(league) == {
        "mason": ["drifter accepted", "floater accepted", "other accepted"],
        thief: ["drifter refused"],
    }


@pytest.mark.parametrize("same_second", [True, False])
def test_pushes_without_a_known_first_are_both_refused(tmp_path: Path, same_second: bool) -> None:
    """A bare repository keeps no reflog by default; commits are dated by their authors."""
    league, repo, server = bare(tmp_path)
    first = send(repo, server, "drifter", "one")
    for author in ("aaa", "mason"):
        if same_second:
            pushed(server, author, 1_000, first)
        else:
            git(server, "update-ref", f"refs/heads/{author}", first)
    nights(league)
    assert fates(league) == {"mason": ["drifter refused"], "aaa": ["drifter refused"]}
    assert "it is not known which arrived first" in reopened(league).ledger.submissions[1].reason


def test_copy_of_what_waits_for_its_day_waits_too(tmp_path: Path) -> None:
    league, repo = repository(tmp_path)
    for number in range(4):
        commit(repo, f"bot{number}", str(number))
    git(repo, "checkout", "--quiet", "-b", "aaa")
    git(repo, "rm", "--quiet", "-r", "bot0", "bot1", "bot2")
    git(repo, "commit", "--quiet", "-m", "copied")
    nights(league, 1)
    assert fates(league) == {"mason": ["bot0 accepted", "bot1 accepted", "bot2 accepted"]}
    assert [one.author for one in arrivals(reopened(league), NOW)] == []


def test_time_that_has_not_come_yet_is_no_time(tmp_path: Path) -> None:
    league, repo, server = bare(tmp_path)
    pushed(server, "mason", 0, send(repo, server, "drifter", "one"))
    (arrival,) = look(league, NOW).arrivals
    assert arrival.arrived == 1_764_000_000_000_000
    log = server / "logs" / "refs" / "heads" / "mason"
    log.write_text(log.read_text().replace("1764000000", "999999999999"))
    (arrival,) = look(league, NOW).arrivals
    assert arrival.arrived is None


def test_signature_of_another_kind_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The organiser's key ring knows keys of many people, for other things."""
    league, repo = repository(tmp_path)
    (league.folder / "authors.toml").write_text('[mason]\nkeys = ["ssh-ed25519 AAAA mason"]\n')
    commit(repo, "drifter", "one")
    fake = tmp_path / "gpg"
    fake.write_text(
        "#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] NEWSIG'\n"
        "echo '[GNUPG:] GOODSIG 0123456789ABCDEF eve'\necho '[GNUPG:] TRUST_ULTIMATE'\n"
    )
    fake.chmod(0o755)
    (tmp_path / "config").write_text(f"[gpg]\nprogram = {fake}\n")
    made = subprocess.run(
        ["git", "cat-file", "commit", "HEAD"], cwd=repo, capture_output=True, check=True, timeout=60
    ).stdout
    head, _, body = made.partition(b"\n\n")
    signature = b"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
    signed = store(repo, "commit", head + signature + b"\n\n" + body)
    git(repo, "update-ref", "refs/heads/mason", signed.decode())
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    done = subprocess.run(["git", "verify-commit", signed.decode()], cwd=repo, check=False, timeout=60)
    assert done.returncode == 0, "git itself takes it"
    (arrival,) = arrivals(reopened(league), NOW)
    assert "is not signed by a key of mason" in arrival.problem
