"""The sample dialogues beside this file: "## title", then "Speaker: words"."""

from __future__ import annotations

from pathlib import Path

from dramaturg.scenes.director.evidence import QuotableLine

FOLDER = Path(__file__).with_name("dialogues")


def dialogues(name: str) -> dict[str, list[QuotableLine]]:
    found: dict[str, list[QuotableLine]] = {}
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            found[line.removeprefix("## ")] = []
        elif line and not line.startswith("#"):
            speaker, _, text = line.partition(": ")
            found[list(found)[-1]].append(QuotableLine(speaker, text))
    return found
