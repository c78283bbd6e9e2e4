"""How the rehearsal company judges passages: it counts, quotes, and says that it does not read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from dramaturg.workshop.voice.profile import VoiceProfile, profile_of
from dramaturg.workshop.voice.prose import Prose, read_prose, words_of

if TYPE_CHECKING:
    from dramaturg.workshop.rehearsal.voice_cues import CompanyCue

_FEWEST = 5
_MOST = 18


def company_text(cue: CompanyCue) -> str:
    """The judge's form, filled in with true quotes."""
    told = [{"passage": f"P{place}", "scores": _scores(text)} for place, text in enumerate(cue.passages, start=1)]
    return orjson.dumps({"passages": told}).decode()


def _scores(text: str) -> list[dict[str, object]]:
    prose = read_prose(text)
    profile = profile_of(prose)
    sentences = [one for one in prose.sentences if len(words_of(one)) >= _FEWEST] or list(prose.sentences)
    if not sentences:
        return []
    spoken = [one.text for part in prose.paragraphs for one in part.stretches if one.is_spoken] or sentences
    by_length = sorted(sentences, key=len)
    quotes = {
        "voice_authenticity": sentences[0],
        "prose_quality": by_length[len(by_length) // 2],
        "character_depth": sentences[len(sentences) // 3],
        "dialogue": max(spoken, key=len),
        "rhythm": by_length[0],
        "originality": by_length[-1],
    }
    figures = _figures(profile, prose)
    return [
        {"dimension": name, "score": figures[name][0], "reason": figures[name][1], "quote": _quote(quotes[name])}
        for name in quotes
    ]


def _figures(profile: VoiceProfile, prose: Prose) -> dict[str, tuple[float, str]]:
    """A score near the middle and what was counted for it."""
    spread = profile.sentence_spread or 0.0
    share = profile.dialogue_share.value if profile.dialogue_share else 0.0
    diverse = profile.lexical_diversity.value if profile.lexical_diversity else 0.0
    counted = "Counted, not read"
    return {
        "voice_authenticity": (5.0, f"{counted}: the rehearsal company knows no voice."),
        "prose_quality": (5.0, f"{counted}: {len(prose.sentences)} sentences."),
        "character_depth": (5.0, f"{counted}: the rehearsal company knows no depth."),
        "dialogue": (_near(5 + 4 * (share - 0.3)), f"{counted}: {share:.0%} of the words are spoken."),
        "rhythm": (_near(4 + spread / 6), f"{counted}: sentence lengths vary by {spread:.1f} words."),
        "originality": (_near(4 + 2 * diverse), f"{counted}: {diverse:.0%} of a hundred words are different ones."),
    }


def _near(score: float) -> float:
    return round(min(7.0, max(3.0, score)), 1)


def _quote(sentence: str) -> str:
    return " ".join(sentence.split()[:_MOST])
