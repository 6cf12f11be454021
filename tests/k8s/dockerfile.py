"""Dockerfile: its stages and instructions."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Stage:
    """`FROM image AS name` and what follows it."""

    image: str
    name: str
    instructions: list[tuple[str, str]] = field(default_factory=list)

    def all(self, word: str) -> list[str]:
        """The arguments of every such instruction."""
        return [text for name, text in self.instructions if name == word]

    def one(self, word: str) -> str:
        """The argument of the one such instruction."""
        found = self.all(word)
        assert len(found) == 1, (word, found)
        return found[0]

    def command(self, word: str) -> list[str]:
        """The words of an instruction in the exec form, which starts no shell."""
        words = json.loads(self.one(word))
        assert isinstance(words, list)
        return words


def read_stages(path: Path) -> list[Stage]:
    """The stages of a Dockerfile; comments are dropped, lines joined."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    stages: list[Stage] = []
    for line in re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines():
        word, _, text = line.strip().partition(" ")
        if word == "FROM":
            image, _, name = text.partition(" AS ")
            stages.append(Stage(image, name))
        elif word:
            stages[-1].instructions.append((word, text.strip()))
    return stages
