"""Builds and trials are charged to who submitted, and rivals are judged in the order of arrival."""

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.addons.league.leagues import NOW, new_league, put, reopened, run
from tourney.addons.league import admission
from tourney.addons.league.admission import Allowance, charged_seconds, diagnosis_of, take_in
from tourney.addons.league.folder import League
from tourney.addons.league.intake import arrivals, take
from tourney.addons.league.ledger import Author, BotVersion, Night
from tourney.addons.league.receipts import Diagnosis
from tourney.bots.catalogue import build
from tourney.bots.catalogue.build import BuildJob, BuildResult
from tourney.bots.catalogue.store import StoredBot
from tourney.errors import OverloadError, SandboxError
from tourney.run.check_bot import Trial


def fates(league: League) -> list[tuple[str, str, str]]:
    return [(one.author, one.fate, one.reason) for one in league.ledger.submissions.values()]


def costing(charges: dict[str, float], order: list[str] | None = None) -> Callable[..., Diagnosis]:
    """A check of bots that takes these seconds of each author, or what is allowed if that is less."""

    def diagnose(league: League, bot: StoredBot, allowed: Allowance) -> Diagnosis:
        author = (bot.folder / "bot.py").read_text().split()[1]
        seconds = max(0.0, allowed.build if bot.manifest.build else allowed.whole)
        if order is not None:
            order.append(f"{author} {seconds:.0f}")
        taken = min(charges[author], seconds)
        ms = round(1000 * taken)
        return Diagnosis(trials=("ok",), charged_ms=ms, match_ms=ms, cut=charges[author] > seconds)

    return diagnose


def buildable(league: League, author: str, bot: str) -> None:
    """Put a bot with a build into the inbox."""
    path = put(league, author, bot)
    with (path / "bot.toml").open("a") as manifest:
        manifest.write('build = ["sh", "-c", "sleep 25"]\n')


def test_builds_of_one_author_leave_the_others_their_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = new_league(tmp_path)
    for bot in ("slow1", "slow2", "slow3"):
        buildable(league, "eve", bot)
    buildable(league, "bob", "floater")
    put(league, "zoe", "drifter")
    order: list[str] = []
    monkeypatch.setattr(admission, "diagnosis_of", costing({"eve": 99, "bob": 9, "zoe": 1}, order))
    take_in(league, 1, NOW, lambda _: None, 31)
    assert order[:3] == ["zoe 15", "eve 15", "bob 15"], "without a build first; even shares of what is left"
    assert [(author, fate) for author, fate, _ in fates(league)] == [
        *[("eve", "waiting")] * 3,
        ("bob", "accepted"),
        ("zoe", "accepted"),
    ]
    assert charged_seconds(league, 1) == {"zoe": 1, "eve": 21, "bob": 9}


def test_submission_that_never_fits_is_refused_after_some_nights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = new_league(tmp_path)
    buildable(league, "eve", "slow")
    monkeypatch.setattr(admission, "diagnosis_of", costing({"eve": 99}))
    for number in (1, 2, 3):
        league.ledger.add(Night(number, 1, f"2026-11-2{5 + number}T22:00:00+00:00"))
        take_in(league, number, NOW, lambda _: None, 10)
        ((_, fate, reason),) = fates(league)
        assert fate == ("refused" if number == 3 else "waiting")
        receipt = (league.outbox / "eve" / "000001-slow" / "receipt.txt").read_text()
        assert f"result       {fate}" in receipt
    assert reason.endswith(
        "the 10 s that its author had left in night 3, the last of 3 nights: make them shorter"
    )
    assert list((league.records / "taken").iterdir()) == []


def test_bot_that_needs_more_than_a_whole_quota_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = new_league(tmp_path)
    path = league.folder / "league.toml"
    path.write_text(path.read_text().replace("seconds-per-night = 1800", "seconds-per-night = 5"))
    league = reopened(league)
    put(league, "eve", "hog")
    put(league, "eve", "hog2")
    monkeypatch.setattr(admission, "diagnosis_of", costing({"eve": 40}))
    take_in(league, 1, NOW, lambda _: None)
    assert [fate for _, fate, _ in fates(league)] == ["refused", "waiting"], "none is left for the second"
    assert fates(league)[0][2].startswith("its build and trials take longer than 5 s")


def test_time_of_builds_is_missing_in_play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An author whose builds and trials used up its seconds is drawn in no match of the night."""
    league = new_league(tmp_path)
    put(league, "eve", "hog")
    put(league, "zoe", "drifter")
    monkeypatch.setattr(admission, "diagnosis_of", costing({"eve": 1750, "zoe": 1}))
    said: list[str] = []
    assert run(league, said=said).matches == 8
    assert "eve does not play in night-0001-2: a pairing is longer than the time it has left" in said
    rows = (league.records / "nights" / "0001.json").read_text()
    assert "zoe" in rows
    assert "eve" not in rows


def test_trials_end_once_they_have_taken_what_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = new_league(tmp_path)
    bot = league.store.add(put(league, "eve", "hog"))
    trials = [Trial(f"match {number}", True, "won", used_ms=(4_000, 100)) for number in range(5)]
    monkeypatch.setattr(admission, "check_bot", lambda *_: iter(trials))
    cut = diagnosis_of(league, bot, Allowance(1, 10))
    assert (cut.cut, cut.charged_ms, cut.match_ms, len(cut.trials)) == (True, 12_300, 4_000, 3)
    whole = diagnosis_of(league, bot, Allowance(1, 21))
    assert (whole.cut, whole.charged_ms, whole.problem) == (False, 20_500, "")
    assert diagnosis_of(league, bot, Allowance(1, 0)) == Diagnosis(cut=True)


def test_crash_forgets_no_charge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    league = new_league(tmp_path)
    buildable(league, "eve", "slow")
    monkeypatch.setattr(admission, "diagnosis_of", costing({"eve": 99}))
    for _ in range(2):
        take_in(league, 1, NOW, lambda _: None, 10)
        league = reopened(league)
    assert charged_seconds(league, 1) == {"eve": 20}


# -- the order of arrival -----------------------------------------------------------------------------------


def take_equal(league: League, *authors: str, at: Iterable[int | None], text: str = "") -> None:
    """Let authors submit the same files, which arrived at these times."""
    for author in authors:
        path = put(league, author, f"{author}-bot", name="same")
        (path / "bot.py").write_text(f"# same {text}\n")
    times = dict(zip(authors, at, strict=True))
    for arrival in arrivals(league, NOW):
        take(league, replace(arrival, arrived=times[arrival.author]), NOW)


@pytest.mark.usefixtures("admitted")
@pytest.mark.parametrize("alphabetical", [True, False])
def test_equal_bot_belongs_to_who_was_first(tmp_path: Path, alphabetical: bool) -> None:
    league = new_league(tmp_path)
    names = ("aaa", "mason") if alphabetical else ("zzz", "mason")
    take_equal(league, *names, at=(2_000, 1_000))
    take_in(league, 1, NOW, lambda _: None)
    assert {author: fate for author, fate, _ in fates(league)} == {names[0]: "refused", "mason": "accepted"}
    (reason,) = (reason for author, _, reason in fates(league) if author != "mason")
    assert reason == "it is a copy of mason/mason-bot 1"


@pytest.mark.usefixtures("admitted")
@pytest.mark.parametrize("at", [(7, 7), (None, None), (7, None)])
def test_equal_bots_without_a_known_first_are_both_refused(
    tmp_path: Path, at: tuple[int | None, int | None]
) -> None:
    league = new_league(tmp_path)
    take_equal(league, "aaa", "mason", at=at)
    take_in(league, 1, NOW, lambda _: None)
    assert [fate for _, fate, _ in fates(league)] == ["refused", "refused"]
    why = ", and it is not known which arrived first: change it"
    assert {reason for *_, reason in fates(league)} == {
        f"it is equal to mason/mason-bot{why}",
        f"it is equal to aaa/aaa-bot{why}",
    }
    assert league.ledger.authors == {}
    assert league.ledger.by_digest == {}


@pytest.mark.usefixtures("admitted")
def test_copy_of_an_earlier_night_came_later_whatever_its_time(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    take_equal(league, "mason", at=(9_000,))
    take_in(league, 1, NOW, lambda _: None)
    take_equal(league, "aaa", at=(1_000,))
    take_in(league, 2, NOW, lambda _: None)
    assert [fate for _, fate, _ in fates(league)] == ["accepted", "refused"]


def test_copy_waits_for_the_verdict_on_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy without a build, or of an author who used less, is not judged before what it copies."""
    league = new_league(tmp_path)
    take_equal(league, "aaa", "mason", at=(2_000, 1_000))
    monkeypatch.setattr(admission, "diagnosis_of", lambda *_: Diagnosis("it crashes"))
    said: list[str] = []
    take_in(league, 1, NOW, said.append)
    assert [text.partition(", ")[2] for text in said] == [
        "mason/mason-bot: refused: it crashes",
        "aaa/aaa-bot: refused: it crashes",
    ]


# -- names --------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("admitted")
def test_first_of_two_new_names_that_look_alike_is_taken(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    for author in ("mason", "mas0n"):
        put(league, author, f"{author[-2:]}-bot")
    times = {"mas0n": 2_000, "mason": 1_000}
    for arrival in arrivals(league, NOW):
        take(league, replace(arrival, arrived=times[arrival.author]), NOW)
    take_in(league, 1, NOW, lambda _: None)
    assert {author: fate for author, fate, _ in fates(league)} == {
        "mason": "accepted",
        "mas0n": "refused",
    }


def test_refused_names_keep_no_other_from_theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rubbish under a name that looks like mason's, earlier and in the same night, and as a bot's name."""
    league = new_league(tmp_path)
    verdicts = {"mas0n": "it crashes", "eve": "it crashes"}

    def diagnose(_: League, bot: StoredBot, allowed: Allowance) -> Diagnosis:
        return Diagnosis(verdicts.get((bot.folder / "bot.py").read_text().split()[1], ""))

    monkeypatch.setattr(admission, "diagnosis_of", diagnose)
    for night in (1, 2):
        put(league, "mas0n", "x", str(night))
        put(league, "eve", "dr1fter", str(night))
        if night == 2:
            put(league, "mason", "drifter")
        take_in(league, night, NOW, lambda _: None)
    assert [label for label in fates(league) if label[1] == "accepted"] == [("mason", "accepted", "")]
    assert list(league.ledger.authors) == ["mason"]


def test_author_who_was_never_accepted_binds_no_account(tmp_path: Path) -> None:
    """Ledgers of earlier versions hold authors whose submissions were all refused."""
    league = new_league(tmp_path)
    since = league.ledger.opened.since
    league.ledger.add(Author("mason", since, "eve"))
    assert league.account_of("mason") is None
    league.ledger.add(BotVersion("mason", "drifter", 1, "a" * 64, 1))
    assert league.account_of("mason") == "eve"


# -- the machine --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [SandboxError, OverloadError])
def test_bot_that_breaks_its_trial_ends_no_night(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    """It starves its opponent, for example; a shipped bot can play, so the machine is well."""
    league = new_league(tmp_path)
    put(league, "eve", "hog")
    put(league, "zoe", "drifter")

    def check(bot: StoredBot, *_: object) -> Iterable[Trial]:
        if bot.manifest.name == "hog":
            raise error("random, which ships with Tourney, failed as well")
        yield Trial("a match", True, "won")

    monkeypatch.setattr(admission, "check_bot", check)
    take_in(league, 1, NOW, lambda _: None)
    assert [(author, fate) for author, fate, _ in fates(league)] == [("eve", "waiting"), ("zoe", "accepted")]


def test_broken_machine_refuses_no_submission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    league = new_league(tmp_path)
    put(league, "zoe", "drifter")

    def check(*_: object) -> Iterable[Trial]:
        raise SandboxError("bwrap is gone")

    monkeypatch.setattr(admission, "check_bot", check)
    with pytest.raises(SandboxError, match="bwrap is gone"):
        take_in(league, 1, NOW, lambda _: None)
    assert [fate for _, fate, _ in fates(league)] == ["waiting"]


@pytest.mark.parametrize("seconds", [5, 10_000])
def test_build_has_what_its_author_has_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    league = new_league(tmp_path)
    buildable(league, "eve", "slow")
    jobs: list[BuildJob] = []

    def run_build(job: BuildJob, *_: object) -> BuildResult:
        jobs.append(job)
        monkeypatch.setattr(time, "monotonic", lambda: 1e9)
        return BuildResult(b"", "it took too long")

    monkeypatch.setattr(build, "run_build", run_build)
    take_in(league, 1, NOW, lambda _: None, seconds)
    assert [job.seconds for job in jobs] == [min(seconds, 600)]
