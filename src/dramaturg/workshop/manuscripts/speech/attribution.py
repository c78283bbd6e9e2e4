"""Attributes quoted lines to speakers: by an explicit tag first, then by turns, else not at all.

Each attribution has its reason. A description (`said the girl`) is told and is not certain to be one person. A pronoun
is never taken for a name: a line that only `she said` introduces is given
to somebody only if the turns of the conversation say who, and is not certain even then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from dramaturg.workshop.dialogue.tags import SpeechTag, tag_after, tag_before
from dramaturg.workshop.manuscripts.speech.names_spoken import SpokenName, people
from dramaturg.workshop.manuscripts.speech.quotations import Quotation, quotations, style_of

How = Literal["tag", "paragraph", "continued", "beat", "turn", "none"]
LONGEST_ASIDE = 60
"""A paragraph with more words of narration than this is about more than who speaks."""
FEWEST_TAGS = 2
_SENTENCE_ENDS = ("", ".", "!", "?", "…", "”", '"', "»", "」")
_CLOSING = (",", "!", "?", "—", "–", "-", "…", ".", "")
MOST_TURNS = 3
"""How many turns in a row are counted on from lines whose speakers are known."""


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """A quoted line and its speaker, None if nobody can be named; `how` and `reason` say why."""

    paragraph: int
    start: int
    end: int
    text: str
    speaker: str | None
    how: How
    reason: str
    is_certain: bool = False


@dataclass(frozen=True, slots=True)
class Speech:
    """The quoted lines of a text, and the people who speak in it."""

    lines: tuple[SpokenLine, ...]
    people: tuple[SpokenName, ...]


def attributed(paragraphs: Sequence[str], known: Mapping[str, str] | None = None) -> Speech:
    """The lines of a text with their speakers. `known` gives the name of a character for each of its aliases."""
    style = style_of(paragraphs)
    found = tuple(quotations(paragraphs, style))
    tags = tuple(_tags(paragraphs, found))
    spoken = people((tag.who for tag in tags if tag is not None and tag.is_name), known or {})
    whole = {alias: one.name for one in spoken for alias in (one.name, *one.aliases)}
    lines = [_tagged(one, tag, whole) for one, tag in zip(found, tags, strict=True)]
    lines = _same_paragraph(lines)
    lines = _continued(lines, found)
    often = {alias for one in spoken if one.tags >= FEWEST_TAGS for alias in (one.name, *one.aliases)}
    lines = _beats(lines, found, paragraphs, often, whole)
    lines = _turns(lines)
    return Speech(tuple(lines), spoken)


def _tags(paragraphs: Sequence[str], found: Sequence[Quotation]) -> Iterator[SpeechTag | None]:
    for number, one in enumerate(found):
        text = paragraphs[one.paragraph]
        after_end = found[number + 1].start - 1 if _is_next(found, number) else len(text)
        before_start = found[number - 1].end + 1 if number and _is_next(found, number - 1) else 0
        after = text[min(len(text), one.end + 1) : after_end]
        closes = one.is_dashed or one.text.rstrip()[-1:] in _CLOSING or after.lstrip()[:1] == ","
        tag = tag_after(after) if closes else None
        if tag is not None and after[:2].lstrip()[:1].isupper() and one.text.rstrip()[-1:] == "." and not tag.is_name:
            tag = None
        if tag is None and before_start < one.start - 1:
            tag = tag_before(text[before_start : one.start - 1])
        yield tag


def _is_next(found: Sequence[Quotation], number: int) -> bool:
    return number + 1 < len(found) and found[number + 1].paragraph == found[number].paragraph


def _tagged(one: Quotation, tag: SpeechTag | None, whole: Mapping[str, str]) -> SpokenLine:
    line = SpokenLine(one.paragraph, one.start, one.end, one.text, None, "none", "nothing says who speaks")
    if tag is None:
        return line
    if tag.is_pronoun:
        return replace(line, reason=f"“{tag.words}” names nobody")
    name = whole.get(tag.who, tag.who)
    return replace(line, speaker=name, how="tag", reason=f"“{tag.words}”", is_certain=tag.is_name)


def _same_paragraph(lines: Sequence[SpokenLine]) -> list[SpokenLine]:
    """Lines of a paragraph in which exactly one is named belong to that one."""
    named: dict[int, dict[str, bool]] = {}
    for line in lines:
        if line.speaker is not None:
            named.setdefault(line.paragraph, {})[line.speaker] = line.is_certain
    done: list[SpokenLine] = []
    for line in lines:
        who = named.get(line.paragraph, {})
        if line.speaker is None and len(who) == 1:
            ((name, sure),) = who.items()
            reason = "same paragraph as a tagged line"
            line = replace(line, speaker=name, how="paragraph", reason=reason, is_certain=sure)
        done.append(line)
    return done


def _continued(lines: Sequence[SpokenLine], found: Sequence[Quotation]) -> list[SpokenLine]:
    """A line that was not closed goes on in the next paragraph."""
    done = list(lines)
    for number in range(1, len(done)):
        before, line = done[number - 1], done[number]
        follows = found[number - 1].is_open and line.paragraph == before.paragraph + 1
        if follows and line.speaker is None and before.speaker is not None:
            done[number] = replace(
                line,
                speaker=before.speaker,
                how="continued",
                reason="goes on from the paragraph before",
                is_certain=before.is_certain,
            )
    for number in range(len(done) - 2, -1, -1):
        line, after = done[number], done[number + 1]
        follows = found[number].is_open and after.paragraph == line.paragraph + 1
        if follows and line.speaker is None and after.speaker is not None:
            done[number] = replace(
                line,
                speaker=after.speaker,
                how="continued",
                reason="goes on in the next paragraph",
                is_certain=after.is_certain,
            )
    return done


def _beats(
    lines: Sequence[SpokenLine],
    found: Sequence[Quotation],
    paragraphs: Sequence[str],
    names: set[str],
    whole: Mapping[str, str],
) -> list[SpokenLine]:
    """A paragraph whose narration is about one person alone, who begins a sentence of it, is that person's."""
    if not names:
        return list(lines)
    pattern = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, names), key=len, reverse=True))})\b(?!['’]s\b)")
    spans: dict[int, list[Quotation]] = {}
    for one in found:
        spans.setdefault(one.paragraph, []).append(one)
    done: list[SpokenLine] = []
    for line in lines:
        if line.speaker is None and (who := _actor(paragraphs[line.paragraph], spans[line.paragraph], pattern)):
            name = whole.get(who, who)
            line = replace(line, speaker=name, how="beat", reason=f"{name} acts in the same paragraph")
        done.append(line)
    return done


def _actor(text: str, spans: Sequence[Quotation], pattern: re.Pattern[str]) -> str:
    outside = list(text)
    for one in spans:
        outside[one.start : one.end] = "\0" * (one.end - one.start)
    told = "".join(outside)
    if len(told.replace("\0", "").split()) > LONGEST_ASIDE:
        return ""
    places = list(pattern.finditer(told))
    if len({found[0] for found in places}) != 1:
        return ""
    begins = any(told[: found.start()].rstrip()[-1:] in _SENTENCE_ENDS for found in places)
    return places[0][0] if begins else ""


def _turns(lines: Sequence[SpokenLine]) -> list[SpokenLine]:
    """In a conversation of two, a paragraph that names nobody belongs to whoever spoke the one before the last."""
    done = list(lines)
    groups: list[list[int]] = []
    for number, line in enumerate(done):
        if groups and done[groups[-1][0]].paragraph == line.paragraph:
            groups[-1].append(number)
        else:
            groups.append([number])
    for talk in _conversations(groups, done):
        speakers = [done[group[0]].speaker for group in talk]
        named = {who for who in speakers if who is not None}
        if len(named) != 2:
            continue
        for group, who in zip(talk, _alternating(speakers), strict=True):
            for number in group:
                line = done[number]
                if line.speaker is None and who is not None and not _addresses(line.text, who):
                    other = next(iter(named - {who}), "")
                    done[number] = replace(line, speaker=who, how="turn", reason=f"takes turns with {other}")
    return done


def _alternating(speakers: Sequence[str | None]) -> list[str | None]:
    """The speakers of a conversation of two, filled in a few turns from two neighbours that are known."""
    filled = list(speakers)
    for step in (1, -1):
        guessed = 0
        for at in range(len(filled)) if step > 0 else range(len(filled) - 1, -1, -1):
            one, two = at - step, at - 2 * step
            if filled[at] is not None:
                guessed = 0
            elif min(one, two) < 0 or max(one, two) >= len(filled) or guessed >= MOST_TURNS:
                continue
            elif filled[two] is not None and filled[one] not in (None, filled[two]):
                filled[at] = filled[two]
                guessed += 1
    return filled


def _conversations(groups: Sequence[list[int]], lines: Sequence[SpokenLine]) -> Iterator[list[list[int]]]:
    """Runs of paragraphs that speak, one right after the other."""
    talk: list[list[int]] = []
    for group in groups:
        if talk and lines[group[0]].paragraph - lines[talk[-1][0]].paragraph > 1:
            yield talk
            talk = []
        talk.append(group)
    if talk:
        yield talk


def _addresses(text: str, who: str) -> bool:
    """Whether a line speaks to somebody by this name."""
    last = who.split()[-1]
    return bool(re.search(rf"(?:^|,\s*){re.escape(last)}\s*[,.!?]", text))
