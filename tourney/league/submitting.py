"""Puts a bot into the inbox of a league, packed and renamed in one step."""

import shutil
import subprocess
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from tourney.bots.catalogue.manifest import FILE_NAME
from tourney.bots.catalogue.submission import copy_submission
from tourney.errors import EnvironmentFailure, UsageError
from tourney.league.git_inbox import is_repository
from tourney.league.identity import NAMESPACE, READY, SIGNATURE
from tourney.league.league_file import HANDLE
from tourney.league.league_folder import League


def submit(league: League, bot: Path, author: str, name: str | None, key: Path | None) -> Path:
    """Pack a bot into ``inbox/AUTHOR/NAME.zip.ready``, signed by a key. Raises BotError and UsageError."""
    if is_repository(league):
        raise UsageError(f"the inbox {league.table.inbox} is a git repository: commit and push the bot there")
    with TemporaryDirectory(prefix="tourney-") as folder:
        manifest, files = copy_submission(bot, Path(folder) / "files", Path(folder))
        if not manifest.plays(game := league.table.game):
            raise UsageError(f"{bot} plays {', '.join(manifest.games)}, and this league plays {game}")
        name = name or manifest.name
        for what, word in (("an author", author), ("a bot", name)):
            if HANDLE.fullmatch(word) is None:
                raise UsageError(
                    f"{word!r} cannot name {what}: use small letters, digits and '-', at most 24"
                )
        place = league.inbox / author
        try:
            place.mkdir(exist_ok=True)
            packed = place / f".{name}.zip"
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                if all(file.path != FILE_NAME for file in files):
                    archive.writestr(FILE_NAME, _manifest_text(manifest.name, files[0].path))
                for file in files:
                    archive.write(Path(folder) / "files" / file.path, file.path)
            if key is not None:
                _sign(packed, key, place / f"{name}.zip{SIGNATURE}")
            return packed.rename(place / f"{name}.zip{READY}")
        except OSError as error:
            raise EnvironmentFailure(f"{place} cannot be written: {error.strerror}") from error


def _manifest_text(name: str, program: str) -> str:
    """The bot.toml of a bot that is a program alone."""
    return f'name = "{name}"\nversion = "1"\ncommand = ["./{program}"]\n'


def _sign(file: Path, key: Path, target: Path) -> None:
    if shutil.which("ssh-keygen") is None:
        raise EnvironmentFailure("--sign needs ssh-keygen: install OpenSSH")
    words = ["ssh-keygen", "-q", "-Y", "sign", "-f", str(key), "-n", NAMESPACE, str(file)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 - a fixed program
    if done.returncode:
        raise UsageError(f"--sign {key}: {''.join(done.stderr.strip().splitlines()[-1:])}")
    file.with_name(file.name + SIGNATURE).rename(target)
