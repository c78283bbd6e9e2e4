"""The parts of an answer as they are found, and the names that are known to its reader."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from dramaturg.workshop.foreman.answer import ActionRequest, ContentUpdate, ForemanAnswer, Oddity, OddityKind
from dramaturg.workshop.foreman.loose_words import words_after, words_before
from dramaturg.workshop.foreman.tags import plain_name

Known = Mapping[str, Collection[str]]
"""The known actions, each with the names of its parameters."""

LONGEST_QUOTE = 80
MOST_ODDITIES = 200
IN_MESSAGE = "All that is said to the writer stands in <message>…</message>."
_BLANK_LINES = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")
_WORD = re.compile(r"\w")


class KnownActions:
    """The known actions and their parameters, by their plain names."""

    def __init__(self, known: Known) -> None:
        self.names = {plain_name(name): name for name in known}
        self._params = {name: {plain_name(param): param for param in params} for name, params in known.items()}

    def parameters(self, kind: str) -> Mapping[str, str]:
        """The parameters of an action: plain name to name; none for an unknown action."""
        return self._params.get(self.names.get(plain_name(kind), ""), {})

    def is_parameter(self, name: str) -> bool:
        return any(plain_name(name) in params for params in self._params.values())

    def named(self, request: ActionRequest, attributes: Mapping[str, str] | None = None) -> ActionRequest:
        """The request with the names that are known; attributes that are no parameters are left out."""
        kind = self.names.get(plain_name(request.type), request.type)
        known = self._params.get(kind)
        given = {} if attributes is None else dict(attributes)
        if known is not None:
            given = {known[plain_name(name)]: held for name, held in given.items() if plain_name(name) in known}
        params = {(known or {}).get(plain_name(name), name): held for name, held in request.params.items()}
        return request.model_copy(update={"type": kind, "params": {**given, **params}})


class AnswerParts:
    """Collects what is said, thought and asked for, in order.

    A message with which the answer begins is shown while it comes; so `take_back` keeps it and nothing else.
    """

    def __init__(self, known: KnownActions) -> None:
        self._known = known
        self._said: list[tuple[str, bool]] = []
        self._thought: list[str] = []
        self._actions: list[ActionRequest] = []
        self._updates: list[ContentUpdate] = []
        self._oddities: list[Oddity] = []
        self._noted: set[str] = set()
        self._opened: set[str] = set()
        self._messages = 0
        self._kept = 0
        self._is_loose = False
        self._has_begun = False
        self._has_put_aside = False

    @property
    def has_begun(self) -> bool:
        """Whether the answer began with a message, which is shown while it comes."""
        return self._has_begun

    def opened(self, name: str) -> None:
        """Remembers a tag that is text, so that its end is text as well."""
        self._opened.add(name)

    def was_opened(self, name: str) -> bool:
        return name in self._opened

    def begin_message(self) -> None:
        self._messages += 1
        self._has_begun = self._has_begun or not self._is_loose

    def say(self, text: str, *, in_message: bool) -> None:
        if not in_message and text.strip() and self._messages:
            self.note("mended", IN_MESSAGE, text)
        self._is_loose = self._is_loose or (not in_message and bool(_WORD.search(text)))
        self._said.append((text, in_message))

    def gap(self) -> None:
        self._said.append(("\n\n", True))

    def thought(self, text: str) -> None:
        self._thought.append(text)

    def take(self, request: ActionRequest, attributes: Mapping[str, str] | None = None) -> None:
        self._actions.append(self._known.named(request, attributes))

    def put_aside(self, what: str, raw: str) -> None:
        """Something to be done that is not, for the reason that is told."""
        self._has_put_aside = True
        self._thought.append(raw)
        self.note("left_out", what, raw)

    def update(self, update: ContentUpdate) -> None:
        self._updates.append(update)

    def take_back(self) -> bool:
        """Everything so far was reasoning. Returns whether a message had begun the answer, which stays said."""
        begun = self._has_begun
        kept = [part for part in self._said[self._kept :] if part[1]] if begun else []
        lost = [text for text, in_message in self._said[self._kept :] if not (begun and in_message)]
        asked = [one.raw for one in self._actions] + [one.text for one in self._updates]
        self._thought.append("".join([*lost, *asked]))
        self._said[self._kept :] = kept
        self._kept = len(self._said)
        self._actions.clear()
        self._updates.clear()
        self._oddities.clear()
        self._noted.clear()
        self._messages = int(begun)
        self._is_loose = False
        self._has_begun = begun
        return begun

    def note(self, kind: OddityKind, what: str, quote: str = "") -> None:
        if (kind == "mended" and what in self._noted) or len(self._oddities) >= MOST_ODDITIES:
            return
        self._noted.add(what)
        shown = " ".join(quote[: 10 * LONGEST_QUOTE].split())[:LONGEST_QUOTE]
        self._oddities.append(Oddity(kind=kind, what=what, quote=shown))

    def answer(self) -> ForemanAnswer:
        said = _BLANK_LINES.sub("\n\n", self._without_talk()).strip()
        if said and not self._messages and (any(self._thought) or self._actions or self._updates):
            self.note("mended", IN_MESSAGE, said)
        return ForemanAnswer(
            message=said,
            thinking="\n\n".join(filter(None, (part.strip() for part in self._thought))),
            actions=tuple(self._actions),
            updates=tuple(self._updates),
            oddities=tuple(self._oddities),
        )

    def _without_talk(self) -> str:
        """All that is said, without what the model says of its answer before and after its message."""
        told = [place for place, (text, in_message) in enumerate(self._said) if in_message and text.strip()]
        first, last = (told[0], told[-1] + 1) if told else (len(self._said), len(self._said))
        texts = [text for text, _ in self._said]
        acted = bool(self._actions or self._updates or self._has_put_aside)
        before = words_before("".join(texts[:first]), acted=acted)
        after = words_after("".join(texts[last:]))
        self._thought += [before.thought, after.thought]
        return "\n\n".join((before.said, "".join(texts[first:last]), after.said))
