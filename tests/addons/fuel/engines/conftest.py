"""The store of the shipped bots, and what the shell's bot plays."""

from tests.engines.conftest import shipped
from tests.engines.test_starters import in_shell

__all__ = ["in_shell", "shipped"]
