"""Authors against a night: what they exchange in their folders leads to nothing but a refusal.

Each attack runs against root and against an organiser who is not root. The night calls the author at the
moment that suits the attack, so no race is left to chance.
"""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.addons.league.leagues import NOW, new_league, put
from tests.support.accounts import AUTHOR, ORGANISER, accomplice, give, needs_root, run_as
from tourney.addons.league import admission
from tourney.addons.league.admission import take_in
from tourney.addons.league.author_folders import deliver, remove_arrival, write_receipts
from tourney.addons.league.folder import League
from tourney.addons.league.receipts import Diagnosis
from tourney.errors import UnsafeFileError
from tourney.held_folder import HeldFolder, hold, remove_tree

HONEST = 2010
KEY = "4711 is the organiser's"


@pytest.fixture(scope="module", autouse=True)
def _modules(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Load what a night imports late: the interpreter of the tests may be out of another account's reach."""
    league = new_league(tmp_path_factory.mktemp("league"))
    for bot in ("drifter", "heron"):
        put(league, "zoe", bot)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(admission, "diagnosis_of", lambda *_: Diagnosis(trials=("ok",)))
        take_in(league, 1, NOW, lambda _: None)


@pytest.fixture(params=[0, ORGANISER], ids=["root", "organiser"])
def organiser(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def league(shared_path: Path, organiser: int) -> League:
    """A league with a bot of eve and an honest one; the organiser has a private folder ``secret``."""
    league = new_league(shared_path)
    for author in ("eve", "zoe"):
        (put(league, author, "drifter") / "sub").mkdir()
        (league.inbox / author / "drifter.ready" / "sub" / "key").write_text("dummy")
    give(shared_path, organiser)
    give(league.inbox / "eve", AUTHOR)
    give(league.inbox / "zoe", HONEST)
    league.inbox.chmod(0o1777)
    (shared_path / "secret").mkdir(0o700)
    (shared_path / "secret" / "key").write_text(KEY)
    (shared_path / "secret" / "key").chmod(0o600)
    give(shared_path / "secret", organiser)
    return league


def night(
    league: League,
    organiser: int,
    attack: Callable[[], None] | None = None,
    at: tuple[str, str] = ("open_file", "sub/key"),
) -> str:
    """Take in as the organiser, and return what that says; no bot is started.

    The attack comes right before the first call of a method of ``HeldFolder`` with a name in eve's folder.
    """
    method, name = at
    log = league.folder.parent / "log"
    log.touch()
    give(log, organiser)

    def act() -> None:
        real = getattr(HeldFolder, method)
        attacks = [] if attack is None else [attack]

        def hooked(self: HeldFolder, path: str, *rest: object, **more: object) -> object:
            if attacks and path == name and "eve" in self.place.parts:
                attacks.pop()()
            return real(self, path, *rest, **more)

        setattr(HeldFolder, method, hooked)
        setattr(admission, "diagnosis_of", lambda *_: Diagnosis(trials=("ok",)))  # noqa: B010 - for mypy
        lines: list[str] = []
        take_in(League.open(league.folder), 1, NOW, lines.append)
        assert not attacks, "the attack did not come"
        log.write_text("\n".join(lines))

    run_as(organiser, act)
    return log.read_text()


def check_nothing_leaked(league: League, fates: list[str]) -> None:
    """The secret is in no file of the league, is as before, and zoe's bot was accepted."""
    secret = league.folder.parent / "secret"
    assert [path.name for path in secret.iterdir()] == ["key"]
    assert (secret.stat().st_mode & 0o7777, (secret / "key").stat().st_mode & 0o7777) == (0o700, 0o600)
    assert (secret / "key").read_text() == KEY
    files = [path for path in league.folder.rglob("*") if path.is_file() and path.stat().st_size < 1 << 20]
    holders = [path for path in files if KEY.encode() in path.read_bytes() and path.stat().st_nlink == 1]
    assert holders == []
    submissions = League.open(league.folder).ledger.submissions.values()
    assert [one.fate for one in submissions if one.author == "eve"] == fates
    assert [one.fate for one in submissions if one.author == "zoe"] == ["accepted"]
    assert list((league.records / "taken").iterdir()) == []


def swap(place: Path, target: Path) -> None:
    place.rename(place.with_name(f".old-{place.name}"))
    place.symlink_to(target)


@needs_root
def test_folder_swapped_for_a_link_leaks_nothing(league: League, organiser: int) -> None:
    """It was listed, and the file below it is about to be opened."""
    swapping = partial(swap, league.inbox / "eve" / "drifter.ready" / "sub", league.folder.parent / "secret")
    with accomplice(AUTHOR, swapping) as attack:
        night(league, organiser, attack)
    check_nothing_leaked(league, ["refused"])
    (receipt,) = (league.outbox / "eve").glob("*/receipt.txt")
    assert "sub/key is a link, or lies below one" in receipt.read_text()


@needs_root
@pytest.mark.parametrize("kind", ["hard-link", "fifo", "holes"])
def test_file_swapped_meanwhile_is_refused(league: League, organiser: int, kind: str) -> None:
    """The hard link is made by root, as any account makes one without protected_hardlinks."""
    place = league.inbox / "eve" / "drifter.ready" / "sub" / "key"

    def swapping() -> None:
        if kind == "holes":
            os.truncate(place, 1 << 40)
            return
        place.unlink()
        if kind == "fifo":
            os.mkfifo(place)
        else:
            place.hardlink_to(league.folder.parent / "secret" / "key")

    with accomplice(0 if kind == "hard-link" else AUTHOR, swapping) as attack:
        night(league, organiser, attack)
    check_nothing_leaked(league, ["refused"])


@needs_root
@pytest.mark.parametrize("at", [("open_file", "drifter.zip.sig"), ("move", "drifter.zip.ready")])
def test_author_folder_swapped_for_a_link_moves_nothing(
    league: League, organiser: int, at: tuple[str, str]
) -> None:
    """The signature is being copied, or the archive was, and is about to be removed from the inbox."""
    box, victim = league.inbox / "eve", league.folder.parent / "secret"
    remove_tree(box / "drifter.ready")
    for name in ("drifter.zip.ready", "drifter.zip.sig"):
        (box / name).write_text("archive")
        (victim / name).write_text("precious")
        give(box / name, AUTHOR)
        give(victim / name, organiser)
    with accomplice(AUTHOR, partial(swap, box, victim)) as attack:
        night(league, organiser, attack, at)
    assert sorted(path.name for path in victim.iterdir()) == ["drifter.zip.ready", "drifter.zip.sig", "key"]
    for name in ("drifter.zip.ready", "drifter.zip.sig"):
        (victim / name).unlink()
    check_nothing_leaked(league, ["refused"])


@needs_root
def test_removal_from_the_inbox_changes_no_other_folder(league: League, organiser: int) -> None:
    """The submission was copied; its folders are exchanged for links before they are removed."""
    place, victim = league.inbox / "eve" / ".taken-1", league.folder.parent / "secret"
    name = ".taken-1" if organiser == 0 else "drifter.ready"
    swapping = partial(swap, place.with_name(name) / "sub", victim)
    with accomplice(AUTHOR, swapping) as attack:
        night(
            league, organiser, attack, ("remove", ".taken-1") if organiser == 0 else ("move", "drifter.ready")
        )
    check_nothing_leaked(league, ["accepted"])
    assert [path.name for path in place.parent.iterdir()] == ([] if organiser == 0 else ["drifter.ready"])


@needs_root
def test_taken_copy_is_out_of_the_reach_of_its_author(league: League, organiser: int) -> None:
    """An author holds the original open and writes to it after it was taken."""
    original = league.inbox / "eve" / "drifter.ready" / "bot.py"
    with original.open("a") as held:

        def attack() -> None:
            held.write("changed")
            held.flush()

        night(league, organiser, attack, ("move", "drifter.ready"))
    check_nothing_leaked(league, ["accepted"])
    assert "changed" not in "".join(path.read_text() for path in league.store.root.rglob("bot.py"))


# -- receipts -----------------------------------------------------------------------------------------------


@needs_root
@pytest.mark.parametrize("kind", ["link", "hard-link", "folder"])
def test_receipt_is_written_through_no_link(league: League, organiser: int, kind: str) -> None:
    """Where an author could write to the outbox, also by a second name of a file of the organiser's."""
    secret = league.folder.parent / "secret"
    folder = league.outbox / "eve" / "000001-drifter"
    if kind == "folder":
        league.outbox.joinpath("eve").symlink_to(secret)
    else:
        folder.mkdir(parents=True)
        if kind == "link":
            (folder / "receipt.txt").symlink_to(secret / "key")
        else:
            (folder / "receipt.txt").hardlink_to(secret / "key")
        give(league.outbox / "eve", organiser)
    log = night(league, organiser)
    check_nothing_leaked(league, ["accepted"])
    if kind == "folder":
        assert "the outbox of eve cannot be written: eve is a link" in log
    else:
        assert "accepted" in (folder / "receipt.txt").read_text()


@needs_root
def test_receipts_are_not_written_to_folders_of_strangers(league: League, organiser: int) -> None:
    (league.outbox / "eve").mkdir()
    os.chown(league.outbox / "eve", HONEST, HONEST)
    night(league, organiser)
    (aside,) = league.outbox.glob("eve.*")
    assert (aside.stat().st_uid, list(aside.iterdir())) == (HONEST, [])
    assert (league.outbox / "eve").stat().st_uid == (AUTHOR if organiser == 0 else organiser)


@needs_root
def test_receipts_of_root_are_readable_for_their_author_alone(league: League) -> None:
    files = {"receipt.txt": ["accepted"]}
    write_receipts(league.outbox, "eve", AUTHOR, "000001-drifter", files)
    receipt = league.outbox / "eve" / "000001-drifter" / "receipt.txt"
    for path, mode in ((receipt, 0o600), (receipt.parent, 0o700), (receipt.parent.parent, 0o700)):
        assert (path.stat().st_uid, path.stat().st_mode & 0o7777) == (AUTHOR, mode)
    run_as(AUTHOR, receipt.read_text)
    with pytest.raises(AssertionError, match="PermissionError"):
        run_as(HONEST, receipt.read_text)


# -- the inbox ----------------------------------------------------------------------------------------------


def test_removed_arrival_takes_its_signature_along(tmp_path: Path) -> None:
    for name in ("a.zip.ready", "a.zip.sig", "b.zip.sig"):
        (tmp_path / name).touch()
    with hold(tmp_path) as box:
        remove_arrival(box, "a.zip.ready", 7)
    assert [path.name for path in tmp_path.iterdir()] == ["b.zip.sig"]


@needs_root
@pytest.mark.parametrize("kind", ["link", "folder"])
def test_delivery_writes_to_no_folder_of_another_account(shared_path: Path, kind: str) -> None:
    """Anybody can make inbox/mason before mason does."""
    (shared_path / "inbox").mkdir()
    (shared_path / "secret").mkdir()
    (shared_path / "bot.zip").write_text("archive")
    if kind == "link":
        (shared_path / "inbox" / "mason").symlink_to(shared_path / "secret")
    else:
        (shared_path / "inbox" / "mason").mkdir()
        os.chown(shared_path / "inbox" / "mason", AUTHOR, AUTHOR)
    with pytest.raises(UnsafeFileError, match=r"mason .*(is a link|belongs to|not a folder)"):
        deliver(shared_path / "inbox", "mason", {"drifter.zip.ready": shared_path / "bot.zip"})
    assert list((shared_path / "secret").iterdir()) == []


def test_delivered_file_replaces_what_a_link_was(tmp_path: Path) -> None:
    (tmp_path / "inbox" / "mason").mkdir(parents=True)
    (tmp_path / "bot.zip").write_text("archive")
    (tmp_path / "secret").write_text("secret")
    for name in ("drifter.zip.ready", ".drifter.zip.ready.new"):
        (tmp_path / "inbox" / "mason" / name).symlink_to(tmp_path / "secret")
    deliver(tmp_path / "inbox", "mason", {"drifter.zip.ready": tmp_path / "bot.zip"})
    (arrived,) = (tmp_path / "inbox" / "mason").iterdir()
    assert (arrived.is_symlink(), arrived.read_text()) == (False, "archive")
    assert (tmp_path / "secret").read_text() == "secret"
