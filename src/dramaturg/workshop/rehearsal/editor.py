"""The rehearsal company's editor: it counts words and knows a handful of habits. It is poor, and says so.

Every quotation is true: it is cut from the scene.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from dramaturg.workshop.rehearsal.revision_cues import PatchCue, VerdictCue

POOR = "The rehearsal company counts and does not read"
MOST_PATCHES = 4
LONG_PARAGRAPH = 110
_SENTENCE = re.compile(r"[^.!?…\n]{1,600}[.!?…]{1,3}[\"”’»)]?")
_FILLER = re.compile(r"\b(very|really|just|suddenly|quite|rather|somehow)[ ]", re.I)
_WORDY = re.compile(r"\bin order to\b")
_TAG = re.compile(r"\b(said|asked|answered|replied|whispered) ([a-z]{2,20}ly)\b")
_TWICE = re.compile(r"\b(\w{2,20}) \1\b", re.I)
Change = tuple[str, str, str, str]


def verdict_text(cue: VerdictCue) -> str:
    """The judge's form: a band from what was counted, with the words it was counted in."""
    sentences = [one for paragraph in cue.paragraphs for one in _sentences(paragraph) if len(one.split()) >= 5]
    if not sentences:
        return orjson.dumps({"band": "abstain", "because": f"{POOR}: there is no whole sentence to quote."}).decode()
    if cue.dimension != "prose_quality":
        because = f"{POOR}: it cannot tell {cue.dimension.replace('_', ' ')}."
        return orjson.dumps({"band": "abstain", "because": because, "evidence": [_short(sentences[0])]}).decode()
    dense = 1000 * cue.hits / max(1, cue.words)
    band = "sound" if dense < 3 else "uneven" if dense < 10 else "weak"
    filled = [one for one in sentences if _FILLER.search(one)]
    issues = [{"quote": _short(one), "issue": "a filler word"} for one in filled[:MOST_PATCHES]]
    because = f"{POOR}: {cue.hits} anti-patterns in {cue.words} words."
    found = {"band": band, "because": because, "evidence": [_short(one) for one in sentences[:2]], "issues": issues}
    return orjson.dumps(found).decode()


def patches_text(cue: PatchCue) -> str:
    """The changes of a pass in the protocol of patches; a sentence instead where there are none."""
    changes = list(_changes(cue))[:MOST_PATCHES]
    if not changes:
        return f"{POOR}: nothing to change in this pass."
    return "\n".join(
        f"<patch>\n<old>{old}</old>\n<new>{new}</new>\n<reason>{POOR}: {why}</reason>\n<issue>{issue}</issue>\n</patch>"
        for old, new, why, issue in changes
    )


def _changes(cue: PatchCue) -> Iterator[Change]:
    if cue.pass_name == "action":
        sentences = [quote for quote, _ in cue.issues]
        yield from _filler(sentences)
        return
    sentences = list(_sentences(cue.prose))
    if cue.pass_name == "structure":
        yield from _long_paragraphs(cue.prose)
    elif cue.pass_name == "prose":
        yield from _filler(sentences)
    elif cue.pass_name == "voice":
        yield from _swapped(sentences, _WORDY, lambda found: "to", "a longer way round.", "wordy")
    elif cue.pass_name == "dialogue":
        yield from _swapped(sentences, _TAG, lambda found: found[1], "the line should tell how it is said.", "tag")
    elif cue.pass_name == "polish":
        yield from _swapped(sentences, _TWICE, lambda found: found[1], "a word stands twice.", "doubled word")


def _filler(sentences: Sequence[str]) -> Iterator[Change]:
    for one in sentences:
        found = _FILLER.search(one)
        if found is None:
            continue
        rest = one[found.end() :]
        new = one[: found.start()] + (rest[:1].upper() + rest[1:] if found[1][0].isupper() else rest)
        yield one, new, f"“{found[1]}” adds nothing that it can count.", "filler"


def _swapped(
    sentences: Sequence[str], pattern: re.Pattern[str], by: Callable[[re.Match[str]], str], why: str, issue: str
) -> Iterator[Change]:
    for one in sentences:
        new = pattern.sub(by, one, count=1)
        if new != one:
            yield one, new, why, issue


def _long_paragraphs(prose: str) -> Iterator[Change]:
    for paragraph in prose.split("\n\n"):
        sentences = list(_sentences(paragraph))
        if len(paragraph.split()) > LONG_PARAGRAPH and len(sentences) > 3:
            one = sentences[len(sentences) // 2]
            at = paragraph.find(one)
            if paragraph[at + len(one) : at + len(one) + 1] == " ":
                after = paragraph[at + len(one) + 1 :].split(" ")[0]
                yield (
                    f"{one} {after}",
                    f"{one}\n\n{after}",
                    "a paragraph of this length is hard to count.",
                    "long paragraph",
                )


def _sentences(text: str) -> Iterator[str]:
    for found in _SENTENCE.finditer(text):
        one = found[0].strip()
        if one:
            yield one


def _short(sentence: str) -> str:
    return " ".join(sentence.split()[:18])
