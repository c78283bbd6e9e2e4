"""Reads the Foreman's protocol from whatever a model wrote. One scan, left to right; it never raises.

The rules, in the order in which they decide:
- Whatever is inside `<thinking>` or `<think>` is reasoning and never runs. Unclosed reasoning ends at the first
  message; actions after it are not run, since they may not have been meant.
- `<content_update>` is taken verbatim up to its closing tag: tags inside it are prose.
- `<action>` may be anywhere else, even inside the message; but not inside code there, which is quotation.
- Everything else is said to the writer, in order, whether or not it is inside `<message>`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping
from itertools import islice

from dramaturg.kernel.text.fences import unfenced
from dramaturg.workshop.foreman.answer import ActionRequest, ContentUpdate, ForemanAnswer, Oddity, OddityKind
from dramaturg.workshop.foreman.json_answer import answer_in_json
from dramaturg.workshop.foreman.parameters import attributes_of, params_of

Known = Mapping[str, Collection[str]]
"""The known actions, each with the names of its parameters."""

THINKING = ("thinking", "think")
MESSAGE = ("message",)
UPDATE = ("content_update", "contentupdate", "content-update")
ACTION = ("action",)
LONGEST_QUOTE = 80
MOST_ODDITIES = 200

_TAG = re.compile(
    r"<\s*+(?P<close>/?)\s*+(?P<name>[A-Za-z][\w-]*+)"
    r"(?P<attributes>[^<>/]*+(?:/(?!\s*>)[^<>/]*+)*)(?P<empty>/?)\s*>"
)
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.S)
_FENCE_LINE = re.compile(r"^[ \t]*```[\w-]*[ \t]*$", re.M)
_ESCAPED = re.compile(
    r"&lt;\s*+/?\s*+(?:thinking|think|message|action|content_update)\b[^&]*+"
    r"(?:&(?:quot|amp|apos|#\d{1,6});[^&]*+){0,99}&gt;",
    re.I,
)
_BLANK_LINES = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")


def read_answer(text: str, known: Known) -> ForemanAnswer:
    """Parses any text into an answer. `known` are the actions and their parameters."""
    raw = text.replace("\r\n", "\n").replace("\0", "")
    scan = _Scan(_unescaped(raw), known)
    if not scan.has_protocol():
        given = answer_in_json(raw)
        if given is not None:
            return given
    return scan.answer()


def _unescaped(text: str) -> str:
    """Unescapes the tags of an answer, unless it has real ones too."""
    names = {match["name"].lower() for match in _TAG.finditer(text)}
    if names & {*THINKING, *MESSAGE, *UPDATE, *ACTION} or not _ESCAPED.search(text):
        return text
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")


class _Scan:
    """One pass over one answer."""

    def __init__(self, text: str, known: Known) -> None:
        self._text = text
        self._known = {name.lower(): name for name in known}
        self._params = {name: {param.lower(): param for param in params} for name, params in known.items()}
        self._tags = list(_TAG.finditer(text))
        self._starts = [tag.start() for tag in self._tags]
        self._ends: dict[str, list[int]] = {}
        self._elements: list[int] = []
        self._thoughts: dict[int, int] = {}
        self._index()
        self._opened: set[str] = set()
        self._at = 0
        self._said: list[str] = []
        self._thought: list[str] = []
        self._actions: list[ActionRequest] = []
        self._updates: list[ContentUpdate] = []
        self._oddities: list[Oddity] = []
        self._in_message = False
        self._messages = 0
        self._quoted: list[tuple[int, int]] = []
        self._coded = 0
        self._noted: set[str] = set()
        self._suspect = False

    def _index(self) -> None:
        """Where each name is closed, which tags begin an element, and where each piece of reasoning ends."""
        open_thoughts: list[int] = []
        for place, tag in enumerate(self._tags):
            name = tag["name"].lower()
            if tag["close"]:
                self._ends.setdefault(name, []).append(place)
            elif self._begins(tag):
                self._elements.append(place)
            if name in THINKING and not tag["empty"]:
                if not tag["close"]:
                    open_thoughts.append(place)
                elif open_thoughts:
                    self._thoughts[open_thoughts.pop()] = place

    def has_protocol(self) -> bool:
        return any(self._role(tag) for tag in self._tags)

    def answer(self) -> ForemanAnswer:
        for tag in self._tags:
            if tag.start() < self._at:
                continue
            role = self._role(tag)
            if role is None or self._is_quoted(tag.start()):
                self._pass_over(tag)
                continue
            self._say(self._text[self._at : tag.start()])
            self._at = tag.end()
            getattr(self, f"_{role}")(tag)
        self._say(self._text[self._at :])
        message = self._message_text()
        return ForemanAnswer(
            message=message,
            thinking="\n\n".join(filter(None, (part.strip() for part in self._thought))),
            actions=tuple(self._actions),
            updates=tuple(self._updates),
            oddities=tuple(self._oddities),
        )

    def _role(self, tag: re.Match[str]) -> str | None:
        """What a tag means here; None if it is just text."""
        name = tag["name"].lower()
        for role, names in (("thinking", THINKING), ("message", MESSAGE), ("update", UPDATE)):
            if name in names:
                return role
        if name in ACTION or name in self._known:
            return "action"
        named = attributes_of(tag["attributes"]).get("type", "").lower()
        return "action" if named in self._known and not tag["close"] else None

    def _pass_over(self, tag: re.Match[str]) -> None:
        """Text that looks like a tag. An unmatched closing tag inside a message is a misspelt end of the message."""
        name = tag["name"].lower()
        strays = self._in_message and tag["close"] and not self._is_quoted(tag.start())
        if strays and name not in self._opened:
            self._say(self._text[self._at : tag.start()])
            self._in_message = False
            self._note("mended", "A message ends with </message>.", tag.group())
        else:
            self._opened.add(name)
            self._said.append(self._text[self._at : tag.end()])
        self._at = tag.end()

    def _say(self, text: str) -> None:
        if not self._in_message:
            text = _FENCE_LINE.sub("", text)
            if text.strip() and self._messages:
                self._note("mended", "All that is said to the writer stands in <message>…</message>.", text)
        self._said.append(text)

    def _message_text(self) -> str:
        said = _BLANK_LINES.sub("\n\n", "".join(self._said)).strip()
        if said and not self._messages and (self._thought or self._actions or self._updates):
            self._note("mended", "All that is said to the writer stands in <message>…</message>.", said)
        return said

    def _message(self, tag: re.Match[str]) -> None:
        if tag["close"]:
            self._in_message = False
        elif not tag["empty"]:
            self._messages += 1
            self._in_message = True
            end = self._closing(MESSAGE)
            if self._at >= self._coded:
                self._coded = end.start() if end else len(self._text)
                self._quoted = [code.span() for code in _CODE.finditer(self._text, self._at, self._coded)]
            if end is None:
                self._note("mended", "A message ends with </message>.", self._text[self._at : self._at + 400])
        self._said.append("\n\n")

    def _is_quoted(self, at: int) -> bool:
        place = bisect_right(self._quoted, (at, len(self._text))) - 1
        return self._in_message and place >= 0 and at < self._quoted[place][1]

    def _thinking(self, tag: re.Match[str]) -> None:
        if tag["empty"]:
            return
        if tag["close"]:
            self._closed_only()
            return
        place = self._thoughts.get(bisect_left(self._starts, tag.start()))
        if place is not None:
            end = self._tags[place]
            self._thought.append(self._text[self._at : end.start()])
            self._at = end.end()
            return
        self._unclosed()

    def _closed_only(self) -> None:
        """Reasoning whose opening tag the server swallowed: everything so far outside a message is reasoning."""
        if not self._in_message and not self._messages and not self._actions:
            self._thought.append("".join(self._said))
            self._said.clear()
            self._oddities.clear()
            self._noted.clear()

    def _unclosed(self) -> None:
        opening = next((o for o in self._following() if self._role(o) == "message"), None)
        end = opening.start() if opening else len(self._text)
        self._thought.append(self._text[self._at : end])
        self._note("mended", "Reasoning ends with </thinking>; what followed up to the message was taken for it.")
        self._at = end
        self._suspect = True

    def _update(self, tag: re.Match[str]) -> None:
        if tag["close"] or tag["empty"]:
            return
        attributes = attributes_of(tag["attributes"])
        target = next((attributes[name] for name in ("target", "file", "path", "name") if attributes.get(name)), "")
        end = self._closing(UPDATE)
        body = self._text[self._at : end.start() if end else len(self._text)]
        self._at = end.end() if end else len(self._text)
        text = _unwrapped(body)
        if not target or self._suspect:
            why = "It says no target." if not target else "It follows reasoning that was not closed."
            self._note("left_out", f"A <content_update target=…> was not applied. {why}", text)
            self._said.append(f"\n\n{text}\n\n")
            return
        if end is None:
            self._note(
                "left_out", f"The text for {target} broke off; it is kept and not applied.", text[-LONGEST_QUOTE:]
            )
        self._updates.append(ContentUpdate(target=target, text=text, whole=end is not None))

    def _action(self, tag: re.Match[str]) -> None:
        if tag["close"]:
            return
        attributes = attributes_of(tag["attributes"])
        name, body, whole = tag["name"].lower(), "", True
        if not tag["empty"]:
            body, whole = self._body(name, attributes)
        raw = self._text[tag.start() : self._at]
        self._said.append("\n\n")
        named = "" if name in ACTION else self._known.get(name, "")
        kind = named or next((attributes.pop(key) for key in ("type", "name", "action") if attributes.get(key)), "")
        read = params_of(body, self._params.get(self._known.get(kind.lower(), ""), {}))
        kind = kind or str(read.params.pop("type", "") or read.params.pop("action", ""))
        kind = self._known.get(kind.strip().lower(), kind.strip())
        if self._suspect:
            self._note("left_out", "An action after reasoning that was not closed was not run.", raw)
        elif not kind:
            self._note("unclear", 'An action says which it is: <action type="…">. It was not run.', raw)
        elif not whole and read.open_param:
            self._note("left_out", f"The action {kind} broke off inside <{read.open_param}> and was not run.", raw)
        else:
            self._took(kind, attributes, read.params, raw)
            for what in read.mended:
                self._note("mended", f"{kind}: {what}", raw)

    def _took(self, kind: str, attributes: Mapping[str, str], params: Mapping[str, object], raw: str) -> None:
        known = self._params.get(kind, {})
        given = {known.get(name.lower(), name): value for name, value in attributes.items() if name.lower() != "type"}
        self._actions.append(ActionRequest.model_validate({"type": kind, "params": {**given, **params}, "raw": raw}))

    def _body(self, name: str, attributes: Mapping[str, str]) -> tuple[str, bool]:
        """The body of an action and whether it is closed; an unclosed one ends where the next element begins."""
        own = (name, attributes.get("type", "").lower(), *ACTION)
        end = self._closing(own)
        place = bisect_left(self._elements, bisect_left(self._starts, self._at))
        opening = self._tags[self._elements[place]] if place < len(self._elements) else None
        if end is not None and (opening is None or end.start() < opening.start()):
            body = self._text[self._at : end.start()]
            self._at = end.end()
            return body, True
        stop = opening.start() if opening else len(self._text)
        body = self._text[self._at : stop]
        self._at = stop
        self._note("mended", "An action ends with </action>.", body)
        return body, False

    def _begins(self, tag: re.Match[str]) -> bool:
        """Whether a tag opens another element, which ends an unclosed action."""
        name = tag["name"].lower()
        return name in (*ACTION, *MESSAGE, *UPDATE, *THINKING) or (
            name in self._known and not any(name in params for params in self._params.values())
        )

    def _following(self) -> Iterator[re.Match[str]]:
        return islice(self._tags, bisect_left(self._starts, self._at), None)

    def _closing(self, names: Collection[str]) -> re.Match[str] | None:
        """The next tag that closes one of these names."""
        here = bisect_left(self._starts, self._at)
        places = []
        for name in set(names):
            ends = self._ends.get(name, [])
            if (next_one := bisect_left(ends, here)) < len(ends):
                places.append(ends[next_one])
        return self._tags[min(places)] if places else None

    def _note(self, kind: OddityKind, what: str, quote: str = "") -> None:
        if (kind == "mended" and what in self._noted) or len(self._oddities) >= MOST_ODDITIES:
            return
        self._noted.add(what)
        shown = " ".join(quote[: 10 * LONGEST_QUOTE].split())[:LONGEST_QUOTE]
        self._oddities.append(Oddity(kind=kind, what=what, quote=shown))


def _unwrapped(body: str) -> str:
    """Prose without the blank lines, the CDATA or the code fence around it."""
    text = body.strip("\n").rstrip()
    if text.strip().startswith("<![CDATA[") and text.strip().endswith("]]>"):
        return text.strip()[9:-3].strip("\n")
    fenced = unfenced(text)
    return text if fenced is None else fenced
