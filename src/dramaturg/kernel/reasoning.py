"""Reasoning that models write into their answers, and the marks around it: tags, brackets, channels, fences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

REASONING_TAGS = frozenset(
    {
        *("thinking", "think", "thought", "thoughts", "reasoning", "reflection", "scratchpad", "analysis"),
        *("inner_monologue", "internal_monologue", "monologue", "inner_thoughts", "internal_thoughts", "innerthoughts"),
        *("chain_of_thought", "train_of_thought", "my_thoughts", "cot", "deliberation", "planning", "plan"),
        *"pensamiento pensamientos reflexión reflexion razonamiento pensamento reflexão raciocínio pensiero".split(),
        *"pensieri riflessione ragionamento pensée pensées réflexion raisonnement gedanke gedanken überlegung".split(),
        *"überlegungen gedachte gedachten redenering düşünce myśli myšlenky tankar мысль мысли размышление".split(),
        *"рассуждение 思考 思考过程 思考過程 内心独白 推理 想法 考え 생각".split(),
    }
)
"""The names of tags around reasoning. Any of them ends what another began: models mix them up."""
BRACKETED = ("thinking", "think", "thoughts", "thought", "reasoning")
"""The names that stand in square brackets as well."""
BARRED = r"(?P<slash>[/／]?)(?P<barred>[\w▁]{1,40})"
"""What stands between the bars of a token, as a pattern: `<|begin_of_thought|>`, `<|/think|>`."""
_PART = re.compile(r"[A-Z]{1,40}(?![a-z])|[A-Z]?[^\WA-Z\d_]{1,40}")
_INNER = frozenset({"inner", "internal"})
_KEPT_IN = frozenset(
    "note notes voice dialogue state speech self feeling feelings emotion emotions mind log words conflict".split()
)
"""Parts that make a name one of reasoning beside those: `internal_note`. `inner_city` is none."""
_PLANS = frozenset({"plan", "planning", "analysis"})
_WHOSE = frozenset("my the secret hidden private story scene character response turn next of action step steps".split())
"""Parts beside which a plan is reasoning: `secret_plan`. `floor_plan` is none."""
_MANNERS = frozenset({"in", "mid", "lost", "deep", "well"})
"""Parts with which a name tells how somebody speaks: `<lost-in-thought>`."""
_BEGINS, _ENDS = frozenset({"begin", "start", "open"}), frozenset({"end", "stop", "close"})
_NAME = r"[^\W\d_][\w-]{0,40}"
_MARK = re.compile(
    r"(?P<over><channel\|>)|<unused9(?P<unused>[45])>"
    rf"|<\s{{0,3}}(?P<end>/?)\s{{0,3}}(?:\w{{1,12}}:)?(?P<tag>{_NAME})(?P<more>[^\w<>-][^<>]*+)?(?<!/)>"
    rf"|\[(?P<bracket>/?)(?P<bracketed>{'|'.join(BRACKETED)}|[a-z]{{1,12}}_[a-z_]{{1,24}})\]"
    r"|◁(?P<triangle>/?)think▷"
    rf"|<[|｜](?!channel\|){BARRED}[|｜]>"
    r"|<\|channel\|?>\s{0,3}(?P<channel>\w{0,20})(?:[^<>|]{0,80}(?:<\|constrain\|>[^<>|]{0,40})?<\|message\|>)?"
    r"|(?P<lost>assistantfinal)",
    re.IGNORECASE,
)
_ODD = re.compile(rf"(?:＜|&lt;)\s{{0,3}}(?P<end>[/／]?)\s{{0,3}}(?P<tag>{_NAME})\s{{0,3}}(?:＞|&gt;)", re.IGNORECASE)
_EMPTY = re.compile(rf"<(?:\w{{1,12}}:)?(?P<tag>{_NAME})\s{{0,3}}/>")
_SIGNS = re.compile(
    r"[\[<＜◁`]|~~~|&lt;|assistantfinal|(?:thought|thinking|reasoning) process|done thinking", re.IGNORECASE
)
_FENCE = re.compile(rf"^[ \t]{{0,3}}(?P<fence>`{{3,6}}|~{{3,6}})[ \t]?(?P<tag>{_NAME})[ \t]{{0,9}}\n", re.MULTILINE)
_TURN = re.compile(rf"<\|(?:im_start|start_header_id|start)\|>\s{{0,3}}(?P<tag>{_NAME})", re.IGNORECASE)
TURN_ENDS = ("<|im_end|>", "<|eot_id|>", "<|end|>", "<|im_start|>")
"""What ends a turn that is all reasoning."""
END_OF_TURN = re.compile(r"<\|(?:im_end|eot_id|end)\|>|(?=<\|(?:im_start|start_header_id|start)\|>)", re.IGNORECASE)
"""What ends a turn of a chat template: its own mark, or the next turn's."""
_ANNOUNCED = re.compile(r"\s{0,20}(?:here(?:'s| is) my thought process:|my thought process:)", re.IGNORECASE)
_LEADS = (*(f"here{verb} {whose} " for verb in ("'s", " is") for whose in ("a", "my", "the")), "my ", "the ", "")
_ANNOUNCING = tuple(f"{lead}{kind} process" for lead in _LEADS for kind in ("thinking", "thought", "reasoning"))
_HEADING = re.compile(
    rf"\s{{0,20}}(?:[*_#]{{1,4}} ?)?(?:{'|'.join(_ANNOUNCING)})".replace("'", "['’]")
    + r"(?: that leads to [^\n:*]{1,60})?(?P<mark>[*_]{0,2}:[*_]{0,2}|[*_]{2})?[ \t]{0,9}\n",
    re.IGNORECASE,
)
_MUSES = re.compile(r"\s{0,20}thinking(?:\.\.\.|…)[ \t]{0,9}\n", re.IGNORECASE)
_MUSED = re.compile(r"\n[ \t]{0,9}(?:\.\.\.|…) ?done thinking\.?[ \t]{0,9}(?=\n|\Z)", re.IGNORECASE)
_ANSWERS = re.compile(
    r"here(?:'s| is) my (?:response|answer|reply):"
    r"|^[*_#]{0,3} ?(?:final |my )?(?:response|answer|reply|output)[*_]{0,2}:[*_]{0,2}",
    re.IGNORECASE | re.MULTILINE,
)
_STEP = re.compile(r"[*_# \t]{0,6}(?:\d{1,2}[.)]|[-*•])\s")
"""How a paragraph begins that is one of the steps of a thought."""


def is_reasoning_name(name: str, more: str = "") -> bool:
    """Whether a tag, a key or a fence with this name holds reasoning: one of the names, or one with such a part.

    The parts are divided by `_`, `-`, digits and capitals: `inner_thought`, `reasoning-content`, `antThinking`. `more`
    is what stands in a tag behind it: attributes, the rest of a name (`<inner thoughts>`), or words.
    """
    whole = name.lower()
    if "_".join(f"{whole}{more}".lower().split()) in REASONING_TAGS:
        return True
    if whole in REASONING_TAGS:
        return whole not in _PLANS or not more.strip(" /") or "=" in more  # `<Plan of the house>`
    parts = _parts(name)
    known = parts & REASONING_TAGS
    if parts & _MANNERS:
        return False
    if parts & _INNER:
        return bool(known or parts & _KEPT_IN)
    return bool(known - _PLANS) or bool(known and parts <= _PLANS | _WHOSE)


def ends_reasoning(name: str) -> bool | None:
    """Whether the name of a token says that reasoning ends, as `end_of_thought` does; None if it says nothing."""
    parts = _parts(name)
    return True if parts & _ENDS else False if parts & _BEGINS else None


def _parts(name: str) -> frozenset[str]:
    return frozenset(part.lower() for part in _PART.findall(name[:80]))


def without_reasoning(text: str) -> str:
    """What a text says. Reasoning that never ends takes the rest with it; an end without a beginning, what is before.

    The time is in proportion to the text.
    """
    if _SIGNS.search(text) is None:
        return text
    return _outside_marks(_EMPTY.sub(_unless_reasoning, without_fenced_reasoning(text)))


def _unless_reasoning(found: re.Match[str]) -> str:
    return "" if is_reasoning_name(found["tag"]) else found[0]


def without_fenced_reasoning(text: str) -> str:
    """The same for reasoning that no tag or mark is around: in a code fence or a turn that says so, or announced.

    Tags in full width, and escaped ones, are written as others are.
    """
    text = _ODD.sub(_plain_mark, text) if "＜" in text or "&lt;" in text else text
    return _outside_fences(_outside_turns(_after_announced(text)))


def _plain_mark(found: re.Match[str]) -> str:
    """A tag of reasoning in full width, or escaped, as others write it; anything else as it stands."""
    return f"<{'/' if found['end'] else ''}{found['tag']}>" if is_reasoning_name(found["tag"]) else found[0]


def announces_reasoning(text: str) -> bool:
    """Whether a text begins with words or a heading that announce reasoning."""
    return any(one(text) for one in (_ANNOUNCED.match, _heading, _MUSES.match))


def may_announce(text: str) -> bool:
    """Whether a text, as far as it has come, may still become a heading over reasoning."""
    plain = text.lstrip("*_# ").lower().replace("’", "'")
    return "\n" not in plain and any(one.startswith(plain[: len(one)]) for one in _ANNOUNCING)


def _after_announced(text: str) -> str:
    """What is marked as the answer; below a heading, what follows the thought behind an empty row."""
    if _MUSES.match(text) is not None:
        mused = _MUSED.search(text)
        return text[mused.end() :] if mused else text
    heading = _heading(text)
    if heading is None and _ANNOUNCED.match(text) is None:
        return text
    answer = _ANSWERS.search(text)
    if answer is not None:
        return text[answer.end() :]
    return _below_steps(text[heading.end() :]) if heading else ""


def _heading(text: str) -> re.Match[str] | None:
    found = _HEADING.match(text)
    return found if found is not None and (found["mark"] or "#" in found[0]) else None


def _below_steps(text: str) -> str:
    _, *rest = text.strip().split("\n\n")
    place = next((place for place, one in enumerate(rest) if one.strip() and _STEP.match(one) is None), len(rest))
    return "\n\n".join(rest[place:]).lstrip("\n")


def _outside_turns(text: str) -> str:
    kept, at, turns = list[str](), 0, _TURN.finditer(text) if "<|" in text else iter(())
    for turn in turns:
        if turn.start() < at or not is_reasoning_name(turn["tag"]):
            continue
        kept.append(text[at : turn.start()])
        end = END_OF_TURN.search(text, turn.end())
        at = end.end() if end else len(text)
    return "".join((*kept, text[at:]))


def _outside_fences(text: str) -> str:
    kept, at, fences = list[str](), 0, _FENCE.finditer(text) if "```" in text or "~~~" in text else iter(())
    for fence in fences:
        if fence.start() < at or not is_reasoning_name(fence["tag"]):
            continue
        kept.append(text[at : fence.start()])
        end = text.find(f"\n{fence['fence']}", fence.end() - 1)
        at = len(text) if end < 0 else end + 1 + len(fence["fence"])
    return "".join((*kept, text[at:]))


def _outside_marks(text: str) -> str:
    kept: list[str] = []
    at, thoughts = 0, OpenThoughts()
    for found, mark in _marks(text):
        inside = bool(thoughts)
        thoughts.meet(mark)
        if not inside and mark.closes:
            kept.clear()
        elif not inside:
            kept.append(text[at : found.start()])
        at = found.end()
    return "".join(kept if thoughts else (*kept, text[at:]))


def _marks(text: str) -> Iterator[tuple[re.Match[str], ReasoningMark]]:
    at = 0
    while (found := _MARK.search(text, at)) is not None:
        mark = _read(found)
        at = found.end() if mark else found.start() + 1
        if mark:
            yield found, mark


class ReasoningMark(NamedTuple):
    """A mark at an edge of reasoning. Those that can end each other have one name."""

    name: str
    closes: bool


class OpenThoughts:
    """The reasoning that goes on: one piece may be inside another, and an end that fits none of them ends all."""

    def __init__(self) -> None:
        self._names: list[str] = []

    def __bool__(self) -> bool:
        return bool(self._names)

    def meet(self, mark: ReasoningMark) -> None:
        inside = mark.name in self._names
        if mark.closes:
            del self._names[self._names.index(mark.name) if inside else 0 :]
        elif not inside:
            self._names.append(mark.name)


def reasoning_mark(text: str, at: int = 0) -> ReasoningMark | None:
    """The mark that a text is, from a place to its end."""
    found = _MARK.fullmatch(text, at)
    return _read(found) if found else None


def _read(found: re.Match[str]) -> ReasoningMark | None:
    """The mark that was found; None if it only looks like one."""
    if found["channel"] is not None:
        return ReasoningMark("channel", found["channel"].lower() in ("final", "response"))
    if found["lost"] or found["over"]:
        return ReasoningMark("channel", closes=True)
    if found["unused"] or found["triangle"] is not None:
        return ReasoningMark("edge", found["unused"] == "5" or bool(found["triangle"]))
    name = found["tag"] or found["bracketed"] or found["barred"]
    if not is_reasoning_name(name, found["more"] or ""):
        return None
    edge = ends_reasoning(name)
    slash = found["end"] or found["bracket"] or found["slash"]
    return ReasoningMark("edge" if edge is not None or found["barred"] else name.lower(), bool(slash or edge))
