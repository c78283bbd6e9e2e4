"""The page of anti-patterns in the Foreman's prompt, generated from the rules.

`python -m dramaturg.workshop.voice.guardrail` writes it anew; a test compares the file with what this would write.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dramaturg.workshop.voice.rule_files import house_rules
from dramaturg.workshop.voice.rules import Rule

PAGE = "prompts/guardrails/voice_antipatterns.md"


def guardrail_text(rules: Sequence[Rule]) -> str:
    """The prompt file: what is never allowed, then what is counted."""
    strict = [rule.says for rule in rules if rule.severity == "zero_tolerance"]
    counted = [
        f"{rule.says}{f' ({rule.where})' if rule.where else ''}" for rule in rules if rule.severity == "deduction"
    ]
    parts = ["# Anti-patterns of prose", "", "Zero tolerance:", *(f"- {one}" for one in strict)]
    parts += ["", "Deduction:", *(f"- {one}" for one in counted)]
    return "---\nvariables: []\n---\n" + "\n".join(parts) + "\n"


if __name__ == "__main__":
    (Path(__file__).parents[1] / PAGE).write_text(guardrail_text(house_rules()), encoding="utf-8")
