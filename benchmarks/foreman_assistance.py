"""Turns of a writer with the Foreman, worked directly and assisted by a model of your own, and what was done.

`python -m benchmarks.foreman_assistance URL MODEL` holds the conversations of `foreman_turns.yaml` against any
server that speaks the OpenAI protocol, and counts the turns whose action was done. `--show` prints what was said.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from benchmarks.own_model import add_model, settings_for
from dramaturg import Studio, read_settings
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.state import Consultation

TURNS = Path(__file__).parent / "foreman_turns.yaml"
WAYS = ("direct", "assisted")


@dataclass
class Counts:
    """What came of a conversation."""

    turns: int = 0
    right: int = 0
    done: int = 0
    refused: int = 0
    echoes: int = 0
    put_aside: int = 0


def book(folder: Path, url: str, model: str, way: str, talk: dict[str, Any]) -> Path:
    """A project with the pages and notes of a conversation."""
    (folder / "dramaturg.toml").write_text(
        f'{settings_for(url, model)}[workshop]\ntitle = "{talk["title"]}"\nagent = "{way}"\n',
        encoding="utf-8",
    )
    for name, text in talk.get("files", {}).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def is_right(turn: Consultation, wanted: dict[str, str]) -> bool:
    """Whether the action that was wanted is among what was done, with the words that it must have.

    Where only a decision is wanted, a page of the story bible that was written besides is wrong; where nothing is
    wanted, anything is.
    """
    if wanted["action"] == "none":
        return not turn.done and not turn.refused
    words = re.compile(wanted.get("with", ""), re.I)
    if wanted["action"] == "save_decision" and any(one.action == "write_template" for one in turn.done):
        return False
    return any(one.action in wanted["action"].split("|") and words.search(one.outcome.said) for one in turn.done)


async def held(url: str, model: str, way: str, talk: dict[str, Any], show: bool) -> Counts:
    counts = Counts()
    with tempfile.TemporaryDirectory() as folder:
        settings = read_settings(book(Path(folder), url, model, way, talk), os.environ, trust=True)
        async with Studio.open(settings) as studio:
            foreman = studio.workshop
            while (await foreman.view()).mode != Mode(talk.get("mode", "ARCHITECT")):
                await foreman.change_mode(force=True)
            for row in talk["turns"]:
                async for _ in foreman.consult(row["said"]):
                    pass
                turn = (await foreman.conversation()).turns[counts.turns + 1]
                right = is_right(turn, row)
                counts.turns += 1
                counts.right += right
                counts.done += len(turn.done)
                counts.refused += len(turn.refused)
                counts.echoes += bool(re.search(r"session_state|available_actions|The writer said|<\w+>", turn.message))
                counts.put_aside += sum(len(one.answer.oddities) for one in turn.answers)
                if show:
                    done = "; ".join(one.outcome.said for one in turn.done) or "nothing"
                    failed = f" FAILED {turn.failed.error}" if turn.failed else ""
                    refused = "".join(f"\n  refused: {one.action}: {one.reason}" for one in turn.refused)
                    verdict = "right" if right else "WRONG"
                    print(f"\n> {row['said']}\n{turn.message}\n  [{verdict}] {done}{refused}{failed}")
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_model(parser)
    parser.add_argument("--only", default="", help="names of conversations, comma-separated")
    parser.add_argument("--ways", default=",".join(WAYS), help="direct, assisted")
    parser.add_argument("--show", action="store_true", help="print what was said and done")
    wanted = parser.parse_args()
    talks = yaml.safe_load(TURNS.read_text(encoding="utf-8"))
    print("| conversation | way | turns | right action done | actions done | refused | echoes shown | put aside |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    for name, talk in talks.items():
        for way in wanted.ways.split(","):
            if wanted.only and name not in wanted.only.split(","):
                continue
            counts = asyncio.run(held(wanted.url, wanted.model, way, talk, wanted.show))
            told = " | ".join(str(held) for held in vars(counts).values())
            print(f"| {name} | {way} | {told} |", flush=True)


if __name__ == "__main__":
    main()
