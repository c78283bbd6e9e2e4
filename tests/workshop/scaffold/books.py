"""A thriller that is half planned, and answers of a model that plans."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

FILES: Mapping[str, str] = {
    "story-bible/protagonist.md": "---\nname: Ines Marrow\n---\n## The lie\n\nWhat is on tape happened.\n",
    "story-bible/beat-sheet.md": (
        "## 8. Fun and games\n\nInes hears the tape backwards.\n\n"
        "## 9. Midpoint\n\nInes finds her own voice on the tape. Kolb locks the door.\n\n"
        "## 10. Bad guys close in\n\nThe archive burns with the second tape inside.\n"
    ),
    "story-bible/world-rules.md": "## Fundamental rules\n\n- No tape leaves the archive.\n- Kolb has the only key.\n",
    "story-bible/promises.yaml": (
        "promises:\n  - promise: the wrong hook\n    planted: {scene: ch03-sc01, quote: key hung on the wrong hook}\n"
    ),
    "manuscript/ch03-sc01.md": (
        "---\nbeat: Fun and games\ncast: [Ines Marrow, Kolb]\nplace: The archive\n---\n\n"
        "The second tape was warm. Ines put it back. Kolb's key hung on the wrong hook.\n"
    ),
    "scaffolds/ch05-sc01.md": "---\nbeat: Bad guys close in\ntitle: Fire\n---\n\n## Scene goal\n\nThe tape is lost.\n",
}
PLAN = {
    "title": {"value": "Backwards", "from": ["S1"]},
    "beat_alignment": {"value": "Midpoint - her own voice", "from": ["S1"]},
    "pov_character": {"value": "Ines", "from": []},
    "characters_present": {"value": ["Ines Marrow", "Kolb", "Jorge", "Background: two clerks"], "from": ["S1"]},
    "location": {"value": "The archive", "from": ["S99"]},
    "time_of_day": {"value": "Night", "from": []},
    "callbacks": [
        {"name": "the wrong hook", "quote": "", "from": []},
        {"name": "the warm tape", "quote": "The second tape was warm.", "from": []},
        {"name": "the wolf", "quote": "A wolf howled in the archive.", "from": []},
    ],
    "foreshadowing": [{"name": "the fire", "from": ["S1"]}],
    "scene_goal": {"value": "Ines knows that she was there.", "from": ["S1"]},
}


def thriller(folder: Path, more: Mapping[str, str] | None = None) -> Path:
    for path, text in {**FILES, **(more or {})}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def plan(**more: object) -> str:
    return json.dumps({**PLAN, **more})
