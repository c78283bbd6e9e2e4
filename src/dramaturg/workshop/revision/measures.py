"""What a revision changes in the measured profile of a scene, also where that is nothing."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.values import WireValue
from dramaturg.workshop.voice.antipatterns import RuleReport, check_prose
from dramaturg.workshop.voice.profile import VoiceProfile, differences, profile_of
from dramaturg.workshop.voice.prose import read_prose
from dramaturg.workshop.voice.rule_files import RuleSet, house_rules, rule_set


class MeasuredChange(WireValue):
    """One measure before and after. `tells` is `alike`, `differs`, or `too short to tell`."""

    measure: str
    before: str = ""
    after: str = ""
    tells: str
    moved: bool = Field(description="whether the figure itself is another one, whatever it tells")


class ProfileChange(WireValue):
    """Two texts of a scene, measured. `same` says that nothing that is measured has changed."""

    words_before: int
    words_after: int
    same: bool
    measures: tuple[MeasuredChange, ...]
    said: str


def rules_of(project: Path) -> RuleSet:
    """The rules of a book; the house's own where the writer's file cannot be read."""
    try:
        return rule_set(project)
    except InvalidConfig:
        return RuleSet(house_rules(), ())


def counted(text: str, rules: RuleSet, path: str) -> RuleReport:
    """The anti-patterns of a scene."""
    return check_prose(read_prose(text), rules.rules, rules.waivers, file=path)


def profile_change(before: str, after: str, rules: RuleSet, path: str) -> ProfileChange:
    """What differs between two texts of a scene, measure by measure."""
    one, other = (profile_of(read_prose(text), hits=counted(text, rules, path).hits) for text in (before, after))
    rows = tuple(
        MeasuredChange(
            measure=row.measure,
            before=str(row.one) if row.one else "",
            after=str(row.other) if row.other else "",
            tells=row.tells,
            moved=(row.one.value if row.one else None) != (row.other.value if row.other else None),
        )
        for row in differences(one, other)
    )
    same = not any(row.moved for row in rows) and one.words == other.words
    return ProfileChange(
        words_before=one.words, words_after=other.words, same=same, measures=rows, said=_said(one, other, rows)
    )


def _said(one: VoiceProfile, other: VoiceProfile, rows: tuple[MeasuredChange, ...]) -> str:
    moved = [row for row in rows if row.moved]
    if not moved and one.words == other.words:
        return "nothing that is measured changes."
    differs = [row.measure.replace("_", " ") for row in rows if row.tells == "differs"]
    figures = f"words {one.words} → {other.words}, {len(moved)} of {len(rows)} figures move"
    if differs:
        return f"{figures}, beyond chance: {', '.join(differs)}."
    if any(row.tells == "too short to tell" for row in rows):
        return f"{figures}; the scene is too short to tell whether that means anything."
    return f"{figures}, all within what chance explains."
