"""A terminal for tests, with typed lines and the shown text."""

from collections.abc import Sequence

from tourney.play.terminal import Terminal


class Typed(Terminal):
    """Types lines, then the end of the input. ``text`` is the shown text with prompts and typed lines.

    ``offered`` holds the completions at each prompt.
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
