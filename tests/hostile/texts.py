"""Hostile texts, by size: every mark and token that a reader looks for, repeated, nested, mixed and cut off."""

from __future__ import annotations

import random
from collections.abc import Callable

SIZES = (2_000, 20_000, 200_000)

MARKS = (
    *"\"'`{}[]<>/\\*_-:()#,.!?~|=&;^$@%+\0\x7f",
    *("\n", " ", "\t", "\r", "\r\n", "\u2028", "\x85", "\u00a0"),
    *("“", "”", "„", "«", "»", "‘", "’", "「", "」", "『", "』", "…", "—", "字", "é", "🙂", "a", "A", "0"),
)
TOKENS = (
    *("- ", "* ", "> ", "1. ", "# ", "a ", "a.", "a,", "Aa ", "A-", '" ', '",', '":', '", "', "{ ", "[ ", "} ", "]["),
    *("<key>", "</key>", "<key/>", "<a b=c>", "< ", "</", "<!--", "-->", "<think>", "</think>", "<think ", "<message>"),
    *("<message></x>", "<think><message>", "<action>", "</action>", '<x type="save"></x>', "<content_update>", "&lt;"),
    *(
        "&lt;think ",
        "&#9",
        "&quot;",
        "<![CDATA[",
        "```",
        "```\n",
        "~~~",
        "**",
        "__",
        "*a",
        "*a*",
        "`a",
        "[a](",
        "![",
        "](",
    ),
    *(
        '{"a":',
        '{"a":[',
        "[[",
        '["a",',
        "{'a':",
        '{"dialogue":"',
        '"internal":',
        "[REACT,",
        "[TONE: ",
        "[TO: a]",
        "(a",
        "a@a.",
    ),
    *(
        "\\u",
        "\\",
        '\\"',
        "\\ud83c",
        "http://",
        "www.",
        "Internal:",
        "Alice: ",
        "\nAlice",
        "Bob\n",
        "...",
        "[...]",
        "“a",
        "a”",
    ),
    *(
        "[THINK]",
        "[/THINK]",
        "<|channel|>",
        "<|channel|>final",
        "<|channel>",
        "<channel|>",
        "<|/think|>",
        "<|im_start|>think",
        "<inner_thought>",
        "<antThinking ",
        "＜think＞",
        "&lt;think&gt;",
        "~~~thinking\n",
        "[inner_thought]",
        "</ internal>",
        "<internal\n>",
        "Thinking...\n",
        "Thinking Process:\n\n",
        "<session_state>",
        "<tool_call>",
        "<tool_call>{",
        '<a b="',
        "<a b='<",
        '<a b="x"; ',
        "into <message> t",
        "the <action> t",
        "assistantfinal",
        "never to ",
        "that he ",
        "the a ",
        "\n\n",
        "\n \n",
        "\n- ",
        "\na: b",
        "\n:",
        " :",
        ": ",
        "a:\n",
        "=",
        "a=",
        "a='",
        "--- ",
        "Mr. ",
        "\n## a\n",
        "\u01f0",
        "aaaaaaaa://",
        "no, not a ",
    ),
)
OPENINGS = (
    "```",
    "```json\n",
    "{",
    '{"a": "',
    "<",
    "<a ",
    "[",
    '"',
    "“",
    "[TONE: ",
    "<think>",
    "<think ",
    "<|channel>",
    "Thinking...\n",
    "Thinking Process:\n\n",
    "<message>",
    "*",
    "(",
    "&#",
    '{"dialogue": "x"',
)
FILLINGS = (" ", "\n", "\t", "a", "0", '"', "- ", "*", "` ", " \n", "a ", ", ")
PAIRS = (
    ("{", "}"),
    ("[", "]"),
    ("(", ")"),
    ("<a>", "</a>"),
    ('{"a":', "}"),
    ("“", "”"),
    ("*", "*"),
    ("<think>", "</think>"),
    ("[[", "]]"),
    ("[THINK]", "[/THINK]"),
    ("<inner_thought>", "</inner_thought>"),
    ("<internal>", "</ internal>"),
    ("<!--", "-->"),
    ("<message><content_update>", "</content_update></think>"),
)


def _repeated(token: str) -> Callable[[int], str]:
    return lambda size: (token * (size // len(token) + 1))[:size]


def _filled(opening: str, filling: str, ending: str = "") -> Callable[[int], str]:
    return lambda size: opening + (filling * (size // len(filling)))[:size] + ending


def _nested(opening: str, closing: str) -> Callable[[int], str]:
    def build(size: int) -> str:
        depth = size // (len(opening) + len(closing))
        return opening * depth + closing * depth

    return build


def _table() -> dict[str, Callable[[int], str]]:
    table: dict[str, Callable[[int], str]] = {}
    for token in dict.fromkeys((*MARKS, *TOKENS)):
        table[f"{token!r} repeated"] = _repeated(token)
    for opening in OPENINGS:
        for filling in FILLINGS:
            table[f"{opening!r} and {filling!r}"] = _filled(opening, filling)
    for opening, closing in PAIRS:
        table[f"{opening!r} nested"] = _nested(opening, closing)
    table["a fence that closes after newlines"] = _filled("```", "\n", "x\n```x")
    table["brackets that close at the end"] = _filled("", "[", "]")
    table["messages that close at the end"] = _filled("", "<message>", "</message>")
    table["a form cut in its key"] = lambda size: '{"dialogue": "' + "x" * size + '", "inter'
    table["marks behind a line that no space follows"] = lambda size: (
        "one two three four five six seven " + "?" * size + "x"
    )
    table["a form of many keys"] = lambda size: "{" + ", ".join(f'"k{n}": "v"' for n in range(size // 12)) + "}"
    return table


TEXTS = _table()


def composed(seed: int, size: int) -> str:
    """A random composition of the same marks and tokens; the same for the same seed."""
    rng = random.Random(seed)
    chosen = rng.sample((*MARKS, *TOKENS, *OPENINGS), rng.randint(1, 6))
    parts: list[str] = []
    length = 0
    while length < size:
        part = rng.choice(chosen) * rng.choice((1, 1, 1, 2, 7, 40))
        parts.append(part)
        length += len(part)
    return "".join(parts)[:size]
