"""The content digest, byte for byte."""

import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.bots.catalogue.tree import FileEntry, content_digest, decode_files, encode_files, hash_tree
from tourney.errors import BotError


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_digest_is_sha256_of_canonical_file_list() -> None:
    """The form is written by hand here: no blanks, sorted by path, UTF-8 unescaped."""
    files = [FileEntry("src/ä.py", False, sha(b"2")), FileEntry("bot", True, sha(b"1"))]
    form = f'[["bot",true,"{sha(b"1")}"],["src/ä.py",false,"{sha(b"2")}"]]'.encode()
    assert encode_files(files) == form
    assert content_digest(files) == sha(form)


def test_paths_are_sorted_by_code_point() -> None:
    """U+FF21 comes before U+10400, though its UTF-16 form comes after."""
    files = [FileEntry("\U00010400", False, sha(b"")), FileEntry("\uff21", False, sha(b""))]
    assert [file.path for file in decode_files(encode_files(files))] == ["\uff21", "\U00010400"]


def test_digest_depends_on_paths_bits_and_contents(tmp_path: Path) -> None:
    one, two = FileEntry("a", False, sha(b"1")), FileEntry("b", True, sha(b"2"))
    digest = content_digest([one, two])
    assert digest == content_digest([two, one])
    others = [
        [FileEntry("A", False, sha(b"1")), two],
        [FileEntry("a", True, sha(b"1")), two],
        [FileEntry("a", False, sha(b"0")), two],
        [one],
    ]
    assert len({digest, *map(content_digest, others)}) == 5


def test_folder_is_hashed_by_its_files(tmp_path: Path) -> None:
    """Paths contain "/", the bit is the owner's, and an empty folder does not count."""
    (tmp_path / "sub" / "empty").mkdir(parents=True)
    (tmp_path / "sub" / "x").write_bytes(b"1")
    (tmp_path / "run").write_bytes(b"2")
    (tmp_path / "run").chmod(0o744)
    (tmp_path / "sub" / "x").chmod(0o654)
    assert hash_tree(tmp_path) == (FileEntry("run", True, sha(b"2")), FileEntry("sub/x", False, sha(b"1")))


entries = st.builds(
    FileEntry,
    path=st.text(st.characters(exclude_categories=["C"]), min_size=1),
    executable=st.booleans(),
    sha256=st.binary(max_size=4).map(sha),
)


@given(st.lists(entries, unique_by=lambda entry: entry.path))
def test_file_list_reads_back(files: list[FileEntry]) -> None:
    assert decode_files(encode_files(files)) == tuple(sorted(files))


@pytest.mark.parametrize(
    "data", [b"", b"{}x", b"[[1,2]]", b'[["a",true,"b"] ]', b'[["b",true,""],["a",true,""]]']
)
def test_file_list_in_another_form_is_damaged(data: bytes) -> None:
    with pytest.raises(BotError, match=r"files\.json is damaged"):
        decode_files(data)
