"""Private files are found below shown folders, whatever links and mounts lead to them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tourney import files
from tourney.bots.sandbox.exposure import Exposure, find_exposed
from tourney.bots.sandbox.plain import PlainSandbox
from tourney.errors import UsageError


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a database, and ``lib``, which bots see."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "t.db").write_bytes(b"secret")
    (tmp_path / "lib" / "inner").mkdir(parents=True)
    return tmp_path


def exposed(private: Path, shown: Path) -> bool:
    return find_exposed({"the database": private}, [shown]) is not None


def test_file_beside_a_shown_folder_is_private(project: Path) -> None:
    assert not exposed(project / "data" / "t.db", project / "lib")
    assert not exposed(project / "library.db", project / "lib")
    assert not exposed(project, project / "lib")


def test_file_below_a_shown_folder_is_exposed_before_it_exists(project: Path) -> None:
    path = project / "lib" / "new" / "t.db"
    found = find_exposed({"the bot store": project / "data", "the database": path}, [project / "lib"])
    assert found == Exposure("the database", path, project / "lib")


def test_shown_file_is_exposed(project: Path) -> None:
    assert exposed(project / "data" / "t.db", project / "data" / "t.db")


def test_links_to_either_side_are_followed(project: Path) -> None:
    (project / "link").symlink_to("lib/inner")
    (project / "shown").symlink_to("data")
    (project / "x.db").symlink_to("lib/x.db")
    (project / "loop").symlink_to("loop")
    assert exposed(project / "link" / "t.db", project / "lib")
    assert exposed(project / "x.db", project / "lib")
    assert exposed(project / "data" / "t.db", project / "shown")
    assert not exposed(project / "loop" / "t.db", project / "lib")


def test_hard_link_below_a_shown_folder_is_found(project: Path) -> None:
    other = project / "lib" / "inner" / "module.so"
    other.hardlink_to(project / "data" / "t.db")
    found = find_exposed({"the database": project / "data" / "t.db"}, [project / "lib"])
    assert found == Exposure("the database", project / "data" / "t.db", other)
    other.unlink()
    (project / "other.db").hardlink_to(project / "data" / "t.db")
    assert not exposed(project / "data" / "t.db", project / "lib")


@pytest.mark.parametrize(
    ("private", "shown"),
    [("/data/cup/t.db", "/usr/share"), ("/mnt/cup/t.db", "/usr/lib"), ("/mnt/t.db", "/mnt2")],
    ids=["folder mounted below a shown one", "shown folder mounted elsewhere", "device mounted twice"],
)
def test_mounts_of_the_same_folder_are_recognised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, private: str, shown: str
) -> None:
    listed = """1 0 8:1 / / rw - ext4 /dev/a rw
2 1 8:1 /data/cup /usr/share/deep/cup ro - ext4 /dev/a rw
3 1 8:1 /usr/lib/games /mnt/cup rw - ext4 /dev/a rw
4 1 8:2 / /mnt rw - ext4 /dev/b rw
5 1 8:2 / /mnt2 rw - ext4 /dev/b rw
6 4 8:1 /usr/lib/games /mnt/cup rw - ext4 /dev/a rw
"""
    (tmp_path / "mountinfo").write_text(listed, "ascii")
    monkeypatch.setattr(files, "_MOUNTS", tmp_path / "mountinfo")
    assert exposed(Path(private), Path(shown))
    assert not exposed(Path(private), Path("/usr/bin"))


MOUNTED = """
import sys
from pathlib import Path
from tourney.bots.sandbox.exposure import find_exposed
print(find_exposed({"the database": Path(sys.argv[1])}, [Path(sys.argv[2])]) is not None)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount")
def test_real_bind_mounts_are_seen_through(project: Path) -> None:
    """Of the private folder below the shown one, and of a shown one where the database is."""
    words = [sys.executable, "-c", MOUNTED, str(project / "data" / "t.db"), str(project / "lib")]
    for source, place in (("data", "lib/inner"), ("lib/inner", "data")):
        script = f'mount --bind "{project}/{source}" "{project}/{place}" && exec "$@"'
        private = ["unshare", "--mount", "sh", "-c", script, "sh"]
        done = subprocess.run([*private, *words], capture_output=True, text=True, check=False)
        if "mount" in done.stderr or "unshare" in done.stderr:
            pytest.skip(f"this machine allows no mounts: {done.stderr}")
        assert done.stdout == "True\n", done.stderr


def test_sandbox_that_would_show_the_database_is_refused(project: Path) -> None:
    """The sentence names the file, the folder, and what to do."""

    class Showing(PlainSandbox):
        shown = (project / "lib",)

    private = {"the database": project / "lib" / "t.db"}
    with pytest.raises(UsageError) as caught:
        Showing("auto").refuse_exposed(private)
    assert str(caught.value) == (
        f"the database {project}/lib/t.db lies in {project}/lib, which every bot can read; move it, or the"
        " environment that runs Tourney, to another folder"
    )
    PlainSandbox("auto").refuse_exposed(private)
