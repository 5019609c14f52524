"""Units and lines for cron start a command as it is written, whatever its words hold."""

import configparser
import shlex
import subprocess
import sys
from pathlib import Path

from tourney.run.timer_units import DailyCommand, cron_word, systemd_line


def made(folder: Path) -> dict[str, str]:
    words = ("run", "cup.toml", "--notify", "mail -s '100 % done' me")
    return DailyCommand("cup-run", "Tournament cup", words, folder, "21:05").files()


def test_unit_starts_the_command_and_stops_it_alone(tmp_path: Path) -> None:
    unit = configparser.ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]  # keys of systemd have capitals
    unit.read_string(made(tmp_path)["cup-run.service"])
    service = unit["Service"]
    assert service["ExecStart"] == (
        f"""{sys.executable} -m tourney run cup.toml --notify "mail -s '100 %% done' me\""""
    )
    assert (service["WorkingDirectory"], service["KillMode"]) == (str(tmp_path), "mixed")
    assert "UMask" not in service
    assert "OnCalendar=*-*-* 21:05:00" in made(tmp_path)["cup-run.timer"]


def test_crontab_runs_in_the_folder_at_the_hour_and_after_a_reboot(tmp_path: Path) -> None:
    daily, reboot, _ = made(tmp_path)["crontab"].splitlines()
    line = daily.removeprefix("5 21 * * * ")
    assert reboot == f"@reboot sleep 120; {line}"
    # Cron hands the line to the shell after it has taken the backslashes before %.
    folder, command = line.replace("\\%", "%").split(" && ")
    assert shlex.split(folder) == ["cd", str(tmp_path)]
    assert shlex.split(command)[3:] == ["run", "cup.toml", "--notify", "mail -s '100 % done' me", "--quiet"]


def test_words_reach_the_program_as_they_are() -> None:
    words = ("a b", "it's", 'say "x"', "50%", "$HOME", "back\\slash", "")
    line = " ".join(map(cron_word, words)).replace("\\%", "%")
    shown = subprocess.run(["sh", "-c", f"printf '%s|' {line}"], capture_output=True, text=True, check=True)
    assert shown.stdout == "|".join(words) + "|"
    assert systemd_line(words) == (""""a b" "it's" "say \\"x\\"" 50%% $$HOME "back\\\\slash" """ + '""')
