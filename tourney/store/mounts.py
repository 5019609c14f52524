"""What Linux says about the mount that a file lies on; nothing on other systems."""

import re
from pathlib import Path
from typing import Final

_MOUNTS: Final = Path("/proc/self/mountinfo")
_ESCAPE: Final = re.compile(rb"\\([0-7]{3})")
_NETWORK: Final = (
    *(
        "9p",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "fuse.ceph",
        "fuse.glusterfs",
        "fuse.s3fs",
        "fuse.sshfs",
        "gfs2",
    ),
    *("glusterfs", "lustre", "nfs", "nfs4", "ocfs2", "smb3", "smbfs"),
)
"""File systems that several machines may use at the same time."""


def network_file_system(path: Path) -> str | None:
    """The kind of network file system ("nfs4") of an absolute path without links, or None."""
    kinds = dict(_mounts())
    for folder in (path, *path.parents):
        if folder in kinds:
            return kinds[folder] if kinds[folder] in _NETWORK else None
    return None


def is_mount_point(path: Path) -> bool:
    """Whether an absolute path without links is a mount by itself, as of a file in a container."""
    return any(place == path for place, _ in _mounts())


def _mounts() -> list[tuple[Path, str]]:
    """Place and kind of all mounts; a later one hides an earlier one of the same place."""
    try:
        lines = _MOUNTS.read_bytes().splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        before, _, after = line.partition(b" - ")
        fields, rest = before.split(b" "), after.split(b" ")
        if len(fields) > 4 and rest[0]:
            place = _ESCAPE.sub(lambda match: bytes([int(match[1], 8)]), fields[4])
            found.append((Path(place.decode("utf-8", "surrogateescape")), rest[0].decode("ascii", "replace")))
    return found
