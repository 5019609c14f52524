"""Judges submissions by build, trials, name, digest and quota; a bot that passes becomes a new version.

Of two equal submissions, or of two names that look alike, the earlier arrival is judged first. Builds and
trials are charged to the submitting account, like its matches. Together they may take a quarter of a night,
in even shares, so that the builds of one author cannot keep others from playing or being admitted.
"""

import math
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import structs

from tourney.addons.league.folder import League, moment
from tourney.addons.league.identity import SIGNATURE, folder_problem, imitated, signature_problem, skeleton
from tourney.addons.league.intake import look, recover, take, taken_folders
from tourney.addons.league.ledger import Author, BotVersion, Entry, Submission
from tourney.addons.league.receipts import (
    Diagnosis,
    Say,
    has_receipt,
    write_diagnosis,
    write_receipt,
    write_unnamed,
)
from tourney.bots.catalogue.build import runnable_folder
from tourney.bots.catalogue.shipped import HOUSE, shipped_bots, shipped_digests
from tourney.bots.catalogue.store import StoredBot
from tourney.bots.catalogue.tree import naming
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.errors import BotError, EnvironmentFailure, TourneyError
from tourney.held_folder import remove_tree
from tourney.run.check_bot import OPPONENT, check_bot
from tourney.texts import legible

_RECENT: Final = timedelta(days=2)
"""Submissions up to this age get a missing receipt again."""
_MOST_UNNAMED: Final = 100
"""Folders that cannot name an author which get a receipt: anybody can make any number of them."""
_TRIALS: Final = 15.0
"""Seconds of trials that each account has in any night, however short or full, for bots that are well."""
_PATIENCE: Final = 3
"""Number of nights in which a submission may run out of time before it is refused."""


def take_in(league: League, night: int, now: datetime, say: Say, seconds: float = math.inf) -> None:
    """Take the complete submissions from the inbox, and judge all that wait; each gets a receipt.

    Builds and trials may take ``seconds`` of the night. Submissions that a crash left in ``records/taken``
    are judged again, under the same number. Raises SandboxError and StoreError if the machine fails; then
    submissions wait for the next call.
    """
    recover(league)
    inbox = look(league, now)
    for note in inbox.notes:
        say(note)
    for unnamed in inbox.unnamed[:_MOST_UNNAMED]:
        write_unnamed(league, unnamed, now, say)
    for arrival in inbox.arrivals:
        submission = take(league, arrival, now)
        if submission is None:
            place = legible(f"{arrival.author}/{arrival.source}")
            say(f"inbox/{place} is left alone: {arrival.problem or 'it changes now'}")
        elif submission.fate == "refused":
            _tell(league, submission, say)
    _Judge(league, night, now, say).judge_all(seconds)
    for submission in league.ledger.submissions.values():
        if (
            submission.fate != "waiting"
            and submission.received >= moment(now - _RECENT)
            and not has_receipt(league, submission)
        ):
            # A crash may have come before the receipt, or after it was made and before it was written.
            _tell(league, submission, say)


def enter_house(league: League, night: int) -> None:
    """Enter the house's bots, and new versions of them after Tourney was upgraded."""
    for name in league.table.house:
        bot = league.store.add(shipped_bots()[name], origin="used")
        versions = league.ledger.versions_of(HOUSE, name)
        if not versions or versions[-1].digest != bot.digest:
            league.ledger.add(*_new_version(league, HOUSE, name, bot.digest, night))


def _tell(league: League, judged: Submission, say: Say) -> None:
    write_receipt(league, judged, say)
    say(f"submission {judged.number}, {judged.sentence}")


def charged_seconds(league: League, night: int) -> defaultdict[str, float]:
    """The seconds charged for builds and trials of a night, by payer (``League.payer``)."""
    seconds: defaultdict[str, float] = defaultdict(float)
    for submission in league.ledger.submissions.values():
        if submission.night == night:
            seconds[league.payer(submission.author, submission.user)] += submission.charged_ms / 1000
    return seconds


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A submission with its bot in the store, which waits for build and trials, and their payer."""

    submission: Submission
    folder: Path
    bot: StoredBot
    payer: str
    is_entered: bool
    """Whether its author has this bot in the league already, so that no other author can claim its name."""

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """The keys of conflicts: candidates of which only one can enter share one of them."""
        names = self.submission.author, self.submission.bot
        return ("digest", self.bot.digest), *zip(("author", "bot"), map(skeleton, names), strict=True)

    def came_before(self, rival: "_Candidate") -> bool:
        """Whether it arrived before another candidate; False for both if that is not known."""
        mine = self.submission
        theirs = rival.submission
        if mine.arrived is not None and theirs.arrived is not None:
            return mine.arrived < theirs.arrived
        return mine.received < theirs.received

    def conflict(self, rival: "_Candidate") -> str:
        """The reason that it cannot enter if another candidate does, or ""."""
        mine = self.submission
        theirs = rival.submission
        if mine.author == theirs.author:
            return ""
        if self.bot.digest == rival.bot.digest:
            return f"it is equal to {theirs.author}/{theirs.bot}"
        if self.is_entered or rival.is_entered:
            return ""  # the ledger decides
        if imitated(mine.author, [theirs.author]):
            return f"the name {mine.author} looks like the author {theirs.author}"
        if imitated(mine.bot, [theirs.bot]):
            return f"the name {mine.bot} looks like {theirs.bot} of {theirs.author}"
        return ""


class _Judge:
    """Judges the taken submissions in a night."""

    def __init__(self, league: League, night: int, now: datetime, say: Say) -> None:
        self._league = league
        self._night = night
        self._now = now
        self._say = say
        self._spent = charged_seconds(league, night)
        self._waiting: dict[int, _Candidate] = {}
        self._by_key: defaultdict[tuple[str, str], list[int]] = defaultdict(list)

    def judge_all(self, seconds: float) -> None:
        """Judge all submissions, as far as builds and trials fit into this time."""
        for candidate in self._candidates():
            number = candidate.submission.number
            self._waiting[number] = candidate
            for key in candidate.keys:
                self._by_key[key].append(number)
        left = seconds
        while self._waiting:
            candidate = self._next()
            alike = [rival for rival in self._rivals(candidate) if not candidate.came_before(rival)]
            if alike:
                # Equal times of arrival prove nothing about who copied, so none of them enters.
                for refused, rival in ((candidate, alike[0]), *((refused, candidate) for refused in alike)):
                    del self._waiting[refused.submission.number]
                    why = f"{refused.conflict(rival)}, and it is not known which arrived first: change it"
                    self._refuse(refused.submission, refused.folder, why)
                continue
            allowed = self._allowed(candidate, left)
            del self._waiting[candidate.submission.number]
            left -= self._judge(candidate, allowed)

    def _candidates(self) -> Iterator[_Candidate]:
        """Yield the waiting submissions that are bots; refuse the others."""
        for (number, author, bot), path in sorted(taken_folders(self._league).items()):
            submission = self._league.ledger.submissions[number]
            if submission.fate != "waiting":
                remove_tree(path)
                continue
            try:
                stored = _stored(self._league, submission, path)
            except BotError as error:
                self._refuse(submission, path, str(error))
            else:
                submission = structs.replace(submission, digest=stored.digest)
                payer = self._league.payer(author, submission.user)
                is_entered = bool(self._league.ledger.versions_of(author, bot))
                yield _Candidate(submission, path, stored, payer, is_entered)

    def _rivals(self, candidate: _Candidate) -> list[_Candidate]:
        """The waiting candidates that conflict with this one."""
        numbers = {number for key in candidate.keys for number in self._by_key[key]} & self._waiting.keys()
        others = (self._waiting[number] for number in sorted(numbers))
        return [rival for rival in others if candidate.conflict(rival)]

    def _next(self) -> _Candidate:
        """The candidate to judge now: the first arrival among rivals, then the payer that has used least.

        Candidates without a build come before all others, so that they never wait for a build.
        """
        free = [
            candidate
            for candidate in self._waiting.values()
            if not any(rival.came_before(candidate) for rival in self._rivals(candidate))
        ]

        def turn(candidate: _Candidate) -> tuple[float, bool, int, int]:
            submission = candidate.submission
            spent = self._spent[candidate.payer]
            builds = bool(candidate.bot.manifest.build)
            return spent, builds, submission.arrived or 0, submission.number

        return min(free or self._waiting.values(), key=turn)

    def _allowed(self, candidate: _Candidate, left: float) -> "Allowance":
        """The seconds that a candidate may take: an even share of the rest, within its quota."""
        spent = self._spent[candidate.payer]
        payers = {waiting.payer for waiting in self._waiting.values() if not self._spent[waiting.payer]}
        others = len(payers - {candidate.payer})
        share = left / (others + 1)
        quota = self._league.table.quota.seconds_per_night - spent
        return Allowance(min(quota, share), min(quota, max(share, _TRIALS - spent)))

    def _judge(self, candidate: _Candidate, allowed: "Allowance") -> float:
        """Judge a candidate and enter the result in the ledger in one write; return the seconds it took."""
        league = self._league
        submission = candidate.submission
        night = self._night
        diagnosis = Diagnosis()
        entries = tuple[Entry, ...]()
        version = None
        problem = ""
        try:
            version = _refuse_known(league, submission, candidate.bot)
            if version is None:
                diagnosis = diagnosis_of(league, candidate.bot, allowed)
                problem = diagnosis.problem
        except BotError as error:
            problem = str(error)
        before = submission.charged_ms if submission.night == night else 0
        charged_ms = before + diagnosis.charged_ms
        judged = structs.replace(submission, night=night, charged_ms=charged_ms, match_ms=diagnosis.match_ms)
        self._spent[candidate.payer] += diagnosis.charged_ms / 1000
        if diagnosis.cut and not problem:
            had = allowed.build if candidate.bot.manifest.build else allowed.whole
            why, problem = self._out_of_time(judged, had)
            judged = structs.replace(judged, reason=why)
        elif not problem:
            if version is None:
                new, *superseded = _new_version(
                    league, judged.author, judged.bot, candidate.bot.digest, night
                )
                version = new.number
                entries = (new, *superseded)
                if judged.author not in league.ledger.established:
                    entries += (Author(judged.author, judged.received, judged.user),)
            judged = structs.replace(judged, fate="accepted", version=version, reason="")
        if problem:
            judged = structs.replace(judged, fate="refused", reason=_line(league, problem))
        write_diagnosis(league, judged, diagnosis, self._say)  # a crash after the next line would lose it
        league.ledger.add(judged, *entries)
        _tell(league, judged, self._say)
        if judged.fate != "waiting":
            remove_tree(candidate.folder)
        return diagnosis.charged_ms / 1000

    def _out_of_time(self, submission: Submission, seconds: float) -> tuple[str, str]:
        """The reasons that a submission out of time waits, or is refused; one of them is ""."""
        quota = self._league.table.quota.seconds_per_night
        if submission.charged_ms >= 1000 * quota:
            return "", f"its build and trials take longer than {quota} s, all that an author has in a night"
        nights = [
            night for night in self._league.ledger.nights.values() if night.opened >= submission.received
        ]
        had = f"the {max(0, seconds):.0f} s that its author had left in night {self._night}"
        why = f"its build and trials do not fit into {had}"
        if len(nights) >= _PATIENCE:
            return "", f"{why}, the last of {_PATIENCE} nights: make them shorter"
        return f"{why}: the next night tries again", ""

    def _refuse(self, submission: Submission, folder: Path, why: str) -> None:
        refused = structs.replace(submission, fate="refused", reason=_line(self._league, why))
        self._league.ledger.add(refused)
        _tell(self._league, refused, self._say)
        remove_tree(folder)


def _line(league: League, text: str) -> str:
    """A problem for an author, on one line and without this machine's folders."""
    return legible(re.sub(re.escape(f"{league.folder}/") + r"([^\s'/]*/)*", "", text), " ")[:1000]


def _stored(league: League, submission: Submission, folder: Path) -> StoredBot:
    """The bot of a submission, from the store. Raises BotError."""
    try:
        return _add(league, submission, folder)
    except (TourneyError, OSError, MemoryError):
        raise
    except Exception as error:
        # A fault of ours in reading hostile files must not end every night from now on.
        raise BotError(f"it cannot be read ({type(error).__name__}: {error}): tell the organiser") from error


def _add(league: League, submission: Submission, folder: Path) -> StoredBot:
    places = [path for path in folder.iterdir() if not path.name.endswith(SIGNATURE)]
    if len(places) != 1 or places[0].is_symlink():
        raise BotError("it could not be read: put it into the inbox again")
    path = places[0]
    table = league.authors.get(submission.author)
    if table is not None and table.keys and not submission.source.startswith("git:"):
        if not path.is_file():
            raise BotError("it is not signed: sign an archive of the bot's folder")
        if why := signature_problem(submission.author, table, path, path.with_name(path.name + SIGNATURE)):
            raise BotError(why)
    # Only after the signature: bytes of a stranger under an author's name never enter the store.
    bot = league.store.add(path)
    with naming(submission.bot):
        if not bot.manifest.plays(league.table.game):
            raise BotError(f"it plays {', '.join(bot.manifest.games)}, not {league.table.game}")
    return bot


def _refuse_known(league: League, submission: Submission, bot: StoredBot) -> int | None:
    """The version that equals a submission, or None. Raises BotError if the bot must not enter."""
    author = submission.author
    name = submission.bot
    ledger = league.ledger
    if why := folder_problem(league, author, submission.user):
        raise BotError(why)  # another author may have entered since it was taken
    shipped = next(
        (shipped_name for shipped_name, digest in shipped_digests().items() if digest == bot.digest), None
    )
    if shipped is not None:
        raise BotError(f"it is a copy of {shipped}, a bot that ships with Tourney")
    entered = ledger.by_digest.get(bot.digest)
    if entered is not None:
        if (entered.author, entered.bot) != (author, name):
            raise BotError(f"it is a copy of {entered.label}")
        if entered.withdrawn or entered.superseded is not None:
            why = "was withdrawn" if entered.withdrawn else "a newer version superseded"
            raise BotError(f"it is {entered.label}, which {why}: change it, and it enters as a new version")
        return entered.number
    # A name that looks like another bot's would deceive the readers of tables.
    others = {version.bot for version in ledger.versions if version.author != author}
    if similar := imitated(name, others | shipped_bots().keys()):
        raise BotError(f"the name {name} looks like {similar}: choose another one")
    payer = league.payer(author, submission.user)
    # By payer: several author names of one account share one quota of bots.
    payers = {author: league.payer(author) for author in ledger.established}
    bots = {
        (version.author, version.bot)
        for version in ledger.versions
        if payers.get(version.author) == payer and not version.withdrawn
    }
    if len(bots | {(author, name)}) > league.table.quota.bots:
        raise BotError(
            f"{author} has {len(bots)} bots, the most for an author: submit a version of one, or withdraw one"
        )
    return None


class Allowance(NamedTuple):
    """The seconds that a bot may take for its build, and for that and its trials together."""

    build: float
    whole: float


def diagnosis_of(league: League, bot: StoredBot, allowed: Allowance) -> Diagnosis:
    """Build a bot and let it play its trials, contained, as long as is allowed.

    A match that the machine ends decides nothing, but is charged: a bot can cause it by starving its
    opponent. Raises SandboxError if the machine fails without the bot too.
    """
    makes = bool(bot.manifest.build) or bot.manifest.module is not None
    if allowed.whole <= 0 or (makes and allowed.build <= 0):
        return Diagnosis(cut=True)
    sandbox = open_sandbox(league.table.sandbox, league.private)
    began = time.monotonic()
    try:
        if makes:
            runnable_folder(league.store, bot, sandbox, seconds=allowed.build)
    except BotError as error:
        taken = time.monotonic() - began
        notes = tuple(line for note in getattr(error, "__notes__", ()) for line in note.splitlines())
        cut = taken >= allowed.build
        return Diagnosis("" if cut else str(error), (), notes, round(1000 * taken), cut=cut)
    charged_ms = round(1000 * (time.monotonic() - began)) if makes else 0
    lines = list[str]()
    problem = ""
    match_ms = 0
    try:
        for trial in check_bot(bot, league.store, sandbox, [league.table.game], league.limits):
            lines += trial.lines()
            charged_ms += sum(trial.used_ms)
            match_ms = max(match_ms, 0, *trial.used_ms)
            if trial.ok is False and not problem:
                problem = f"{trial.name}: {trial.result}" + (f"; {trial.advice}" if trial.advice else "")
            if charged_ms > 1000 * allowed.whole:
                return Diagnosis(problem, tuple(lines), (), charged_ms, match_ms, cut=True)
    except BotError as error:
        problem = str(error)
    except EnvironmentFailure as error:
        # A shipped bot in the same place tells a broken machine from a bot that starves it.
        house = league.store.add(shipped_bots()[OPPONENT], origin="used")
        next(check_bot(house, league.store, sandbox, [league.table.game], league.limits))
        lines.append(f"FAIL a match was not finished: {error}")
        charged_ms = max(charged_ms, round(1000 * (time.monotonic() - began)))
        return Diagnosis("", tuple(lines), (), charged_ms, match_ms, cut=True)
    return Diagnosis(problem, tuple(lines), (), charged_ms, match_ms)


def _new_version(league: League, author: str, bot: str, digest: str, night: int) -> Iterator[BotVersion]:
    """Yield a new version of a bot, and the one that it supersedes."""
    versions = league.ledger.versions_of(author, bot)
    yield BotVersion(author, bot, len(versions) + 1, digest, night)
    retired = night + (0 if author == HOUSE else league.table.quota.superseded_nights)
    for latest in versions[-1:]:
        if latest.superseded is None:
            yield structs.replace(latest, superseded=night, retired=retired)
