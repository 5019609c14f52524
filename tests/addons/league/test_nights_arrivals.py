"""No submission ends a night: whatever arrives, an honest bot is judged and plays.

Each night runs as root and as an organiser who is not root. Every refusal has a receipt, or a line in the log
if its author cannot be named.
"""

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.addons.league.arrivals import KINDS
from tests.addons.league.leagues import new_league, put, run
from tests.support.accounts import AUTHOR, ORGANISER, give, run_as
from tourney.addons.league import admission
from tourney.addons.league import site as league_site
from tourney.addons.league.folder import League
from tourney.addons.league.receipts import Diagnosis

pytestmark = pytest.mark.usefixtures("admitted")

ROOT = os.geteuid() == 0
ORGANISERS = (0, ORGANISER) if ROOT else (os.geteuid(),)


@pytest.fixture(scope="module", autouse=True)
def _modules(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Load what a night imports late: the interpreter may be out of another account's reach."""
    league = new_league(tmp_path_factory.mktemp("league"))
    for author in ("ann", "bob"):
        put(league, author, "drifter")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(admission, "diagnosis_of", lambda *_: Diagnosis(trials=("ok",)))
        patch.setattr(league_site, "write_reports", lambda _: None)
        assert run(league, matches=2).matches == 2


def night_of(folder: Path, organiser: int, make: Sequence[Callable[[Path], None]]) -> None:
    """Let each author make something, and zoe a bot; run a night, and check that zoe's bot plays."""
    league = new_league(folder)
    text = (league.folder / "league.toml").read_text()
    (league.folder / "league.toml").write_text(text.replace("greedy", "random").replace(', "random"]', "]"))
    put(league, "zoe", "drifter")
    if ROOT:
        give(folder, organiser)
        give(league.inbox / "zoe", AUTHOR)
    for number, arrive in enumerate(make):
        box, author = league.inbox / f"author{number}", AUTHOR + 1 + number
        box.mkdir()
        if ROOT and arrive is not KINDS["device"]:
            give(box, author)
            run_as(author, partial(arrive, box))
            continue
        arrive(box)
        if ROOT:
            give(box, author)
    log = folder / "said"
    log.touch()
    log.chmod(0o666)

    def act() -> None:
        said: list[str] = []
        assert run(league, matches=2, said=said).matches == 2
        assert run(league, 1, matches=2, said=said).matches == 2, "and the next night"
        log.write_text("\n".join(said))

    run_as(organiser, act) if ROOT else act()
    log.read_text("utf-8")
    ledger = League.open(league.folder).ledger
    assert [one.label for one in ledger.versions if one.author == "zoe"] == ["zoe/drifter 1"]
    assert not [one for one in ledger.submissions.values() if one.fate == "waiting"]
    for one in ledger.submissions.values():
        receipt = league.outbox / one.author / f"{one.number:06}-{one.bot}" / "receipt.txt"
        assert f"result       {one.fate}" in receipt.read_text("utf-8"), one
        assert one.fate == "accepted" or len(one.reason) > 10, one


@contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that every account can reach, and that may hold trees too deep for ``shutil``."""
    folder = Path(tempfile.mkdtemp(prefix="tourney-test-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        subprocess.run(["rm", "-rf", folder], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("organiser", ORGANISERS)
def test_every_kind_of_arrival_at_once_ends_no_night(organiser: int) -> None:
    kinds = {kind: make for kind, make in KINDS.items() if ROOT or kind != "device"}
    with open_folder() as folder:
        night_of(folder, organiser, list(kinds.values()))
        ledger = League.open(folder / "stones").ledger
    answered = {one.author for one in ledger.submissions.values()}
    silent = {kind for number, kind in enumerate(kinds) if f"author{number}" not in answered}
    assert silent == set(), "each of these has no answer"


def _raw(name: bytes, content: bytes) -> Callable[[Path], None]:
    """Make a file of any name and content, and a folder that holds it."""

    def make(box: Path) -> None:
        (box / "x.ready").mkdir()
        for folder in (box, box / "x.ready"):
            with open(os.path.join(os.fsencode(folder), name), "wb") as file:  # noqa: PTH118, PTH123 - bytes
                file.write(content)

    return make


NAMES = st.binary(min_size=1, max_size=20).filter(lambda name: not set(name) & set(b"/\0"))
ENDINGS = st.sampled_from([b"", b".ready", b".zip.ready", b".tar.ready", b".tar.gz.ready", b".zip.sig"])
RAW = st.builds(
    _raw, st.builds(bytes.__add__, NAMES.filter(lambda name: name not in (b".", b"..")), ENDINGS), st.binary()
)
CHEAP = sorted(set(KINDS) - {"wide tree", "deep tree", "device"})


@pytest.mark.slow
@settings(max_examples=12)
@given(
    organiser=st.sampled_from(ORGANISERS),
    kinds=st.lists(st.sampled_from(CHEAP), max_size=3),
    raw=st.lists(RAW, min_size=1, max_size=4),
)
def test_no_arrival_keeps_an_honest_bot_from_playing(
    organiser: int, kinds: list[str], raw: list[Callable[[Path], None]]
) -> None:
    with open_folder() as folder:
        night_of(folder, organiser, [*map(KINDS.__getitem__, kinds), *raw])
