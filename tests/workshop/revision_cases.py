"""A book with one scene, and answers of judges and editors."""

from __future__ import annotations

import json
from pathlib import Path

PATH = "manuscript/ch01-sc01.md"
SCENE = (
    "---\nbeat: Catalyst\n---\n\n"
    "Ruth was very tired. She put the letter down on the table and looked at the harbour.\n\n"
    "“You never asked,” said Tom quietly. He did not really look at her.\n\nThe rain began again over the harbour.\n"
)


def story(folder: Path, text: str = SCENE) -> Path:
    for path, held in {
        PATH: text,
        "scaffolds/ch01-sc01.md": "---\nscene_goal: She learns it\ncallbacks: the_letter, the_photograph\n---\n",
        "Voice Bundle/Voice-Gold-Standard.md": "---\nlocked: true\n---\n\nThe sea said it for her.\n",
        "story-bible/protagonist.md": "---\nname: Ruth\n---\n\n## Fatal flaw\n\nShe never asks for help.\n",
    }.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(held.encode())
    return folder / PATH


def verdict(band: str, *evidence: str, **more: object) -> str:
    return json.dumps({"band": band, "because": "Because.", "evidence": evidence, **more})


def patch(old: str, new: str, reason: str = "shorter", issue: str = "flat") -> str:
    return f"<patch>\n<old>{old}</old>\n<new>{new}</new>\n<reason>{reason}</reason>\n<issue>{issue}</issue>\n</patch>"
