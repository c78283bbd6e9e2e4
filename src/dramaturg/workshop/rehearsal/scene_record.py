"""A scene read by the rehearsal company: known names, sharp words, and shared words. It is poor, and quotes truly."""

from __future__ import annotations

import re
from dataclasses import dataclass
from statistics import fmean

import orjson

from dramaturg.kernel.models.port import Cue, CueAnswer
from dramaturg.kernel.text.tension import tension_of
from dramaturg.kernel.text.words import content, words
from dramaturg.workshop.graph.names import NameIndex, words_in_lower_case

MOST_SENTENCES = 400
FEWEST_WORDS, FEWEST_SHARED, LONG_WORD = 3, 2, 5
_SENTENCE = re.compile(r"[^.!?…\n]{1,400}[.!?…]?")


@dataclass(frozen=True, slots=True)
class SceneRecordCue(Cue):
    """Read a scene: its text, the names that are known, the flaw and the theme."""

    text: str
    names: tuple[str, ...] = ()
    flaw: str = ""
    theme: str = ""

    def answer(self) -> CueAnswer:
        return CueAnswer.composed(record_text(self))


def record_text(cue: SceneRecordCue) -> str:
    """The record as JSON, in the form that a model is asked for."""
    sentences = [part for found in _SENTENCE.finditer(cue.text) if len(words(part := found[0].strip())) >= FEWEST_WORDS]
    sentences = sentences[:MOST_SENTENCES]
    said: dict[str, object] = {"kind": "scene", "cast": _cast(cue, sentences)}
    if sentences:
        levels = [(tension_of(one), one) for one in sentences]
        value = round(10 * min(1.0, 2 * (fmean(level for level, _ in levels) - 0.3) + max(levels)[0] - 0.35), 1)
        said["tension"] = {"value": max(0.0, value), "quote": max(levels)[1]}
    if flaw := _about(cue.flaw, sentences):
        said["flaw_challenged"] = {"value": True, "quote": flaw}
    if theme := _about(cue.theme, sentences):
        said["theme"] = {"value": 6, "quote": theme}
    return orjson.dumps(said).decode()


def _cast(cue: SceneRecordCue, sentences: list[str]) -> list[dict[str, str]]:
    """Those whom the scene names more than once, with the first sentence that does."""
    index = NameIndex((*cue.names, *(part for name in cue.names for part in name.split())),
                      words=words_in_lower_case(cue.text))  # fmt: skip
    seen: dict[str, list[str]] = {}
    for sentence in sentences:
        for found in index.find(sentence):
            whole = next((name for name in cue.names if found.name in name), found.name)
            seen.setdefault(whole, []).append(sentence)
    return [{"name": name, "quote": held[0]} for name, held in seen.items() if len(held) > 1]


def _about(subject: str, sentences: list[str]) -> str:
    """The sentence that shares the most long words with a subject, if it shares two; else nothing is claimed."""
    wanted = _long(subject)
    best = max(sentences, key=lambda one: len(wanted & _long(one)), default="")
    return best if len(wanted & _long(best)) >= FEWEST_SHARED else ""


def _long(text: str) -> frozenset[str]:
    return frozenset(word for word in content(text) if len(word) >= LONG_WORD)
