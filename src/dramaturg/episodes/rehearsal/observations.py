"""The company as the director of an episode: what to keep of an exchange, and the outcome of a whole talk.

Each claim comes with words that are really in the talk.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import orjson

from dramaturg.episodes.keywords import meant
from dramaturg.episodes.language import ENGLISH, language_of
from dramaturg.episodes.rehearsal.chat import move_of, sentences, told_by
from dramaturg.episodes.stance import sentences_of, stance_at
from dramaturg.kernel.text.words import words

if TYPE_CHECKING:
    from dramaturg.episodes.rehearsal.cues import EvaluationCue, ExtractionCue

_OWN = re.compile(
    r"\b(?:I am|I'm|my|I have|I've|I lost|I love|I was|I live|I work|I came|I want|I need|I never)\b", re.IGNORECASE
)
_HOOK = re.compile(
    r"\b(?:tomorrow|next time|some ?day|one day|I promise|I'll tell you|another time|I'll come back|remind me)\b",
    re.IGNORECASE,
)
_STRONG = re.compile(
    r"\b(?:love|lost|died|never|always|afraid|secret|promise|mother|father|sister|brother|child)\b", re.IGNORECASE
)
_ACCUSES = re.compile(
    r"\b(?:it was (?!not)\w+|\w+ did it|you did it|you (?:took|stole|killed|hid|sold|burned|moved|forged)"
    r"|\w+ (?:took|stole|killed|hid|sold|burned|moved|forged) (?:it|the|that|your)|i accuse|guilty)\b",
    re.IGNORECASE,
)
_BEATS: tuple[tuple[str, str], ...] = (
    ("resolution", r"\b(?:now you know|settled|goodbye|let's leave it|do it gently|it is over|glad that it was you)\b"),
    ("pivot", r"\b(?:ask me the thing|one of us says it|can't unsay|i confess|i did it|it was (?:you|me|i))\b"),
    ("escalation", r"\b(?:closer to it|honestly|careful|be brave|you(?:'re| are) lying|answer me|never told)\b"),
    ("complication", r"\b(?:not quite|isn't quite|don't usually tell|true part|finger near|problem|secret|but)\b"),
)  # fmt: skip
_TONES = {"hostile": ("strained", -0.15, 0.15), "warm": ("warm", 0.1, -0.05), "flirt": ("playful", 0.08, 0.05)}
_TONES |= {"accuse": ("charged", -0.05, 0.2), "question": ("curious", 0.04, 0.0), "about_you": ("curious", 0.05, 0.0)}
_TONES |= {"parting": ("parting", 0.03, -0.05), "statement": ("talking", 0.02, 0.0), "breaker": ("wary", -0.05, 0.05)}
_TONES |= {"silent": ("quiet", 0.0, -0.02)}
_CONFIDES = ("confiding", 0.07, -0.02)
MOST = 2


def extraction_text(cue: ExtractionCue) -> str:
    """An extraction, in the form that models are asked for."""
    said = sentences(cue.said)
    own = [one for one in said if _OWN.search(one) and 4 <= len(one.split()) <= 30 and not one.endswith("?")]
    hooks = [one for one in (*said, *sentences(cue.answered)) if _HOOK.search(one) and len(one.split()) <= 30]
    move = move_of(cue.said)
    tone = _CONFIDES if own and move == "statement" else _TONES.get(move)
    form = {
        "memories": [_kept(f'They said: "{_trimmed(one)}"', one) for one in own[:MOST]],
        "hooks": [_kept(f'Still open: "{_trimmed(one)}"', one) for one in hooks[:1]],
        "relationship": _relationship(tone, said[0] if said else cue.said.strip()),
        "signals": [],
        "beat": _beat(cue),
        "objective": _objective(cue),
    }
    return orjson.dumps(form).decode()


def _relationship(tone: tuple[str, float, float] | None, quote: str) -> dict[str, object]:
    """Every exchange moves it a little, if there are words to show it."""
    if tone is None or not words(quote):
        return {}
    return {"tone": tone[0], "trust": tone[1], "tension": tone[2], "quote": quote}


def _kept(text: str, quote: str) -> dict[str, object]:
    importance = 0.8 if _STRONG.search(quote) else 0.5
    return {"text": text[:500], "quote": quote, "importance": importance, "scope": "character"}


def _trimmed(sentence: str) -> str:
    return sentence.replace('"', "'").strip()


def _beat(cue: ExtractionCue) -> dict[str, str]:
    for name, marks in _BEATS:
        for sentence in (*sentences(cue.answered), *sentences(cue.said)):
            if len(sentence.split()) >= 2 and re.search(marks, sentence, re.IGNORECASE):
                return {"name": name, "quote": sentence}
    return {"name": "", "quote": ""}


def _objective(cue: ExtractionCue) -> dict[str, object]:
    wanted = cue.book.objective
    found = next((one for one in sentences(cue.said) if wanted and _does(one, cue)), "")
    return {"met": bool(found), "confidence": 0.9 if found else 0.0, "quote": found}


def _does(sentence: str, cue: ExtractionCue) -> bool:
    if cue.book.objective_words:
        return meant(sentence, cue.book.objective_words) is not None
    return _accuses(sentence)


def _accuses(sentence: str) -> bool:
    """Whether a sentence says in earnest that somebody did it."""
    for one in sentences_of(sentence):
        found = _ACCUSES.search(one.text)
        if found and stance_at(one, *found.span()) == "asserted":
            return True
    return False


def evaluation_text(cue: EvaluationCue) -> str:
    """An evaluation, in the form that models are asked for."""
    form = {"archetype": _archetype, "summary": _summary, "mystery": _mystery}[cue.kind](cue)
    return orjson.dumps(form).decode()


def _archetype(cue: EvaluationCue) -> dict[str, object]:
    counts = dict(cue.signals)
    raw = {key: sum(counts.get(signal, 0) for signal in signals) for key, signals in cue.book.archetypes}
    whole = max(sum(raw.values()), 1)
    # A player who shows no signal has at least held back.
    scores = {key: round(0.1 + 0.9 * count / whole, 2) for key, count in raw.items()}
    best = (
        max(scores, key=lambda key: scores[key]) if any(raw.values()) else [key for key, _ in cue.book.archetypes][-1]
    )
    scores[best] = max(scores.values()) if any(raw.values()) else 0.5
    speaks = dict(cue.book.archetypes).get(best, ())
    shown = [(signal, quote) for signal, quote in cue.evidence if signal in speaks] or list(cue.evidence)
    if not shown:
        shown = [("few words", one) for one in told_by(cue.talk, True) or [t.text for t in cue.talk if t.by_player]]
    total = sum(raw.values())
    return {
        "archetype": best,
        "confidence": round(min(0.95, 0.4 + 0.08 * total), 2),
        "scores": [{"archetype": key, "score": score} for key, score in scores.items()],
        "primary_signals": [{"signal": signal.replace("_", " "), "quote": quote} for signal, quote in shown[:3]],
        "description": "Judged by the rehearsal company, which counts words and reads no hearts.",
    }


def _summary(cue: EvaluationCue) -> dict[str, object]:
    """What was said first, in the middle and last, and nothing about what it meant.

    Its own words around the quotations are English, so in another language the quotations stand alone.
    """
    name = cue.book.character.name
    said = [one for one in told_by(cue.talk, True) if len(one.split()) >= 2]
    answered = [one for one in told_by(cue.talk, False) if len(one.split()) >= 3]
    told = [("It began with the words", "How it began.", one) for one in said[:1]]
    told += [(f"{name} said:", f"{name} answers.", one) for one in answered[len(answered) // 2 :][:1]]
    told += [("At the end there was", "Where it came to.", one) for one in said[1:][-1:]]
    if language_of(" ".join((*answered, *said)), cue.book.material.language) == ENGLISH:
        parts = [f'{frame} "{_trimmed(words)}"' for frame, _, words in told]
        ended = [part if part[-2:-1] in ".!?…" else f"{part}." for part in parts]
        summary, labels = " ".join((f"They talked with {name}.", *ended)), [label for _, label, _ in told]
    else:
        summary, labels = " … ".join(f'"{_trimmed(words)}"' for _, _, words in told), ["…" for _ in told]
    moments = [{"text": label, "quote": words} for label, (_, _, words) in zip(labels, told, strict=True)]
    return {"summary": summary[:2000], "key_moments": moments, "emotional_arc": ""}


def _mystery(cue: EvaluationCue) -> dict[str, object]:
    everything = [sentence for one in cue.talk for sentence in sentences(one.text)]
    clues = []
    for clue_id, text, keywords in cue.book.clues:
        shown = next((one for one in everything if any(word.casefold() in one.casefold() for word in keywords)), "")
        shown = shown or next((one for one in everything if one.rstrip(".") == text.rstrip(".")), "")
        if shown:
            clues.append({"id": clue_id, "quote": shown})
    theory = next((one for one in reversed(told_by(cue.talk, True)) if _accuses(one)), "")
    said = f'They believe: "{_trimmed(theory)}"' if theory else ""
    return {"clues": clues, "theory": said, "theory_quote": theory}
