"""Who can hear what: present, addressed aside, off stage, or without the language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dramaturg.kernel.text.words import content
from dramaturg.scenes.director.names import CastNames
from dramaturg.scenes.events import CastMember
from dramaturg.scenes.line import Line

_NOBODY_ELSE = frozenset(
    (
        "self|oneself|himself|herself|itself|themself|themselves|myself|nobody|no one|no one in particular|"
        "audience|the audience|reader|the reader|camera"
    ).split("|")
)
ENGLISH = "English"
"""Spoken where neither the card nor the scene names a language."""


def as_spoken(line: Line, speaker: CastMember, cast: Sequence[CastMember], on_stage: Iterable[str]) -> Line:
    """The line with who could not hear it and who could not understand it. Names are display names."""
    everybody_here = len(set(on_stage) | {speaker.name}) == len(cast)
    if everybody_here and not line.aside and not line.language and _one_tongue(speaker, cast):
        return line
    here = set(on_stage) | {speaker.name}
    others = [member for member in cast if member.name != speaker.name]
    meant = addressees(line.target, speaker, cast) if line.aside else None
    if meant is None:
        unheard = [m for m in others if m.name not in here]
    else:
        unheard = [m for m in others if m.name not in here or m not in meant]
    language = line.language or speaker.languages[0]
    foreign = [m for m in others if m not in unheard and line.content and not understands(m, language)]
    return line.model_copy(
        update={
            "aside": meant is not None,
            "unheard_by": tuple(m.display_name for m in unheard),
            "foreign_to": tuple(m.display_name for m in foreign),
            "language": language if foreign or line.language else None,
        }
    )


def addressees(target: str | None, speaker: CastMember, cast: Sequence[CastMember]) -> tuple[CastMember, ...] | None:
    """Whom an aside is for: those it names, or the one whose role it describes; none for one to oneself or unaddressed.

    None if that is nobody of the cast: then it is no aside, and everybody hears it.
    """
    if not (target or "").strip():
        return ()
    others = [member for member in cast if member.name != speaker.name]
    exact = [member for member in others if _is(member, target)]
    if exact:
        return tuple(exact)
    wanted = target or ""
    names = CastNames(tuple(member.display_name for member in cast))
    named = names.find(wanted)
    meant = tuple(m for m in others if m.display_name in named or names.may_mean(wanted, m.display_name))
    if meant or speaker.display_name in named or wanted.casefold().strip(" .") in _NOBODY_ELSE:
        return meant
    described = frozenset(content(wanted))
    likeness = {member.name: len(described.intersection(content(member.role))) for member in others}
    most = max(likeness.values(), default=0)
    alike = tuple(member for member in others if most and likeness[member.name] == most)
    return alike if len(alike) == 1 else None


def _one_tongue(speaker: CastMember, cast: Sequence[CastMember]) -> bool:
    """Whether all the others understand what the speaker speaks."""
    spoken = speaker.languages[0]
    return all(spoken in member.languages or understands(member, spoken) for member in cast)


def happened(line: Line, cast: Sequence[CastMember], on_stage: Iterable[str]) -> Line:
    """A world event, noticed only by those present."""
    here = set(on_stage)
    away = tuple(member.display_name for member in cast if member.name not in here)
    return line.model_copy(update={"unheard_by": away})


def as_heard(line: Line, name: str) -> Line | None:
    """The line as this character (by display name) heard it; None if it did not."""
    if line.speaker == name:
        return line
    if name in line.unheard_by:
        return None
    if name in line.foreign_to:
        return line.model_copy(update={"content": f"(speaks {line.language})", "gloss": None, "interrupt_after": "…"})
    return line.model_copy(update={"gloss": None}) if line.gloss else line


def heard_by(name: str, lines: Iterable[Line]) -> tuple[Line, ...]:
    """A character's own transcript."""
    own = (as_heard(line, name) for line in lines)
    return tuple(line for line in own if line is not None)


def told_to(name: str, lines: Sequence[Line], parted: Mapping[int, str], beat: int) -> tuple[Line, ...]:
    """What a character (by display name) has been told at the cue of a beat, in the order it was told.

    A line in two parts is told up to its break at the first cue, when its speaker is still speaking, and to its end at
    the next, unless somebody cut in; then its speaker is told so. What was told once is never told otherwise, so a
    thread only grows.
    """
    heard = heard_by(name, lines)
    if not parted:
        return heard
    told: list[Line] = []
    rests: list[Line] = []
    for line in heard:
        if rests and line.beat > rests[0].beat:
            told += rests
            rests = []
        first = parted.get(line.number)
        if first is not None and line.speaker == name and line.cut_by is not None:
            told.append(line.model_copy(update={"cut_by": None}))
            rests.append(line)
            continue
        if first is None or line.speaker == name or line.cut_by is not None or not line.content.startswith(first):
            told.append(line)
            continue
        told.append(line.model_copy(update={"content": first, "still_speaking": line.beat == beat - 1}))
        if line.beat < beat - 1:
            rests.append(line.model_copy(update={"content": line.content[len(first) :].strip(), "goes_on": True}))
    return (*told, *rests)


def understands(member: CastMember, language: str) -> bool:
    return _code(language) in {_code(known) for known in member.languages}


def same_language(one: str, other: str) -> bool:
    return _code(one) == _code(other)


def is_english(languages: Sequence[str]) -> bool:
    return {_code(language) for language in languages} == {"en"}


def _is(member: CastMember, target: str | None) -> bool:
    wanted = (target or "").casefold()
    return bool(wanted) and wanted in (member.display_name.casefold(), member.name.casefold())


_CODES = {
    "english": "en", "french": "fr", "german": "de", "spanish": "es", "italian": "it", "portuguese": "pt",
    "russian": "ru", "chinese": "zh", "mandarin": "zh", "japanese": "ja", "korean": "ko", "arabic": "ar",
    "dutch": "nl", "polish": "pl", "turkish": "tr", "swedish": "sv", "greek": "el", "hindi": "hi", "latin": "la",
}  # fmt: skip


def _code(language: str) -> str:
    """'French', 'fr' and 'fr-CA' are one language."""
    plain = language.strip().casefold()
    return _CODES.get(plain, plain.partition("-")[0])
