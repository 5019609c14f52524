"""Mounts as Linux lists them."""

from pathlib import Path

import pytest

from tourney import files

LIST = rb"""24 1 254:0 / / rw,relatime - ext4 /dev/root rw
30 24 0:5 / /srv rw,nosuid shared:7 - nfs4 host:/export rw,vers=4.2
31 30 0:6 / /srv/my\040disk rw master:1 - tmpfs tmpfs rw
32 24 254:0 /disk/x.db /data/x.db rw - ext4 /dev/root rw
33 24 0:7 / /mnt rw - nfs host:/old rw
34 24 0:8 / /mnt rw - ext4 /dev/sdb rw

broken line
"""


@pytest.fixture(autouse=True)
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mountinfo").write_bytes(LIST)
    monkeypatch.setattr(files, "_MOUNTS", tmp_path / "mountinfo")


def test_innermost_and_latest_mount_decides() -> None:
    kinds = {
        "/x.db": None,
        "/srv/a/x.db": "nfs4",
        "/srv/my disk/x.db": None,
        "/srvx/x.db": None,
        "/mnt/x.db": None,
    }
    assert {path: files.network_file_system(Path(path)) for path in kinds} == kinds


def test_single_file_may_be_a_mount() -> None:
    found = {path: files.is_mount_point(Path(path)) for path in ("/data/x.db", "/data", "/disk/x.db")}
    assert found == {"/data/x.db": True, "/data": False, "/disk/x.db": False}


def test_systems_without_a_list_have_no_mounts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_MOUNTS", Path("/nowhere"))
    assert files.network_file_system(Path("/srv/x.db")) is None
    assert not files.is_mount_point(Path("/data/x.db"))
