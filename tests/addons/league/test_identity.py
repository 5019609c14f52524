"""Names that imitate, owners, and SSH signatures."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.addons.league.leagues import new_league
from tourney.addons.league.file import AuthorTable
from tourney.addons.league.identity import (
    NAMESPACE,
    archive_ending,
    folder_problem,
    imitated,
    signature_problem,
    skeleton,
)
from tourney.addons.league.ledger import Author, BotVersion


@pytest.mark.parametrize(
    ("one", "other"),
    [("mason", "mas0n"), ("heron", "her-on"), ("modern", "modem"), ("bill", "b1ll"), ("wave", "vvave")],
)
def test_names_that_look_alike_have_one_skeleton(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)
    assert imitated(other, [one]) == one
    assert imitated(one, [one, "else"]) is None


def test_other_names_do_not_look_alike() -> None:
    assert imitated("drifter", ["floater", "mason", "heron"]) is None


def test_endings_of_archives() -> None:
    ends = [archive_ending(name) for name in ("x", "x.zip", "x.tar.gz", "x.tgz")]
    assert ends == ["", ".zip", ".tar.gz", ".tgz"]


def test_folder_of_another_account_is_refused(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    assert folder_problem(league, "mason", "eve") == ""
    league.ledger.add(Author("mason", league.ledger.opened.since, "someone-else"))
    assert folder_problem(league, "mason", "eve") == "", "no bot of this author was accepted"
    assert folder_problem(league, "mas0n", None) == ""
    league.ledger.add(BotVersion("mason", "drifter", 1, "a" * 64, 1))
    assert "the author mason is someone-else" in folder_problem(league, "mason", "eve")
    assert "looks like the author mason" in folder_problem(league, "mas0n", None)
    assert "cannot name an author" in folder_problem(league, "house", None)


def test_listed_authors_alone_may_submit(tmp_path: Path) -> None:
    league = new_league(tmp_path, 'authors = "listed"')
    assert "is not in authors.toml" in folder_problem(league, "mason", None)


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
def test_signature_must_be_by_the_authors_key(tmp_path: Path) -> None:
    keys = []
    for name in ("mine", "other"):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / name)],
            check=True,
            timeout=60,
        )
        keys.append((tmp_path / f"{name}.pub").read_text().strip())
    file = tmp_path / "bot.zip"
    file.write_bytes(b"bot")
    sign = ["ssh-keygen", "-q", "-Y", "sign", "-f", str(tmp_path / "mine"), "-n", NAMESPACE, str(file)]
    subprocess.run(sign, check=True, capture_output=True, timeout=60)
    signature = tmp_path / "bot.zip.sig"
    assert signature_problem("mason", AuthorTable(keys=(keys[0],)), file, signature) == ""
    assert "not by a key of mason" in signature_problem(
        "mason", AuthorTable(keys=(keys[1],)), file, signature
    )
    file.write_bytes(b"altered")
    assert "not by a key of mason" in signature_problem(
        "mason", AuthorTable(keys=(keys[0],)), file, signature
    )
    assert "it is not signed" in signature_problem(
        "mason", AuthorTable(keys=tuple(keys)), file, tmp_path / "none"
    )
