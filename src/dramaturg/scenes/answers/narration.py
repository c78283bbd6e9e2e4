"""Narration around speech: who is said to speak, how, and what the body does."""

from __future__ import annotations

import re

from dramaturg.model_notes.preambles import META
from dramaturg.scenes.answers.marks import NOTE, SAYING
from dramaturg.scenes.answers.parts import Names
from dramaturg.scenes.answers.tags import Fields, take_tags

LONGEST_NARRATION = 600
MOST_GESTURES = 3
_HE = r"(?:he|she|they|i|er|sie|ich|il|elle|je|él|ella|yo|lui|lei|ele|ela|彼は|彼女は|私は)"
_SENTENCE = re.compile(r"[^.!?…。！？]+[.!?…。！？]*")
_PRONOUN = re.compile(rf"{_HE}(?:\s+|(?<=は))", re.IGNORECASE)
_POSSESSIVE = re.compile(r"(?:his|her|their|my|seine?|ihre?|meine?|sus?|mis?|ses|sa|son|mes|ma|mon)\s", re.IGNORECASE)
_FIRST_PERSON = re.compile(
    r"\b(?:i|i'm|i’m|i'll|i've|me|my|mine|we|us|our|you|your|ich|mich|mein|je|moi|yo|mi)\b", re.I
)
_MANNER = re.compile(r"\b(\w{3,14}ly)\b", re.IGNORECASE)
_SAID = re.compile(rf"(?:{SAYING})\b", re.IGNORECASE)
_INTENDS = re.compile(
    r"(?:will|['’]ll|shall|should|must|need|want|have to|ought|can|could|would|might|am going|"
    r"werde|muss|sollte|vais|dois|voy|debo|tengo que|necesito|vou|devo|preciso)\b",
    re.IGNORECASE,
)
"""What somebody means to do is no gesture."""
_DEEDS = (
    "shakes? shook nods? nodded sighs? sighed shrugs? shrugged frowns? frowned smiles? smiled grins? stares? stared "
    "glances? glanced blinks? swallows? hesitates? pauses? paused leans? leaned crosses crossed folds? folded turned "
    "steps? stepped walks? walked sits? sat stands? stood rises rose clenches tightens looked remains? stays? raises "
    "raised lowers lowered rubs? rubbed wipes? scratches exhales inhales chuckles laughs? laughed winces flinches "
    "trembles reaches reached grabs? closes opens slams storms sets puts picks taps bites pulls pushes nudges waves"
)
_DOES = re.compile(
    rf"(?:(?:slowly|quietly|just|only|simply|then|finally) )?(?:{_DEEDS.replace(' ', '|')}|says? nothing|"
    r"turns? (?:to|away|toward|back|around|his|her)|looks? (?:down|away|up|at|out|back|over|toward|around|into|to))\b",
    re.IGNORECASE,
)


def is_narration(text: str, names: Names, *, alone: bool = False) -> bool:
    """Whether a text tells of its speaker instead of speaking. `alone`, there is no quotation beside it."""
    plain = text.strip()
    mine = names.mine.match(plain)
    if mine is not None:
        rest = plain[mine.end() :]
        follows = rest.lstrip()
        begins = (rest[:1].isspace() and follows[:1].islower()) or rest[:1] in ("は", "が", "'", "’")
        return begins and (not alone or not _FIRST_PERSON.search(plain))
    pronoun = _PRONOUN.match(plain)
    if pronoun is None:
        return not alone and _DOES.match(plain) is not None
    rest = plain[pronoun.end() :]
    if not alone:
        return _DOES.match(rest) is not None or _SAID.match(rest) is not None
    spoken_of = plain[:2].casefold() == "i " or _FIRST_PERSON.search(plain) is not None
    return not spoken_of and _DOES.match(rest) is not None


def is_saying(text: str) -> bool:
    """Whether a text begins with a verb of saying."""
    return _SAID.match(text.strip()) is not None


def without_attribution(text: str, names: Names) -> str:
    """A line of a dialogue with dashes, without who says it at its end: `— Go, dit Bob.`"""
    for found in _SAID.finditer(text):
        behind = text[found.end() : found.end() + 80].strip()
        if names.mine.match(behind) or _PRONOUN.match(behind + " "):
            words = text[: found.start()].rstrip()
            return f"{words[:-1]}." if words.endswith(",") else words
    return text


def without_pronoun(text: str) -> str:
    """A deed without the pronoun of who does it."""
    pronoun = _PRONOUN.match(text)
    return text[pronoun.end() :] if pronoun else text


class Narration:
    """Takes what is told around the words of a character into its fields."""

    def __init__(self, names: Names, fields: Fields) -> None:
        self._names, self._fields, self._taken = names, fields, 0
        self.is_of_the_last = False

    def gives_word_to_others(self, text: str, *, behind_quote: bool, is_last: bool) -> bool:
        """Whether the narration lets somebody else speak: the quotation before it, or the one that follows."""
        self.is_of_the_last = False
        plain = text.strip()[:LONGEST_NARRATION]
        other = self._names.others.match(plain)
        if other is not None and _SAID.match(plain[other.end() :].strip()):
            # With a colon it is the next quotation that is theirs.
            self.is_of_the_last = behind_quote and not plain.endswith((":", "："))
            return True
        said = _SAID.match(plain)
        if said is not None and behind_quote and self._names.others.match(plain[said.end() :].strip()):
            self.is_of_the_last = True
            return True
        last = re.split(r"[.!?…]\s", plain)[-1]
        other = self._names.others.match(last)
        if other is None:
            return False
        if behind_quote and not is_last:
            return True
        rest = last[other.end() :].strip()
        return rest.endswith((":", "：")) or _SAID.match(rest) is not None

    def take(self, text: str, *, behind_quote: bool = False) -> None:
        """What the body does goes to the gestures, and how it is said to the tone."""
        plain = " ".join(text.split())[:LONGEST_NARRATION].strip(" ,;:—–-*_#")
        if not plain or NOTE.match(plain) or take_tags(plain, self._fields):
            return
        for at, found in enumerate(_SENTENCE.finditer(plain)):
            if self._taken < MOST_GESTURES:
                sentence = found[0].strip(" ,;:—–-")
                self._sentence(
                    sentence, attributes=at == 0 and behind_quote and not _DOES.match(without_pronoun(sentence))
                )

    def _sentence(self, sentence: str, *, attributes: bool) -> None:
        if self._names.others.match(sentence):
            return
        rest, is_mine = self._without_subject(sentence)
        said = _SAID.match(rest)
        if said is None and (adverb := re.match(r"\w{3,14}ly\s", rest)) is not None:
            said = _SAID.match(rest, adverb.end())
        if said is None and attributes and is_mine and _begins_low(sentence):
            said = re.match(r"\w{1,20}", rest)
        if said is not None:
            self._manner(rest)
            rest = self._behind_saying(rest[said.end() :])
            is_mine = bool(rest)
        if META.search(rest) or _INTENDS.match(rest) or not rest:
            return
        if is_mine or _POSSESSIVE.match(rest) or _DOES.match(rest):
            self._taken += 1
            self._fields.gesture(rest[:1].lower() + rest[1:] if _POSSESSIVE.match(rest) else rest)

    def _without_subject(self, sentence: str) -> tuple[str, bool]:
        mine = self._names.mine.match(sentence)
        if mine is not None:
            rest = sentence[mine.end() :]
            if rest[:1] in ("は", "が"):
                return rest[1:].rstrip("。").strip(), True
            if rest[:2] in ("'s", "’s"):
                return rest[2:].strip(), not META.search(rest)
            return rest.strip(), rest[:1].isspace()
        pronoun = _PRONOUN.match(sentence)
        return (sentence[pronoun.end() :], True) if pronoun else (sentence, False)

    def _manner(self, rest: str) -> None:
        found = _MANNER.search(rest[:60])
        if found is not None and self._fields.tone is None:
            self._fields.tone = found[1].lower()

    def _behind_saying(self, rest: str) -> str:
        """What somebody does while speaking: `says quietly, looking down`."""
        rest = rest.strip()
        mine = self._names.mine.match(rest) or _PRONOUN.match(rest)
        rest = rest[mine.end() :].strip() if mine else rest
        _, _, doing = rest.partition(",")
        doing = doing.strip(" .")
        return "" if doing.startswith(("then ", "and ", "but ")) else doing


def _begins_low(sentence: str) -> bool:
    """`he demanded` behind a quotation goes on with its sentence; `He turned` begins another."""
    return sentence[:1].islower() or sentence[:2] == "I "
