"""Books with promises in them, on disk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

SCENES: Mapping[str, str] = {
    "ch01-sc01": "Ada slid the photograph behind the chart. Then she went up to the lamp.",
    "ch01-sc02": "Rain. Nobody spoke of it. The photograph was still behind the chart, and dry.",
}
PLANS: Mapping[str, str] = {
    "ch01-sc01": "---\nbeat: Set-up\nforeshadowing: [the_photograph]\n---\n",
    "ch01-sc02": "---\nbeat: Catalyst\ncallbacks: [the_photograph]\n---\n",
    "ch02-sc01": "---\nbeat: Midpoint\ncallbacks: [the_photograph]\n---\n",
    "ch03-sc01": "---\nbeat: Finale\n---\n",
}


def shelf(folder: Path, scenes: Mapping[str, str] = SCENES, plans: Mapping[str, str] = PLANS, ledger: str = "") -> Path:
    """A project with these scenes, scaffolds and ledger."""
    texts = {f"manuscript/{name}.md": f"{text}\n" for name, text in scenes.items()}
    texts |= {f"scaffolds/{name}.md": text for name, text in plans.items()}
    texts |= {"story-bible/promises.yaml": ledger} if ledger else {}
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder
