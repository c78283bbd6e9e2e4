"""Reasoning that models write into their answers, and the marks around it: tags, brackets, channels, fences."""

from __future__ import annotations

import re

REASONING_TAGS = frozenset(
    {
        *("thinking", "think", "thought", "thoughts", "reasoning", "reflection", "scratchpad", "analysis"),
        *("inner_monologue", "internal_monologue", "monologue", "inner_thoughts", "internal_thoughts"),
        *("chain_of_thought", "cot", "deliberation", "planning", "plan"),
        *"pensamiento pensamientos reflexión reflexion razonamiento pensamento reflexão raciocínio pensiero".split(),
        *"pensieri riflessione ragionamento pensée pensées réflexion raisonnement gedanke gedanken überlegung".split(),
        *"überlegungen gedachte gedachten redenering düşünce myśli myšlenky tankar мысль мысли размышление".split(),
        *"рассуждение 思考 推理 想法 考え 생각".split(),
    }
)
"""The names of tags around reasoning. Any of them ends what another began: models mix them up."""
_NAMES = "|".join(sorted(REASONING_TAGS, key=len, reverse=True))
_MARK = re.compile(
    rf"<\s{{0,3}}(?P<end>/?)\s{{0,3}}(?:\w{{1,12}}:)?(?:{_NAMES})\b[^<>]{{0,200}}>"
    r"|\[(?P<bracket>/?)(?:think|thinking|thoughts?|reasoning)\]"
    r"|◁(?P<triangle>/?)think▷"
    r"|<\|(?P<edge>begin|start|end)_(?:of_)?(?:thought|thinking|reasoning)\|>"
    r"|<unused9(?P<unused>[45])>"
    r"|<\|channel\|>\s{0,3}(?P<channel>\w{0,20})[^<>|]{0,80}(?:<\|constrain\|>[^<>|]{0,40})?(?:<\|message\|>)?"
    r"|(?P<lost>assistantfinal)",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"[\[<◁`]|assistantfinal|thought process", re.IGNORECASE)
_FENCE = re.compile(rf"^[ \t]{{0,3}}```[ \t]?(?:{_NAMES})[ \t]{{0,9}}\n", re.IGNORECASE | re.MULTILINE)
_ANNOUNCED = re.compile(r"\s{0,20}(?:here(?:'s| is) my thought process:|my thought process:)", re.IGNORECASE)
_ANSWERS = re.compile(r"here(?:'s| is) my (?:response|answer|reply):", re.IGNORECASE)


def without_reasoning(text: str) -> str:
    """What a text says. Reasoning that never ends takes the rest with it; an end without a beginning, what is before.

    The time is in proportion to the text.
    """
    if _SIGNS.search(text) is None:
        return text
    return _outside_marks(without_fenced_reasoning(text))


def without_fenced_reasoning(text: str) -> str:
    """The same for reasoning that no tag or mark is around: in a code fence that says so, or announced in words."""
    return _outside_fences(_after_announced(text))


def _after_announced(text: str) -> str:
    if _ANNOUNCED.match(text) is None:
        return text
    answer = _ANSWERS.search(text)
    return text[answer.end() :] if answer else ""


def _outside_fences(text: str) -> str:
    kept, at = [], 0
    while (fence := _FENCE.search(text, at)) is not None:
        kept.append(text[at : fence.start()])
        end = text.find("\n```", fence.end() - 1)
        at = len(text) if end < 0 else end + 4
    return "".join((*kept, text[at:]))


def _outside_marks(text: str) -> str:
    kept: list[str] = []
    at, inside = 0, False
    for mark in _MARK.finditer(text):
        if _closes(mark):
            if not inside:
                kept.clear()
            at, inside = mark.end(), False
        elif not inside:
            kept.append(text[at : mark.start()])
            at, inside = mark.end(), True
    return "".join(kept if inside else (*kept, text[at:]))


def _closes(mark: re.Match[str]) -> bool:
    if mark["channel"] is not None:
        return mark["channel"].lower() in ("final", "response")
    if mark["edge"] is not None:
        return mark["edge"].lower() == "end"
    return bool(mark["end"] or mark["bracket"] or mark["triangle"] or mark["lost"] or mark["unused"] == "5")
