"""A terminal for tests: lines that are typed, and all that was shown."""

from collections.abc import Sequence

from tourney.play.terminal import Terminal


class Typed(Terminal):
    """Types lines, the end of the input after them. ``text`` is what was shown, prompts and lines among it.

    ``offered`` holds what could be completed at each prompt.
    """

    def __init__(self, *lines: str) -> None:
        self._lines = list(lines)
        self.text = ""
        self.offered: list[tuple[str, ...]] = []

    def write(self, text: str) -> None:
        self.text += text

    def ask(self, prompt: str, words: Sequence[str]) -> str | None:
        self.offered.append(tuple(words))
        line = self._lines.pop(0) if self._lines else None
        self.text += f"{prompt}{'' if line is None else line}\n"
        return line

    def hand_over(self, name: str) -> None:
        self.text += f"-- {name} sits down --\n"

    def finish(self) -> None:
        """Assert that all lines were typed."""
        assert self._lines == []
