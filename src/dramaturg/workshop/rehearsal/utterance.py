"""What a writer's message is, by rule: an answer to the open question, or something else that was said instead.

Only statements about the story count as answers. What is addressed to the Foreman (a wish for another subject, a change
of what is settled, a request, a remark) never becomes part of the book. The phrases are in `utterances.txt`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from dramaturg.kernel.models.rehearsal.sheet import load_sheet
from dramaturg.kernel.text.words import content
from dramaturg.workshop.rehearsal.fields import NAME, named_field
from dramaturg.workshop.rehearsal.weakness import is_placeholder

if TYPE_CHECKING:
    from dramaturg.workshop.rehearsal.cues import BibleField

UtteranceKind = Literal[
    "answer", "change", "turn", "previous", "wrong", "undo", "recall", "remember", "question", "request", "again",
    "greeting", "aside", "farewell", "skip", "stuck", "status", "settled", "gate", "remark",
]  # fmt: skip
LONG, LONGEST = 200, 4_000
"""Longer messages are about the story, unless they begin as a change or a note; the longest always are."""
_LEAD = (
    r"^\W*+(?:(?:no|nope|yes|yeah|ok(?:ay)?|hm+|well|so|oh|oops|wait|sorry|actually|please|but|and|now|then|hey|foreman"
    r"|on second thoughts?|correction|good question|rather|damn|that (?:was|is) wrong)\b[\s,.:;!—–-]*+)*"
)
_TAIL = r"(?:\s*+,?\s*+(?:first|now|next|instead|again|please|then|for a (?:bit|moment|while)|today|before that))*\W*+$"


def _phrases(heading: str) -> str:
    return f"(?:{'|'.join(load_sheet('dramaturg.workshop.rehearsal', 'utterances.txt')[heading])})"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.I | re.S)


_WISH, _GO = _phrases("wish"), _phrases("go")
_TURN = _pattern(rf"{_LEAD}(?:{_WISH} (?:please )?(?:first )?)?{_GO}\s+(.{{1,60}}?){_TAIL}")
_WISHED = _pattern(rf"{_LEAD}{_WISH}\b")
_SUBJECT = _pattern(rf"{_LEAD}(?:(?:what|how) about|next(?: up)?:?|first:?|on to|back to|to)?\s*(.{{1,40}}?){_TAIL}")
_CHANGE = _pattern(
    rf"{_LEAD}(?:{_WISH} |(?:can|could) you |i(?:['’]d like| want) you to )?"
    r"(?:change|set|make|switch|update|rewrite|replace|correct|edit|alter|revise|put|write|mark|note|turn)\s+"
    r"(.{1,60}?)\s*(?:\bfrom .{1,80}? to\b|\b(?:down as|to|into|with|as|so that)\b|[:=])[\s:=]*+(.{2,})$"
)
_MAKE = _pattern(rf"{_LEAD}(?:make|set)\s+(?:it|that|this|((?:the|her|his|their|its) .{{1,40}}?))\s+(.{{3,}})$")
_WANT = _pattern(rf"{_LEAD}(?:i (?:want|would like)|i['’]d like|let)\s+(.{{1,60}}?)\s+(?:to be|be|become)\s+(.{{2,}})$")
_IS = _pattern(
    rf"{_LEAD}((?:the|her|his|their|its|our|my|[^\W\d_]+(?:['’]s|s['’]))\s[\w '’-]{{2,40}}?)\s+"
    r"(?:is now|is|(?:should|could|might|would)(?: rather| better)? be|ought to be|becomes|must be"
    r"|isn['’]?t .{1,60}?,? it['’]?s|will be)[\s:]+"
    r"(?!not\b|called\b|named\b|too\b|wrong\b|stated|spoken|broken|there\b|over\b|set\b|told\b)(.{2,})$"
)
_IS_ELSEWHERE = _pattern(
    r"^\W*+(?:(?:nein|non|no|ja|oui|warte|moment|attends|espera)\b[\s,.:;!—–-]*+){0,3}"
    r"((?:su|el|la|ihre?|seine?|der|die|das|son|sa|le|il suo|la sua|il|o seu|a sua|o|её|его)"
    r"\s[\w '’-]{2,40}?)(?:\s+(?:es|ist|est|è|é|—|–|это|soll(?:te)? sein|doit être|debe ser)|,? c['’]est)[\s:,]+"
    r"(?:(?:que|dass|che|это|в том, что)\s+|qu['’])?(?!no\b|nicht\b|pas\b)(.{4,})$"
)
"""`Su defecto es que …`, `Ihr Makel ist, dass …`: a field stated in another language."""
_DENIED = _pattern(
    r"^\W*+(?:(?:no|nope|nein|non|não|нет|wait|wrong)\b\s*+[,.:;!—–-]++\s*+){0,3}"
    r"(?:that|this|it|ese|esa|eso|este|esto|das|dies|ce|ça|c['’]|questo|quello|esse|isso|это)\b"
    r"(?=.{0,40}?(?:\bnot\b|n['’]t\b|\bno\b|\bnicht\b|\bkein|\bpas\b|\bnon\b|\bnão\b|\bне\b)).{2,80}$"
)
"""`No, that is not her flaw.`"""
_ARC = _pattern(
    rf"{_LEAD}(?:(?:the|her|his|their|[^\W\d_]+(?:['’]s|s['’]))\s)(?:character )?arc\s"
    r"(?P<where>starts?|begins?|opens?|ends?|closes?|resolves?|finishes)\b(?:\s(?:with|when|where|as|by))?[\s:,]*+(.{4,})$"
)
_ARC_FIELDS = {"s": "arc_start", "b": "arc_start", "o": "arc_start"}
"""The field of an arc by how the verb begins; what neither starts, begins nor opens it resolves it."""
_INSTEAD = _pattern(r"^\W*no[,.:! ]+(?:rather |make it |it['’]?s )?(.{3,120}?),? instead\W*+$")
_CALL = _pattern(
    rf"{_LEAD}(?:rename (?:her|him|them|the (?:protagonist|hero\w*|main character))(?: to)?|call (?:her|him|them)"
    r"|(?:my|the|our) (?:protagonist|hero(?:ine)?|main character)(?:['’]s name)? is (?:called |named )?"
    r"|(?:she|he|they)(?:['’]s| is|['’]re| are)? (?:now )?called|(?:her|his|their) name(?:['’]s| is| should be)"
    r"|(?:sie|er) heißt|(?:elle|il) s['’]appelle|(?:ella |él )?se llama|(?:lei |lui )?si chiama)\s+"
    r"(?:now |actually |really |just |going to be ){0,2}"
    r"([^\W\d_][\w '’.-]{0,40}?)(?:\s+(?:instead|now|from now on))?\W*+$"
)
_STATUS = _pattern(rf"\b{_phrases('status')}\b")
_KEPT = tuple(
    _pattern(text)
    for text in (
        rf"{_LEAD}{_phrases('remember')}\b[\s,:—-]*(?:that\s+)?(?P<kept>.{{4,}})$",
        rf"{_LEAD}(?P<kept>{_phrases('preference')}\b.*)$",
        rf"{_LEAD}(?P<kept>{_phrases('fact')}.+)$",
        rf"{_LEAD}(?P<kept>.{{8,160}}?)[,;.—-]++\s*+(?:please )?{_phrases('remember')}(?: (?:that|this|it))?\W*+$",
    )
)
_OTHER = _pattern(rf"{_LEAD}{_phrases('other')} (?:is|was|are|were|will|should|has|had)\b.+$")
"""Somebody or something else than the protagonist; no answer where it is the protagonist who is asked about."""
_PERSON = _pattern(
    rf"{_LEAD}{_phrases('person')}(?:,? (?-i:[A-Z])[\w'’-]+){{0,3}},? (?:is|was|are|were|will|should|has|had"
    r"|wants?|wanted|owns?|owes?|hates?|loves?|works?|lives?|lived|knows?|thinks?|needs?|used|never|always|once|still)\b.+$"
)
"""Somebody beside the protagonist, for whom the story bible has no field."""
_PLACES = (
    (
        _pattern(r"^\W*(?:in|by|at) the (?:very )?end(?: of (?:the|her|his|their) (?:book|story|arc|novel))?\b"),
        "arc_resolution",
    ),
    (_pattern(r"^\W*(?:in|at) the (?:very )?(?:beginning|start)\b"), "arc_start"),
    (_pattern(r"^\W*(?:half-?way|in the middle|at the midpoint)\b"), "arc_midpoint"),
)
"""Where in the book a sentence says that it belongs."""
_REQUEST = _pattern(rf"{_LEAD}{_phrases('request')}")
_ADDRESSED = re.compile(r"\b(?:me|us|you|your|it|this|file|scene|chapter|book|page|ideas?|names?)\b", re.I)
_RECALL = _pattern(rf"{_LEAD}{_phrases('recall')}\b(.{{2,120}})$")
_TOLD = _pattern(rf"{_LEAD}(?:remind|tell|show|read)\b")
_SETTLED = re.compile(r"\b(?:decided?|settled?|agreed?|said|say)\b", re.I)
_ARTICLE = re.compile(r"^(?:the|a|an|her|his|their|its|my|our|[^\W\d_]+['’]s)\s+", re.I)
_PRELUDE = re.compile(
    r"^\W*+(?:(?:ok(?:ay)?|yes|well|so|hm+|right|sure|alright|not sure|no idea|hi|hello|hey)\b\s*+[,.:;!—–-]++\s*+"
    r"|i(?:['’]ve| have)? (?:been thinking|thought about it|decided)(?: about it)?(?: that\b|[:,])\s*"
    r"|(?:let['’]?s say|i (?:guess|think|suppose|believe|imagine|would say)|i['’]d say|maybe|perhaps|probably|say)"
    r"(?: that)?(?:,\s*|\s+)(?=\w))+",
    re.I,
)
_RATHER = _pattern(
    r"^(.{4,80}?)[,;.:]?\s+(?:it['’]?s |it is |it should be )?(?:more like|rather|better)[:,]?\s+(.{4,})$"
)
_LABELLED = _pattern(r"^\W*([\w '’-]{3,40}?):\s+(.{3,})$")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_PLAN = _pattern(rf"\b{_phrases('plan')}\b")
_VERDICT = _pattern(rf"{_LEAD}(?:the |her |his |their |my |our |this )?{_phrases('plan')} {_phrases('verdict')}\b")
_PAGES = _pattern(rf"^\W*(?:the |this |my |our |first |second |third |past |present )?{_phrases('pages')}\b")
_SPEAKER = _pattern(rf"{_LEAD}{_phrases('speaker')}")
_ORDER = _pattern(rf"{_LEAD}{_phrases('order')}\b")
_YOU = re.compile(
    r"^(?!\W*you (?:see|watch|hear)\b)(?!.*\b(?:she|he|they|her|him|his|their)\b).*\b(?:you|your|yours|yourself)\b",
    re.I | re.S,
)
SAYINGS = ("protagonist.the_lie", "theme.central_theme", "theme.theme_statement", "beat_sheet.beat_2")
"""Fields whose answer may say 'you' and mean anybody."""
_THIRD = re.compile(r"^\W*(?:i|we|you|your|our)\b.*?\b(?:she|he|they|her|him|his|their)\b", re.I | re.S)


@dataclass(frozen=True, slots=True)
class Utterance:
    """What was said: `where` is the field it is about, if any, and `value` the words that count."""

    kind: UtteranceKind
    value: str = ""
    where: str = ""


@dataclass(frozen=True, slots=True)
class _Message:
    said: str
    asked: str
    last: str
    fields: Sequence[BibleField]

    @property
    def is_long(self) -> bool:
        return len(self.said) > LONG

    def field(self, phrase: str) -> str:
        return named_field(phrase, self.fields)


def utterance_of(said: str, fields: Sequence[BibleField], asked: str = "", last: str = "") -> Utterance:
    """What a message is. `asked` is the open question's field, `last` the field that was settled last."""
    message = _Message(said.strip(), asked, last, fields)
    for reading in _READINGS if len(said) <= LONGEST else ():
        if (found := reading(message)) is not None:
            return found
    return Utterance("answer", _without_prelude(message.said))


def _without_prelude(said: str) -> str:
    """An answer without the words that only lead to it."""
    rest = _PRELUDE.sub("", said)
    return rest if len(rest.split()) > 2 else said


def _short(kind: UtteranceKind) -> Callable[[_Message], Utterance | None]:
    """The whole message is one of the phrases, give or take a few words."""
    pattern = _pattern(
        rf"{_LEAD}{_phrases(kind)}(?:[\s,.]++(?:please|sorry|then|now|too|about that|thanks|thank you))*\W*+$"
    )

    def read(message: _Message) -> Utterance | None:
        return Utterance(kind) if not message.is_long and pattern.match(message.said) else None

    return read


def _last_words(kind: UtteranceKind) -> Callable[[_Message], Utterance | None]:
    """The last sentence of a few says what is wanted: 'I don't know yet. Can we leave that?'"""
    read = _short(kind)

    def read_last(message: _Message) -> Utterance | None:
        *before, last = _SENTENCE.split(message.said)
        is_whole = not before or message.is_long
        return None if is_whole else read(replace(message, said=last))

    return read_last


def _nothing(message: _Message) -> Utterance | None:
    return Utterance("stuck") if is_placeholder(message.said) else None


def _change(message: _Message) -> Utterance | None:
    """A new value for a field that is named, or for the one that was settled last."""
    if found := _CALL.match(message.said):
        return Utterance("change", found[1].strip(" ."), NAME)
    for pattern in (_CHANGE, _WANT):
        found = pattern.match(message.said)
        if found and (where := message.field(found[1]) or _it(found[1], message)):
            return Utterance("change", found[2].strip(), where)
    if (found := _MAKE.match(message.said)) and len(found[2].split()) < 40:
        where = message.field(found[1]) if found[1] else message.last or message.asked
        if "." in where:
            return Utterance("change", re.sub(r",? instead\W*+$", "", found[2]).strip(), where)
    if (found := _INSTEAD.match(message.said)) and message.last:
        return Utterance("change", found[1].strip(), message.last)
    if (found := _LABELLED.match(message.said)) and (where := message.field(found[1])):
        return Utterance("change", found[2].strip(), where)
    return _rather(message)


def _denied(message: _Message) -> Utterance | None:
    """'No, that is not her flaw. Her flaw is …': the field that is denied is meant, whatever was asked for."""
    first, *rest = _SENTENCE.split(message.said, maxsplit=1)
    where = message.field(first) if _DENIED.match(first) and not first.endswith("?") else ""
    if not where:
        return None
    if not rest:
        return Utterance("turn", first, where)
    stated = _stated(replace(message, said=rest[0]))
    return stated or Utterance("change", _without_prelude(rest[0]), where)


def _rather(message: _Message) -> Utterance | None:
    """'The lie is wrong, it's more like …', and 'I said she trusts nobody. Make that …'."""
    if (found := _RATHER.match(message.said)) and (where := message.field(found[1])):
        return Utterance("change", found[2].strip(), where)
    *before, last = _SENTENCE.split(message.said)
    found = _MAKE.match(last) if before and not message.is_long else None
    if found is None or found[1]:
        return None
    said = set(content(" ".join(before)))
    held = [
        one for one in message.fields if one.value and len(said & set(content(one.value))) * 2 > len(content(one.value))
    ]
    return Utterance("change", found[2].strip(), f"{held[0].template}.{held[0].name}") if held else None


def _it(phrase: str, message: _Message) -> str:
    return message.last if phrase.strip().lower() in ("it", "that", "this", "the last one", "my answer") else ""


def _stated(message: _Message) -> Utterance | None:
    """'Her flaw is …': a field that is named is meant, whatever was asked for."""
    if arc := _ARC.match(_PRELUDE.sub("", message.said)):
        where = f"protagonist.{_ARC_FIELDS.get(arc['where'][0].lower(), 'arc_resolution')}"
        return Utterance("answer" if where == message.asked else "change", arc[2].strip(), where)
    found = _IS.match(_PRELUDE.sub("", message.said)) or _IS_ELSEWHERE.match(message.said)
    phrase = _ARTICLE.sub("", found[1]) if found else ""
    where = message.field(phrase)
    if found is None or not where or len(phrase.split()) > 4 or _SPEAKER.match(message.said):
        return None
    name = message.asked.partition(".")[2].removeprefix("arc_")
    if name and name.replace("_", " ") in phrase.lower():  # the midpoint of the arc, not that of the beats
        where = message.asked
    return Utterance("answer" if where == message.asked else "change", _clause(found[2].strip()), where)


def _clause(text: str) -> str:
    """'… is that she never asks': the clause without what joins it."""
    rest = re.sub(r"^that\s+(?=(?:\S+\s+){3})", "", text)
    return rest if rest == text else rest[0].upper() + rest[1:]


def _placed(message: _Message) -> Utterance | None:
    """'In the end she …' while another part of the arc is asked for."""
    if not message.asked.startswith("protagonist.arc_"):
        return None
    for pattern, name in _PLACES:
        if pattern.match(message.said) and message.asked != f"protagonist.{name}" and not message.said.endswith("?"):
            return Utterance("change", message.said, f"protagonist.{name}")
    return None


def _turn(message: _Message) -> Utterance | None:
    """Another subject: one of the bible's fields, or one it has no field for."""
    if message.is_long or len(message.said.split()) > 14:
        return None
    if found := _TURN.match(message.said):
        named = message.field(found[1])
        if named or _WISHED.match(message.said):
            return Utterance("turn", found[1].strip(), named)
    if (found := _SUBJECT.match(message.said)) and len(found[1].split()) <= 4:
        named = named_field(_ARTICLE.sub("", found[1]), message.fields, exactly=True)
        if named and (named != message.asked or named == NAME):
            return Utterance("turn", found[1].strip(), named)
    return None


def _remember(message: _Message) -> Utterance | None:
    for pattern in _KEPT:
        if found := pattern.match(message.said):
            return Utterance("remember", found["kept"].strip())
    if message.is_long:
        return None
    is_hers = message.asked.startswith("protagonist.") and _OTHER.match(message.said)
    is_theirs = message.asked.startswith(("protagonist.", "world_rules.")) and _PERSON.match(message.said)
    return Utterance("remember", message.said) if is_hers or is_theirs else None


def _recalls(message: _Message) -> Utterance | None:
    found = _RECALL.match(message.said.rstrip("?!. "))
    is_short = len(message.said.split()) <= 8 or (not message.is_long and _TOLD.match(message.said))
    if found is None or not (_is_question(message) or is_short):
        return None
    where = message.field(found[1])
    return Utterance("recall", found[1].strip(), where) if where or _SETTLED.search(found[1]) else None


def _asks(message: _Message) -> Utterance | None:
    return Utterance("question", message.said) if _is_question(message) else None


def _is_question(message: _Message) -> bool:
    return message.said.endswith("?") and len(message.said.split()) < 40


def _request(message: _Message) -> Utterance | None:
    if message.is_long or not _REQUEST.match(message.said):
        return None
    is_addressed = message.said.lower().startswith(("please", "can ")) or _ADDRESSED.search(message.said)
    return Utterance("request", message.said) if is_addressed or len(message.said.split()) == 1 else None


def _remark(message: _Message) -> Utterance | None:
    """About the plan or the pages, not about the story: a taste is kept, the rest is only heard."""
    if message.is_long or len(_PRELUDE.sub("", message.said)) < len(message.said.strip()):
        return None
    if _PAGES.match(message.said):
        return Utterance("remember", message.said)
    about_plan, few = bool(_PLAN.search(message.said)), len(message.said.split())
    is_told = message.asked not in SAYINGS and not _THIRD.match(message.said)
    is_spoken = _SPEAKER.match(message.said) and (about_plan or is_told)
    is_ordered = _ORDER.match(message.said) and (about_plan or few <= 6)
    is_wish = _WISHED.match(message.said) and few <= 10
    is_addressed = few <= 10 and _YOU.search(message.said) and message.asked not in SAYINGS
    if is_spoken or is_ordered or is_wish or is_addressed or _VERDICT.match(message.said):
        return Utterance("remark", message.said, message.field(message.said) if about_plan else "")
    return None


def _status(message: _Message) -> Utterance | None:
    is_short = len(message.said.split()) < 14
    return Utterance("status") if is_short and _STATUS.search(message.said) else None


def _any(kind: UtteranceKind) -> Callable[[_Message], Utterance | None]:
    """One of the phrases stands somewhere in a short message."""
    pattern = _pattern(rf"(?:^|[\s,.!?;:—-]){_phrases(kind)}\b")

    def read(message: _Message) -> Utterance | None:
        return Utterance(kind) if len(message.said.split()) < 16 and pattern.search(message.said) else None

    return read


_READINGS: tuple[Callable[[_Message], Utterance | None], ...] = (
    _nothing,
    _last_words("skip"),
    _last_words("undo"),
    _last_words("farewell"),
    _short("stuck"),
    _short("undo"),
    _short("wrong"),
    _short("previous"),
    _short("skip"),
    _short("again"),
    _denied,
    _change,
    _stated,
    _placed,
    _short("greeting"),
    _any("settled"),
    _any("gate"),
    _short("farewell"),
    _short("aside"),
    _status,
    _turn,
    _remember,
    _recalls,
    _request,
    _asks,
    _remark,
)
