"""Reads a rehearsal: a scene in the domain's own words, with what must stand in the transcript at its end.

    scene: heated-discussion        cast: alice, bob, charlie
    prompt: Alice confronts Bob. Scene goal: Bob apologizes, Alice accepts.
    beat 0
      alice   @0.5  [TONE: angry] "You missed it."
    beat 1
      bob     @1.0  [TONE: defensive] "Look, I can explain what happened"
      charlie @30   (times out)
      judge   1 met by Bob: "I can explain"
    expect
      Alice [TONE: angry] "You missed it."
    end: stalled
    error: charlie at 1: Response timeout after 30s

Who is not mentioned at a beat is silent. `judge natural end` and `judge (answers nonsense)` are understood too.
`speaks: bob French`, `enters: bob 2`, `leaves: bob 5` and `secret: bob: He took it.` set a character up; a section
`heard by bob` is the transcript as that character had it, and `leak: 4 by Bob of secret of Alice` what the audit found.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from dramaturg.kernel.errors import ModelTimeout
from dramaturg.kernel.models.port import ModelAnswer, ModelRequest

_SAYS = re.compile(r"(\w+)\s+@([\d.]+)\s+(.*)")
_MET = re.compile(r'(\d+) met by ([\w ]+): "(.*)"')
_ERROR = re.compile(r"(\w+) at (\d+): (.*)")


@dataclass
class Beat:
    says: dict[str, tuple[float, str]] = field(default_factory=dict)
    judge: list[str] = field(default_factory=list)


@dataclass
class Rehearsal:
    name: str = ""
    cast: list[str] = field(default_factory=list)
    prompt: str = "They talk."
    opener: str | None = None
    max_beats: int = 50
    events: list[dict[str, object]] = field(default_factory=list)
    beats: dict[int, Beat] = field(default_factory=dict)
    expected: list[str] = field(default_factory=list)
    end: str = ""
    errors: list[tuple[str, int, str]] = field(default_factory=list)
    heard: dict[str, list[str]] = field(default_factory=dict)
    leaks: list[str] = field(default_factory=list)
    languages: dict[str, str] = field(default_factory=dict)
    parts: dict[str, dict[str, object]] = field(default_factory=dict)

    def config(self) -> dict[str, object]:
        config: dict[str, object] = {"name": self.name, "prompt": self.prompt, "characters": self.cast}
        config |= {"maxBeats": self.max_beats, "events": self.events, "parts": self.parts, "lookahead": False}
        return config | ({"initialSpeaker": self.opener} if self.opener else {})

    def answer(self, request: ModelRequest) -> ModelAnswer | Exception:
        """The script's answer to the request of this key: `beat-3/bob` or `beat-3/judge`."""
        number, who = re.fullmatch(r"beat-(\d+)/([\w ]+)(?:#repair)?", request.key).groups()
        beat = self.beats.get(int(number), Beat())
        if who == "judge":
            return _answered(_judgement(beat.judge), 0.0)
        at, words = beat.says.get(who, (0.0, "[SILENT]"))
        if words == "(times out)":
            return ModelTimeout(f"Response timeout after {at:g}s")
        return _answered(words.replace("\\n", "\n"), at)


def read_rehearsal(text: str) -> Rehearsal:
    rehearsal = Rehearsal()
    section, beat, listener = "head", Beat(), ""
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not line.startswith(" "):
            section = line.split()[0].rstrip(":")
            if section == "heard":
                listener = line.split()[2]
            elif section == "beat":
                beat = rehearsal.beats.setdefault(int(line.split()[1]), Beat())
            _head(line, rehearsal)
        elif section == "expect":
            rehearsal.expected.append(line.strip())
        elif section == "heard":
            rehearsal.heard.setdefault(listener, []).append(line.strip())
        elif section == "beat":
            _speak(line.strip(), beat)
    return rehearsal


def _head(line: str, rehearsal: Rehearsal) -> None:
    key, _, value = line.partition(":")
    value = value.strip()
    if key == "scene":
        rehearsal.name, _, cast = (part.strip() for part in value.partition("cast:"))
        rehearsal.cast = [name.strip() for name in cast.split(",")]
    elif key in ("prompt", "opener", "end"):
        setattr(rehearsal, key, value)
    elif key == "max beats":
        rehearsal.max_beats = int(value)
    elif key == "event":
        at, _, happening = value.partition(":")
        rehearsal.events.append({"beat": int(at), "text": happening.strip()})
    elif key == "leak":
        rehearsal.leaks.append(value)
    elif key == "speaks":
        who, _, language = value.partition(" ")
        rehearsal.languages[who] = language
    elif key in ("enters", "leaves"):
        who, at = value.split()
        rehearsal.parts.setdefault(who, {})[key] = int(at)
    elif key == "secret":
        who, _, secret = value.partition(":")
        rehearsal.parts.setdefault(who, {})["secrets"] = [secret.strip()]
    elif key == "error":
        who, at, why = _ERROR.fullmatch(value).groups()
        rehearsal.errors.append((who, int(at), why))


def _speak(line: str, beat: Beat) -> None:
    if line.startswith("judge"):
        beat.judge.append(line.removeprefix("judge").strip())
        return
    who, at, words = _SAYS.fullmatch(line).groups()
    beat.says[who] = (float(at), words)


def _judgement(words: list[str]) -> str:
    if "(answers nonsense)" in words:
        return "The stars are in favour of this scene."
    met = [_MET.fullmatch(word) for word in words]
    goals = [{"id": int(m[1]), "met": True, "speaker": m[2], "quote": m[3]} for m in met if m]
    return json.dumps({"goals": goals, "confidence": 0.9, "natural_end": "natural end" in words})


def _answered(text: str, at: float) -> ModelAnswer:
    return ModelAnswer(text=text, model="scripted", cost_usd=0.0, arrived_at=at)
