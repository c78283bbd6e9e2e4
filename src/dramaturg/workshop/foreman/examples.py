"""Code fences that a model introduces as an example: nothing in them is done."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dramaturg.workshop.foreman.answer_parts import KnownActions
from dramaturg.workshop.foreman.code_calls import code_calls
from dramaturg.workshop.foreman.json_calls import calls_in
from dramaturg.workshop.foreman.tags import ACTION, CALL, MESSAGE, UPDATE, Tag, plain_name

LOOK_BACK = 240
_FENCE = re.compile(r"^[ \t]{0,3}```[\w-]{0,20}[ \t]{0,9}\n.*?(?:^[ \t]{0,3}```[ \t]{0,9}$|\Z)", re.M | re.S)
_TAGS = re.compile(r"(?:</?[A-Za-z_]{1,20}>\s{0,9}){1,3}\Z")
_WORDS = (
    r"(?<!\w)(?:examples?|for instance|e\.g\.|would look like|beispiele?|beispielsweise|z\. ?b\.|exemples?|ejemplos?|"
    r"exemplos?|esempio|bijvoorbeeld|voorbeeld|например|пример)(?!\w)|例|たとえば|예를 들"
)
_INTRODUCES = re.compile(rf"(?P<sentence>[^\n.!?。]{{0,120}}?(?:{_WORDS})[^\n.!?。]{{0,80}})\Z", re.I)


def examples_in(text: str, tags: Sequence[Tag], known: KnownActions) -> list[tuple[int, int]]:
    """Where the examples outside of messages and prose are that hold something to be done, with their introductions."""
    if "```" not in text:
        return []
    return list(_examples(text, tags, known))


def _examples(text: str, tags: Sequence[Tag], known: KnownActions) -> Iterator[tuple[int, int]]:
    place, inside, last = 0, False, 0
    for fence in _FENCE.finditer(text):
        while place < len(tags) and tags[place].start < fence.start():
            tag = tags[place]
            inside = tag.opens if tag.name in MESSAGE | UPDATE and not tag.empty else inside
            last, place = max(last, tag.end), place + 1
        held = []
        while place < len(tags) and tags[place].start < fence.end():
            held.append(tags[place])
            place += 1
        start = None if inside else _introduction(text, fence.start())
        if start is not None and not any(tag.name in MESSAGE for tag in held) and _acts(fence[0], held, known):
            yield min(max(start, last), fence.start()), fence.end()
        for tag in held:
            inside = tag.opens if tag.name in MESSAGE | UPDATE and not tag.empty else inside
            last = max(last, tag.end)


def _introduction(text: str, fence: int) -> int | None:
    """Where the sentence begins that introduces an example before a fence; None if none does."""
    before = text[max(0, fence - LOOK_BACK) : fence].rstrip()
    before = _TAGS.sub("", before).rstrip(" \t\n:：*_")
    found = _INTRODUCES.search(before)
    return max(0, fence - LOOK_BACK) + found.start() if found else None


def _acts(fence: str, tags: Sequence[Tag], known: KnownActions) -> bool:
    named = (tag.name in ACTION | CALL | UPDATE or plain_name(tag.name) in known.names for tag in tags)
    return any(named) or bool(calls_in(fence, known.names).actions or code_calls(fence, known.names).actions)
