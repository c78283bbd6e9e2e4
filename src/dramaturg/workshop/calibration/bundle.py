"""The three files of a voice bundle, as texts: what this tournament found, in the words of its judge and its writer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import orjson

from dramaturg.kernel.models.profiles import is_stand_in
from dramaturg.kernel.text.tables import table
from dramaturg.workshop.book.bible import BEATS, Beat, BiblePage
from dramaturg.workshop.book.voice_files import GOLD, GUIDE, SHEET
from dramaturg.workshop.calibration.contest import OWN_CELL, VoiceReport
from dramaturg.workshop.calibration.tournament.scores import DIMENSIONS
from dramaturg.workshop.voice.antipatterns import RuleCount, RuleReport
from dramaturg.workshop.voice.profile import MARKS, VoiceProfile
from dramaturg.workshop.voice.rules import Rule

LONGEST_SUMMARY = 400
NO_ARC = "The story bible does not say yet where the protagonist is."


class Phase(NamedTuple):
    """A part of the book: its beats, the field of the arc that it shows, and what becomes of the voice in it."""

    title: str
    beats: tuple[int, ...]
    arc: str
    voice: str


@cache
def phases() -> tuple[Phase, ...]:
    """The parts of a book, in order."""
    raw = table(__package__, "phases.toml")
    return tuple(Phase(one["title"], tuple(one["beats"]), one["arc"], one["voice"]) for one in raw["phase"])


def bundle_texts(
    report: VoiceReport, pages: Sequence[BiblePage], rules: Sequence[Rule], own: RuleReport | None
) -> Mapping[str, str]:
    """The files by name. `own` are the writer's earlier pages measured against the rules, if there are any."""
    fields = {f"{page.template}.{name}": text for page in pages for name, text in page.fields.items()}
    return {
        GOLD: gold_standard(report),
        SHEET: antipattern_sheet(report, rules, own),
        GUIDE: evolution_guide(report, fields),
    }


def gold_standard(report: VoiceReport) -> str:
    """The winning passage, why it won, its summary and its measured profile."""
    winner = report.winner
    matter = {
        "agent": winner.agent,
        "strategy": winner.strategy,
        "tournament": report.tournament,
        "locked": False,
        "summary": summary_of(report),
    }
    head = "".join(f"{name}: {orjson.dumps(value).decode()}\n" for name, value in matter.items())
    parts = ["# Voice gold standard", "## Passage", winner.text.strip(), "## Analysis", *_analysis(report)]
    parts += ["## Summary", summary_of(report), "## Measured profile", "\n".join(profile_lines(winner.profile))]
    return f"---\n{head}---\n\n" + "\n\n".join(parts) + "\n"


def summary_of(report: VoiceReport) -> str:
    """The voice in two or three sentences: what can be counted, and what the writer said."""
    profile = report.winner.profile
    told = []
    if profile.sentence_length:
        spread = f", varying by {profile.sentence_spread:g}" if profile.sentence_spread is not None else ""
        told.append(f"Sentences of about {profile.sentence_length.value:.0f} words{spread}.")
    if profile.dialogue_share:
        told.append(f"{profile.dialogue_share.value:.0%} of the words are spoken.")
    scored = [one for one in (report.winner.judged.dimensions if report.winner.judged else ()) if one.score is not None]
    if scored:
        best = max(scored, key=lambda one: one.score or 0.0)
        told.append(f"Strongest in {best.dimension.replace('_', ' ')}.")
    if report.notes:
        told.append(f"The writer: {' '.join(report.notes.split())}")
    return " ".join(told)[:LONGEST_SUMMARY]


def profile_lines(profile: VoiceProfile) -> list[str]:
    """The measures with their bands, one a line."""
    rows: list[tuple[str, object]] = [
        ("words", f"{profile.words:,}"),
        ("words a sentence", profile.sentence_length),
        ("short sentences", profile.short_sentences),
        ("long sentences", profile.long_sentences),
        ("spoken words", profile.dialogue_share),
        ("different words in a hundred", profile.lexical_diversity),
        ("function words", profile.function_word_share),
        ("anti-patterns per 1,000 words", profile.antipattern_hits),
        *((f"{mark} per 1,000 words", profile.punctuation.get(mark)) for mark in MARKS),
    ]
    lines = [f"{name}: {'not measured' if value is None else value}" for name, value in rows]
    return [*lines, *profile.abstains]


def antipattern_sheet(report: VoiceReport, rules: Sequence[Rule], own: RuleReport | None) -> str:
    """What to avoid: the writer's bans and dislikes, what the other passages did, and the rules."""
    lost = _only_the_others_do(report)
    banned = [_rule_line(rule) for rule in rules if rule.by_writer and rule.severity == "zero_tolerance"]
    minded = [_rule_line(rule) for rule in rules if rule.by_writer and rule.severity == "deduction"]
    shown = {count.rule for count, _ in lost}
    left = [rule for rule in rules if not rule.by_writer and rule.id not in shown]
    house = {one: [_rule_line(rule) for rule in left if rule.severity == one] for one in _BOTH}
    strict = [*banned, *(line for count, line in lost if count.severity == "zero_tolerance"), *house["zero_tolerance"]]
    counted = [*report.dislikes, *minded, *(line for count, line in lost if count.severity == "deduction")]
    counted += house["deduction"]
    parts = ["# Anti-patterns of this voice", "## Zero tolerance", _items(strict), "## Deduction", _items(counted)]
    parts += ["## In your own earlier pages", _own_pages(own)]
    return "\n\n".join(parts) + "\n"


_BOTH = ("zero_tolerance", "deduction")


def evolution_guide(report: VoiceReport, fields: Mapping[str, str]) -> str:
    """How the voice changes through the acts, by this book's beats and its protagonist's arc."""
    profile = report.winner.profile
    parts = [
        "# How the voice changes",
        "The gold standard is the voice of act one. From there it moves as the book does.",
    ]
    if profile.sentence_length:
        band = profile.sentence_length
        parts.append(f"Measured at the start: {band.value:.0f} words a sentence ({band.low:.0f} to {band.high:.0f}).")
    for phase in phases():
        arc = fields.get(f"protagonist.{phase.arc}", "").strip()
        beats = [_beat_line(beat, fields) for beat in BEATS if beat.number in phase.beats]
        told = f"Where the protagonist is: {_one_line(arc)}" if arc else NO_ARC
        parts += [f"## {phase.title}", phase.voice, told, "\n".join(beats)]
    if theme := fields.get("theme.theme_statement", "").strip():
        parts += ["## What it must never say outright", _one_line(theme)]
    return "\n\n".join(parts) + "\n"


def _beat_line(beat: Beat, fields: Mapping[str, str]) -> str:
    told = _one_line(fields.get(f"beat_sheet.beat_{beat.number}", ""))
    return f"- {beat.number}. {beat.name}: {told or 'not in the beat sheet yet'}"


def _analysis(report: VoiceReport) -> list[str]:
    winner = report.winner
    told = []
    if is_stand_in(winner.agent):
        told.append("The rehearsal company wrote and judged this: it shows the way, and is no voice for a book.")
    if winner.judged is None:
        told.append("It is the writer's own page; no judge has seen it.")
    for one in winner.judged.dimensions if winner.judged else ():
        name = DIMENSIONS[one.dimension].partition(":")[0]
        if one.score is None:
            told.append(f"**{name}**: unscored ({'; '.join(one.refused) or 'the judge said nothing of it'}).")
            continue
        apart = f", {one.apart:g} apart" if one.apart else ""
        told.append(
            f"**{name}**: {one.score:g} of 10 (seen {one.seen} times{apart}). {' '.join(dict.fromkeys(one.reasons))}"
        )
        told += [f"> {quote}" for quote in dict.fromkeys(one.quotes)]
    if report.notes:
        told.append(f"**the writer**: {report.notes.strip()}")
    return told


def _only_the_others_do(report: VoiceReport) -> list[tuple[RuleCount, str]]:
    """Rules that passages which were not chosen break and the chosen one does not, each with a place."""
    held = {one.rule for one in report.winner.broken}
    found: dict[str, tuple[RuleCount, str]] = {}
    for passage in (one for one in report.passages if one.cell not in (OWN_CELL, report.winner.cell)):
        for count in passage.broken:
            if count.rule not in held and count.rule not in found and count.quotes:
                found[count.rule] = (count, f"{count.says}, as in “{_one_line(count.quotes[0].quote)}” (not chosen)")
    return list(found.values())


def _rule_line(rule: Rule) -> str:
    allowed = f", no more than {10 * rule.per_1000:g} in 10,000 words" if rule.per_1000 else ""
    return f"{rule.says.rstrip('.')}{f' ({rule.where})' if rule.where else ''}{allowed}"


def _own_pages(own: RuleReport | None) -> str:
    if own is None:
        return "There are none yet: nothing is known of what you do yourself."
    if not own.counts:
        return f"Nothing of the above in {own.words:,} words."
    rows = [
        f"{one.says}: {one.hits} in {own.words:,} words{', which is more than the rule allows' if one.over else ''}"
        for one in own.counts
    ]
    return "\n".join(rows)


def _items(lines: Sequence[str]) -> str:
    return "\n".join(f"- {_one_line(line)}" for line in dict.fromkeys(lines)) or "Nothing yet."


def _one_line(text: str) -> str:
    return " ".join(text.split())
