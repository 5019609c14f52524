"""Arrivals and the identity of their authors: folder owners, SSH signatures, and imitated names."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tourney.addons.league.file import HANDLE, AuthorTable
from tourney.addons.league.folder import League
from tourney.bots.catalogue.shipped import HOUSE
from tourney.bots.catalogue.submission import ENDINGS
from tourney.errors import EnvironmentFailure
from tourney.texts import legible

NAMESPACE: Final = "tourney-league"
"""The namespace of signatures (``ssh-keygen -Y sign -n``): signatures for another use do not count."""
SIGNATURE: Final = ".sig"
READY: Final = ".ready"
_ARCHIVES: Final = (".zip", *ENDINGS)
_LOOKS: Final = str.maketrans("01i5z8", "ollss" + "b")
_SECONDS: Final = 60


@dataclass(frozen=True, slots=True)
class Arrival:
    """A complete submission in the inbox: its author, its bot's name, its name in the inbox, and its stamp.

    The names come from the inbox and may hold anything. ``stamp`` changes with the files; ``problem``: the
    reason that it cannot be its author's, or "". ``user`` is the account that owns the author's folder, None
    in a git repository, where ``tree`` is its object and ``ref`` the server's branch that holds it.
    ``arrived`` is when it was complete, in microseconds since 1970, by a clock that its author cannot set;
    None: unknown.
    """

    author: str
    bot: str
    source: str
    stamp: str
    problem: str = ""
    user: str | None = None
    arrived: int | None = None
    tree: str = ""
    ref: str = ""


def archive_ending(name: str) -> str:
    """The ending of an archive's name, or ""."""
    return next((ending for ending in _ARCHIVES if name.lower().endswith(ending)), "")


def skeleton(name: str) -> str:
    """The skeleton of a name: names with the same skeleton are easily mistaken for each other."""
    # "ma-son" and "mas0n" are read as "mason", and "rn" in many fonts as "m".
    plain = re.sub(r"[^a-z0-9]", "", name.lower()).translate(_LOOKS)
    return plain.replace("rn", "m").replace("vv", "w").replace("cl", "d")


def imitated(name: str, others: Iterable[str]) -> str | None:
    """The first other name that a name looks like, or None."""
    return next(
        (similar for similar in others if similar != name and skeleton(similar) == skeleton(name)), None
    )


def allowed_signers(author: str, table: AuthorTable) -> str:
    """The file of allowed signers (``ssh-keygen -Y verify -f``) of an author."""
    return "".join(f'{author} namespaces="{NAMESPACE},git" {key}\n' for key in table.keys)


def signature_problem(author: str, table: AuthorTable, file: Path, signature: Path) -> str:
    """The reason that a file is not signed by one of an author's keys, or "". Raises EnvironmentFailure."""
    if not signature.is_file() or signature.is_symlink():
        return (
            f"it is not signed: sign an archive by ssh-keygen -Y sign -n {NAMESPACE} -f KEY ARCHIVE and put"
            f" ARCHIVE{SIGNATURE} beside it, before the archive"
        )
    if shutil.which("ssh-keygen") is None:
        raise EnvironmentFailure("ssh-keygen is needed to check signatures: install OpenSSH")
    with TemporaryDirectory(prefix="tourney-") as folder, file.open("rb") as data:
        signers = Path(folder) / "signers"
        signers.write_text(allowed_signers(author, table), "utf-8")
        words = ["ssh-keygen", "-Y", "verify", "-f", str(signers), "-I", author, "-n", NAMESPACE]
        try:
            done = subprocess.run(  # noqa: S603 - a fixed program; the file is on its standard input
                [*words, "-s", str(signature)],
                stdin=data,
                capture_output=True,
                timeout=_SECONDS,
                env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"its signature could not be checked within {_SECONDS} seconds"
    return "" if done.returncode == 0 else f"its signature is not by a key of {author} in authors.toml"


def folder_problem(league: League, name: str, owner: str | None) -> str:
    """The reason that something of ``owner`` cannot be this author's, or ""; None proves nothing."""
    table = league.authors.get(name)
    if HANDLE.fullmatch(name) is None or name == HOUSE:
        return f"{legible(name)} cannot name an author: use small letters, digits and '-', at most 24"
    if table is None and league.table.authors == "listed":
        return f"{name} is not in authors.toml: ask the organiser"
    # Only authors with a bot in the league: a refused name must not keep others from using theirs.
    if similar := imitated(name, (*league.ledger.established, *league.authors, HOUSE)):
        return f"the name {name} looks like the author {similar}: choose another one"
    if owner is None or (table is not None and table.keys and table.user is None):
        return ""  # a server or a signature says whose it is
    wanted = league.account_of(name)
    if wanted and owner != wanted:
        return f"the folder {name} belongs to {owner}, but the author {name} is {wanted}: ask the organiser"
    return ""
