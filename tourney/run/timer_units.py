"""Units of systemd and lines for cron that start a command each day, and after a reboot."""

import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tourney.held_folder import account_name


@dataclass(frozen=True, slots=True)
class DailyCommand:
    """A command of Tourney that starts each day at ``opens`` (HH:MM), in ``folder``, as the folder's owner.

    ``name`` is that of its unit, ``title`` a few words on it. ``private``: only its user may read its files.
    """

    name: str
    title: str
    words: tuple[str, ...]
    folder: Path
    opens: str
    private: bool = False

    @property
    def user(self) -> str:
        """The account of the command: the owner of the folder; before that exists, this process's."""
        return account_name(self.folder.stat().st_uid if self.folder.exists() else os.geteuid())

    def files(self) -> dict[str, str]:
        """The unit, its timer and the crontab, by file name."""
        # The interpreter by its path, so that neither systemd nor cron needs a PATH.
        words = (sys.executable, "-m", "tourney", *self.words)
        hour, minute = self.opens.split(":")
        umask = "UMask=0077\n" if self.private else ""
        line = f"{'umask 077; ' if self.private else ''}cd {cron_word(str(self.folder))} && "
        line += f"{' '.join(map(cron_word, words))} --quiet"
        return {
            f"{self.name}.service": f"""\
[Unit]
Description={self.title}

[Service]
Type=oneshot
# The owner of the folder: another account could not read its records, and root needs no right to run them.
User={self.user}
{umask}WorkingDirectory={str(self.folder).replace("%", "%%")}
ExecStart={systemd_line(words)}
Delegate=yes
TimeoutStartSec=infinity
# A stop asks the command alone, which lets the matches in progress finish; bots that got the signal too
# would have crashed.
KillMode=mixed
TimeoutStopSec=10min
""",
            f"{self.name}.timer": f"""\
[Unit]
Description={self.title}, each day

[Timer]
OnCalendar=*-*-* {hour}:{minute}:00
# After a power cut in the night, the next boot goes on with it.
OnBootSec=2min

[Install]
WantedBy=timers.target
""",
            "crontab": f"""\
{int(minute)} {int(hour)} * * * {line}
@reboot sleep 120; {line}
# For the crontab of the owner of the folder: crontab -u {self.user} crontab
""",
        }


def systemd_line(words: Sequence[str]) -> str:
    """A command line for ExecStart: quoted, without specifiers (%) and variables ($) of systemd."""
    return " ".join(_systemd_word(word.replace("%", "%%").replace("$", "$$")) for word in words)


def _systemd_word(word: str) -> str:
    if shlex.quote(word) == word or (word and all(c.isalnum() or c in "-_./:=%$@+," for c in word)):
        return word
    # Systemd reads \ as an escape within quotes, which a shell does not.
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'


def cron_word(word: str) -> str:
    """A word of a line for cron: quoted for its shell; to cron itself a bare % is the end of the line."""
    return shlex.quote(word).replace("%", "\\%")
