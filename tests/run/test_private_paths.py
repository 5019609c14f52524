"""What no bot of a run may see."""

from pathlib import Path

from tests.support.tournaments import refused
from tourney.errors import BotError
from tourney.run.private_paths import private_paths, refuse_inside


def test_database_has_files_beside_it(tmp_path: Path) -> None:
    """They are named by the file that a link leads to."""
    (tmp_path / "disk").mkdir()
    (tmp_path / "t.db").symlink_to("disk/real.db")
    private = private_paths(str(tmp_path / "t.db"), tmp_path / "bots", tournament="cup")
    assert {*private.values()} == {
        *(tmp_path / "disk" / f"real.db{end}" for end in ("", "-wal", "-shm", "-journal", "-cup.spool")),
        tmp_path / "bots",
    }
    assert next(iter(private)) == "the database"


def test_server_has_no_database_file_but_a_spool(tmp_path: Path) -> None:
    url = "postgresql+psycopg://host/name"
    private = private_paths(url, tmp_path, tournament="cup", more={"the log": tmp_path / "log"})
    assert [*private] == ["the spool", "the bot store", "the log"]


def test_database_inside_a_bots_folder_is_refused(tmp_path: Path) -> None:
    """The store copies the folder whole, so that the bot would have the database."""
    (tmp_path / "bot" / "data").mkdir(parents=True)
    (tmp_path / "program").write_bytes(b"")
    private = private_paths(str(tmp_path / "bot" / "data" / "t.db"), tmp_path / "bots")
    refuse_inside([None, tmp_path / "program", tmp_path / "bot" / "other"], private)
    sentence = f"{tmp_path}/bot: the database {tmp_path}/bot/data/t.db lies inside the bot's folder"
    with refused(BotError, sentence, "copied whole"):
        refuse_inside([tmp_path / "bot"], private)
