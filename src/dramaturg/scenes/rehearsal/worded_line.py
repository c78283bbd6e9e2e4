"""A finished line from a wording: every slot is filled for this speaker and listener, or there is no line."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from dramaturg.kernel.models.rehearsal.person import address, forms_of, shifted
from dramaturg.kernel.models.rehearsal.portrait import SITUATIONS, Portrait
from dramaturg.kernel.models.rehearsal.verbs import base_of_third
from dramaturg.scenes.rehearsal.banks import lists
from dramaturg.scenes.rehearsal.cast_names import calls
from dramaturg.scenes.rehearsal.deeds import Deed, doing, going, who_of
from dramaturg.scenes.rehearsal.premise import Premise
from dramaturg.scenes.rehearsal.reminiscences import Reminiscence

_SLOT = re.compile(r"\{(\w+)\}")
_START = re.compile(r"(^|[.!?…]\s+)([a-z])")
_PARTS = ("A", "P", "T", "U")
CARD_SLOTS = frozenset((*SITUATIONS, "any"))


@dataclass(frozen=True, slots=True)
class PassageContext:
    """Who plays which part in a passage; `doer` is the subject of the deed's own words.

    `recalled` is what the passage mentions of an earlier scene, `told` what is to be revealed;
    `chance` is one number for the whole scene.
    """

    parts: Mapping[str, str]
    deed: Deed
    doer: str
    premise: Premise
    portraits: Mapping[str, Portrait]
    names: tuple[str, ...]
    recalled: Reminiscence | None = None
    told: str = ""
    chance: int = 0


@dataclass
class Material:
    """Card lines, measures and details that fill slots; each is used once in a scene."""

    rng: random.Random
    used: set[str] = field(default_factory=set)

    def copy(self) -> Material:
        return Material(self.rng, set(self.used))

    def take(self, options: tuple[str, ...]) -> str:
        fresh = [option for option in options if option not in self.used]
        return self.rng.choice(fresh) if fresh else ""


@dataclass(frozen=True, slots=True)
class WordedLine:
    """A finished line: the words, the phrase at which it is cut (or none), and the material it used."""

    text: str
    cut_after: str
    taken: tuple[str, ...]


def say(text: str, part: str, to: str, context: PassageContext, material: Material) -> WordedLine | None:
    """Fill every slot. Returns None if one cannot be filled."""
    taken: list[str] = []
    values: dict[str, str] = {}
    for slot in _SLOT.findall(text):
        value = values.get(slot) or _value(slot, part, to, context, material, taken)
        if not value:
            return None
        values[slot] = value
    filled = _SLOT.sub(lambda found: values[found[1]], text)
    cut_after = _cut_phrase(filled)
    return WordedLine(tidy(filled.replace("^", " ")), cut_after, tuple(taken))


def tidy(text: str) -> str:
    """Single spaces, one mark at the end of each sentence, a capital at its start."""
    out = re.sub(r"\s+", " ", text).strip()
    out = re.sub(r"(?<!\s)\s+([,.;:!?])", r"\1", out)
    out = re.sub(r"([.!?])\.(?!\.)", r"\1", out)
    out = re.sub(r"\ba (?=[aeiou]\w)(?!uni|one|use|eu)", "an ", out)
    return _START.sub(lambda found: found[1] + found[2].upper(), out)


def _cut_phrase(filled: str) -> str:
    """The last words before the cut mark, enough to be unique in the line."""
    head, mark, _ = filled.partition("^")
    if not mark:
        return ""
    clause = re.split(r"[.!?;]\s", tidy(head))[-1].strip(" ,;:")
    words = clause.split()
    return " ".join(words[-4:])


def _value(slot: str, part: str, to: str, context: PassageContext, material: Material, taken: list[str]) -> str:
    speaker, listener = context.parts[part], context.parts.get(to, "")
    if slot in _PARTS:
        who = context.parts.get(slot, "")
        return "" if not who or who == speaker else address(who) or ""
    if slot in CARD_SLOTS:
        own = context.portraits[speaker].own.get(slot, ())
        fitting = (line for line in own if not listener or set(calls(line, context.names)) <= {listener})
        return _take(tuple(fitting), material, taken)
    if slot in ("stake", "tie"):
        return _take(context.portraits[speaker].stakes_to(listener, context.names), material, taken)
    if slot in ("do", "doing", "going", "job", "what", "object", "ddid"):
        return _of_deed(slot, speaker, listener, context)
    if slot == "fact":
        return _fact(speaker, listener, context)
    if slot in ("who", "who2"):
        return _who(speaker, listener, context)
    if slot == "told":
        return context.told if part == "A" else ""
    if slot == "matter":
        return _matter(speaker, context.recalled)
    if slot in ("did", "thing", "noun", "cost", "project"):
        return _of_premise(slot, speaker, listener, context)
    name = slot.rstrip("0123456789")
    found = _take(_listed(name.removesuffix("_of_yours"), context.premise.domain), material, taken)
    return _exchanged(found) if name.endswith("_of_yours") else found


def _take(options: tuple[str, ...], material: Material, taken: list[str]) -> str:
    value = material.take(tuple(option for option in options if option not in taken))
    if value:
        taken.append(value)
    return value


def _listed(name: str, domain: str) -> tuple[str, ...]:
    found = lists()
    own = found.get(f"{name} {domain}", ())
    return own if len(own) >= 4 else (*own, *found.get(f"{name} any", ()))


def _of_deed(slot: str, speaker: str, listener: str, context: PassageContext) -> str:
    deed = context.deed
    subject = context.doer
    text = {
        "do": deed.do,
        "doing": doing(deed.do),
        "going": going(deed.do),
        "job": deed.do if going(deed.do) else "",
        "what": deed.what,
        "object": deed.thing,
        "ddid": deed.did,
    }[slot]
    if not text or len(text.split()) > 14:
        return ""
    return _agreeing(shifted(text, subject, speaker, listener, context.names) or "", subject == listener)


def _fact(speaker: str, listener: str, context: PassageContext) -> str:
    """The sub-goal itself as a statement, if this speaker can say it of the others."""
    deed = context.deed
    if deed.did and deed.actors == (listener,):
        return f"you {_agreeing(deed.did, True)}"
    named = any(form in deed.text for form in forms_of(speaker))
    return "" if named else deed.text


def _who(speaker: str, listener: str, context: PassageContext) -> str:
    """Who it is to be, the same for the whole scene: I, you, or a name."""
    vp = who_of(context.deed)
    if not vp:
        return ""
    verb, _, rest = vp.partition(" ")
    bare = f"{base_of_third(verb)} {rest}".strip()
    chosen = context.names[context.chance % len(context.names)]
    if chosen == speaker:
        return f"I'll {bare}"
    return f"you {bare}" if chosen == listener else f"{chosen} {vp}"


def _matter(speaker: str, recalled: Reminiscence | None) -> str:
    """What was promised or admitted; if the other says it, with you for I."""
    if recalled is None:
        return ""
    doer = recalled.me if recalled.mine else recalled.other
    return recalled.matter if speaker == doer else _exchanged(recalled.matter)


def _exchanged(text: str) -> str:
    """What I will do for you, as what you will do for me."""
    words = {
        "I": "you", "I'm": "you're", "I've": "you've", "I'd": "you'd", "I'll": "you'll", "my": "your", "mine": "yours",
        "me": "you", "you": "me", "your": "my", "you're": "I'm", "you've": "I've", "myself": "yourself",
    }  # fmt: skip
    return re.sub(r"[A-Za-z]+(?:'[a-z]+)?", lambda found: words.get(found[0], found[0]), text)


def _of_premise(slot: str, speaker: str, listener: str, context: PassageContext) -> str:
    premise = context.premise
    if slot == "did":
        if premise.culprit != context.parts["A"]:
            return ""
        said = shifted(premise.did, premise.culprit, speaker, listener, context.names) or ""
        return _agreeing(said, premise.culprit == listener)
    text = {"thing": premise.thing, "noun": premise.noun, "cost": premise.cost, "project": premise.project}[slot]
    return (shifted(text, "", speaker, listener, context.names) or "") if text else ""


def _agreeing(text: str, to_you: bool) -> str:
    """'was late' is said of me; of you it is 'were late'."""
    return re.sub(r"^was\b", "were", text) if to_you else text
