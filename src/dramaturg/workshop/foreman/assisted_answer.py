"""The assisted Foreman, for models that follow instructions poorly.

The house decides what is asked and takes down what the writer said, by the rules of the rehearsal company. The model
finds the words. Where the house knows what was decided but not under which name, the model fills in the lines of a
form.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from dramaturg.kernel.text.words import content, function_words, words
from dramaturg.model_notes.likeness import likeness
from dramaturg.workshop.book.decisions import Category
from dramaturg.workshop.foreman.actions import KNOWN
from dramaturg.workshop.foreman.answer import ActionRequest, ForemanAnswer, Oddity
from dramaturg.workshop.foreman.answer_reader import read_answer
from dramaturg.workshop.foreman.prompt_files import PromptFiles
from dramaturg.workshop.foreman.prompt_parts import PROMPT_PARTS
from dramaturg.workshop.rehearsal.cues import ForemanCue
from dramaturg.workshop.rehearsal.foreman import foreman_reply
from dramaturg.workshop.rehearsal.reply import ForemanReply
from dramaturg.workshop.rehearsal.utterance import utterance_of

WORDS_TOKENS, FORM_TOKENS = 140, 70
MOST_SENTENCES = 3
LONGEST = 2_000
"""The characters of an answer that are read; it was asked for three sentences."""
ECHO = 0.6
"""How alike a sentence must be to one of the prompt to be a repetition of it."""
FEWEST_OWN = 0.5
"""How much of what the writer said a filled-in value must have, word for word; else all of it is kept."""
MOST_NEW = 3
"""So many words of a sentence may be new whatever it says."""
_SMALL_TALK = frozenset(
    content("the book story writer reader scene chapter character plot theme question good strong clear")
)
_NO_KEYS = frozenset("category key value decision decisions note notes name the a".split())
NOT_USED = "Your last answer could not be used: it repeated what you were told, or said nothing."
_SENTENCE = re.compile(r"[^\s].*?(?:[.!?…]++['\"”’)*_]*+(?=\s|\Z)|\Z)", re.S)
_LINE = re.compile(r"^[ \t>*_-]{0,6}(category|key|value)[ \t*_]{0,4}[:=][ \t*_]{0,4}(.+)$", re.I | re.M)
_MARKS = re.compile(r"^[ \t]*```.*$|^[ \t]*(?:#{1,6}|[-*•]|\d{1,2}[.)])[ \t]+|[*_`#]{1,3}", re.M)
_ROLE = re.compile(r"^\W*(?:foreman|editor|assistant|answer|response|question|writer)\s{0,3}:\s*", re.I)
_MACHINE = re.compile(
    r"\bas an ai\b|language model|virtual assistant|(?:how|anything else i) can (?:i )?(?:help|assist)", re.I
)
_ABOUT = re.compile(r".*:$|.*\bthe (?:writer|foreman)\b|\W*(?:in (?:my|your) own words|the notes)\b", re.I | re.S)
_COMPANY = re.compile(r"language model|rehearsal company|\bmy chair\b", re.I)
_ELEMENT = re.compile(r"<[^<>]{1,200}>")


@dataclass(frozen=True, slots=True)
class AssistedTurn:
    """What the house has made of a message: the answer in its own words, which the model puts better."""

    cue: ForemanCue
    reply: ForemanReply

    @property
    def draft(self) -> ForemanAnswer:
        return read_answer(self.reply.text(), KNOWN)

    @property
    def quotations(self) -> str:
        """The parts that are shown as they are."""
        return "\n\n".join(line for line in self.reply.said if line.startswith("> "))

    @property
    def notes(self) -> str:
        return "\n\n".join(_of_the_house(line) for line in self.reply.said if line and not line.startswith("> "))

    @property
    def question(self) -> str:
        """The house's own question, with which every answer ends that has none."""
        lines = [line for line in self.reply.said if "?" in line]
        return _of_the_house(lines[-1].split("\n\n")[-1]) if lines else ""

    @property
    def _acknowledgement(self) -> str:
        """The house's own words before its question."""
        told = [line for line in self.reply.said if line and "?" not in line and not line.startswith("> ")]
        return _of_the_house(told[0]) if told else ""

    @property
    def unnamed(self) -> ActionRequest | None:
        """A decision for which the house has no name and no category."""
        return next((one for one in self.draft.actions if str(one.params.get("key", "")).startswith("note_")), None)

    def form(self, files: PromptFiles) -> str:
        return files.assisted("form", said=_quoted(self.cue.message))

    def words(self, files: PromptFiles, was_unusable: bool, settled: str) -> str:
        """The prompt for the words of the answer; `settled` is what the model should know of the book."""
        done = [str(one.params["value"]) for one in self.draft.actions if one.type == "save_decision"]
        return files.assisted(
            "words",
            title=self.cue.title,
            settled=settled,
            said=_quoted(self.cue.message),
            done=f"It is written down already: {'; '.join(done)}" if done else "Nothing was written down.",
            notes=_plain(self.notes),
            mishap=NOT_USED if was_unusable else "",
        )

    def instructions(self, files: PromptFiles) -> str:
        """The prompt without the notes and without what is settled: what the model must not say again."""
        return self.words(files, was_unusable=True, settled="").replace(_plain(self.notes), "")

    def answer(self, given: str, prompt: str, form: str = "") -> ForemanAnswer:
        """The answer of the turn: the house's actions and note, the model's words where they can be used.

        `prompt` is what it was told, without what it may say again: the house's notes and what is settled.
        """
        draft = self.draft
        said, odd = self._message(given, prompt)
        actions = tuple(_named(one, form, self.cue.message) if one == self.unnamed else one for one in draft.actions)
        return draft.model_copy(update={"message": said, "actions": actions, "oddities": odd})

    def _message(self, given: str, prompt: str) -> tuple[str, tuple[Oddity, ...]]:
        if self.reply.stands:
            return self.draft.message, ()
        kept = [one for one in own_words(given, prompt) if not self._invents(one)]
        if not kept:
            return self.draft.message, (Oddity(kind="unclear", what=NOT_USED, quote=" ".join(given.split())[:80]),)
        topic = set(content(_plain(self.question)))
        asked = [one for one in kept if "?" in one and topic & set(content(one))][-1:]
        house = _sentences(_plain(self.question))
        told = [
            one
            for one in kept
            if "?" not in one and not any(likeness(one, said) > ECHO for said in house) and not self._settles(one)
        ]
        end = asked[0] if asked else self.question
        own = " ".join(told) or self._acknowledgement
        return "\n\n".join(filter(None, (own, self.quotations, end))), ()

    def _invents(self, sentence: str) -> bool:
        """Whether most of a statement is in nothing that was said before: the story is not the model's."""
        known = {*content(self.cue.message), *content(_plain(self.notes)), *content(self.cue.title), *_SMALL_TALK}
        known |= {
            word for one in (*self.cue.decided, *(field.value for field in self.cue.fields)) for word in content(one)
        }
        said = [word for word in content(sentence) if word not in known]
        return "?" not in sentence and len(said) > MOST_NEW and len(said) * 2 > len(content(sentence))

    def _settles(self, sentence: str) -> bool:
        """Whether a sentence says what a field is that the writer has not settled: nobody else does."""
        heard = utterance_of(sentence, self.cue.fields)
        is_open = any(one.missing and f"{one.template}.{one.name}" == heard.where for one in self.cue.fields)
        return heard.kind == "change" and is_open and heard.value.casefold() not in self.reply.text().casefold()


def assisted_turn(cue: ForemanCue) -> AssistedTurn:
    return AssistedTurn(cue, foreman_reply(cue))


def own_words(text: str, prompt: str) -> list[str]:
    """The sentences of an answer that are neither markup nor a repetition of what the model was told."""
    plain = _ELEMENT.sub(" ", _without_state(text[:LONGEST]))
    told = [_ROLE.sub("", one) for one in _sentences(prompt)]
    kept: list[str] = []
    for sentence in _sentences(_MARKS.sub("", plain)):
        said = _ROLE.sub("", sentence).strip(' "“”')
        is_echo = any(likeness(said, one) > ECHO for one in [*told, *kept])
        if re.search(r"[^\W\d_]", said) and not is_echo and not _MACHINE.search(said) and not _ABOUT.match(said):
            kept.append(said)
    return kept[:MOST_SENTENCES]


def _without_state(text: str) -> str:
    """The text without the elements of a prompt that it repeats."""
    for name in PROMPT_PARTS:
        if f"<{name}" in text:
            text = re.sub(rf"<{name}\b[^<>]{{0,200}}>.*?(?:</{name}>|\Z)", " ", text, flags=re.S)
    return text


def _sentences(text: str) -> list[str]:
    return [" ".join(found.split()) for part in text.splitlines() for found in _SENTENCE.findall(part) if found.strip()]


def _named(one: ActionRequest, form: str, said: str) -> ActionRequest:
    """A decision with the category and the name that the model filled in; what it cannot know is the writer's."""
    rows = {name.lower(): held.strip(' \t"“”()<>') for name, held in _LINE.findall(form)}
    category = re.sub(r"[^a-z]", " ", rows.get("category", "").lower()).split()
    known = [word for word in category if word in get_args(Category)]
    named = [word for word in _telling(rows.get("key", "")) if word not in _NO_KEYS]
    key = "_".join(named[:4]) or "_".join(_telling(said)[:3])
    is_sure = one.params["category"] in ("preference", "constraint")
    given, own = " ".join(words(rows.get("value", ""))), " ".join(words(said))
    is_own = f" {given} " in f" {own} " and len(given) >= FEWEST_OWN * len(own)
    params = {
        "category": known[0] if len(known) == 1 and not is_sure else str(one.params["category"]),
        "key": key or str(one.params["key"]),
        "value": rows["value"] if is_own else str(one.params["value"]),
        "source": "writer",
    }
    reply = ForemanReply()
    reply.act(one.type, params)
    return ActionRequest(type=one.type, params=params, raw=reply.actions[0])


def _of_the_house(line: str) -> str:
    """A line of the company's without what it says of itself."""
    kept = [one for one in _SENTENCE.findall(line) if not _COMPANY.search(one)]
    return " ".join(one.strip() for one in kept) if len(kept) < len(_SENTENCE.findall(line)) else line


def _telling(text: str) -> list[str]:
    skip = function_words()
    return [word for word in words(text) if word not in skip]


def _quoted(said: str) -> str:
    return "\n".join(f"> {line}" for line in said.strip().splitlines()[:40])


def _plain(text: str) -> str:
    return _MARKS.sub("", text)


def was_unusable(answers: Sequence[ForemanAnswer]) -> bool:
    """Whether the last answer was one that had to be put aside."""
    return bool(answers) and any(one.what == NOT_USED for one in answers[-1].oddities)
