"""Conditions under which tests are skipped for want of a program."""

import shutil

import pytest

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler (cc)")
