"""A foreign card as our Markdown, and back.

What models are told becomes Markdown; greetings go into the front matter, which scenes do not include. Creator's
notes, tags and prompts for other programs stay in the original file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from hashlib import sha256

from pydantic import JsonValue

from dramaturg.characters.body import read_body, shifted_headings, tidy
from dramaturg.characters.card import Card, parse_card
from dramaturg.characters.tavern.card import OURS, SPECS, V1_FIELDS, CardData, TavernCard, tavern_card
from dramaturg.characters.tavern.jsontext import JsonObject, Refuse, is_object, write_json
from dramaturg.characters.tavern.macros import MacroContext, expand_macros, unread_macros

MATTER_KEPT = 30_000
"""How many characters of greetings go into the front matter; the original has them all."""
_NEXT_ITEM = "\n- "
"""How each entry of a list but the first begins in YAML; none of their own lines do."""
_FEWEST_SIGNS = len(_NEXT_ITEM)
"""What an entry needs in YAML besides its text."""
LINES, EXAMPLES, KEEP_IN_MIND = "Lines", "Examples", "Keep in mind"
TALKATIVE, REMINDER = "talkativeness", "depth_prompt"
SCRIPTS = ("regex_scripts", "tavern_helper")
"""Extensions of SillyTavern that change what is shown, or run a program."""
MOST_NAMED = 8

_CHAR = re.compile(r"\{\{\s*+char\s*+\}\}|<BOT>", re.IGNORECASE)
EXAMPLE_START = re.compile(r"^[ \t]*<START>[ \t]*$", re.IGNORECASE | re.MULTILINE)
_PLAIN_TALK = re.compile(r'[\[\]{}*"“”#\n]')
_COMPARED = ("name", "description", "personality", "scenario", "first_mes", "mes_example", "alternate_greetings")


def markdown_of(card: TavernCard, name: str) -> str:
    """The card as a Markdown card; `name` is its name in the project.

    A card that dramaturg exported and nobody has changed since gives the very file it was exported from.
    """
    ours = card.data.ours
    raw = ours.get("card")
    if isinstance(raw, str) and ours.get("fields") == _digest(card.data):
        return raw
    return _head(card.data) + _body(card.data, name)


def remarks_on(card: TavernCard) -> tuple[str, ...]:
    """Which parts of a card are kept but not used, for the person who imports it."""
    return tuple(_remarks(card.data))


def tavern_of(card: Card, refuse: Refuse) -> TavernCard:
    """A Markdown card as V3."""
    spec, number = SPECS[3]
    data: dict[str, JsonValue] = {
        **_fields(card),
        "creator_notes": "",
        "system_prompt": "",
        "post_history_instructions": "",
        "tags": [],
        "creator": "",
        "character_version": "",
        "group_only_greetings": [],
    }
    return _signed(card, {"spec": spec, "spec_version": number, "data": data}, refuse)


def revised(original: TavernCard, card: Card, refuse: Refuse) -> TavernCard:
    """The original, updated with what was changed in the Markdown file since; itself if nothing was."""
    before = markdown_of(original, card.name)
    if before == card.raw:
        return original
    was, now = _fields(parse_card(card.name, before)), _fields(card)
    source, called = deepcopy(dict(original.source)), _called(original.data, card.name)
    inner = source.get("data")
    data = inner if is_object(inner) else source
    for field, value in now.items():
        if was.get(field) == value:
            continue
        if field == "extensions" and is_object(value):
            data["extensions"] = _revised_extensions(original.data, was[field], value, called)
        elif original.version > 1 or field in V1_FIELDS:
            data[field] = value = _with_macro(value, getattr(original.data, field, ""), called)
            if field in source:  # SillyTavern mirrors the fields of V1 at the top
                source[field] = value
    return _signed(card, source, refuse) if original.version > 1 else tavern_card(source, refuse)


def _revised_extensions(original: CardData, was: JsonValue, now: JsonObject, called: str) -> dict[str, JsonValue]:
    """The extensions of the original with the tempo and the reminder of the Markdown file, where they were changed."""
    before, after = was if is_object(was) else {}, dict(original.extensions)
    if before.get(TALKATIVE) != now.get(TALKATIVE):
        after[TALKATIVE] = now.get(TALKATIVE, 0.5)
    if before.get(REMINDER) != now.get(REMINDER):
        given, kept = now.get(REMINDER), original.extensions.get(REMINDER)
        prompt = given["prompt"] if is_object(given) else ""
        whole = {**(given if is_object(given) else {}), **(kept if is_object(kept) else {})}
        after[REMINDER] = {**whole, "prompt": _with_macro(prompt, original.depth_prompt.prompt, called)}
    return after


def _with_macro(value: JsonValue, original: object, called: str) -> JsonValue:
    """A changed text with `{{char}}` again where the name stands for it: the author had not written it out."""
    if not (isinstance(value, str) and isinstance(original, str)) or not _CHAR.search(original):
        return value
    return value if called in original else value.replace(called, "{{char}}")


def _signed(card: Card, source: dict[str, JsonValue], refuse: Refuse) -> TavernCard:
    """The card with our Markdown under our own key, and a digest that shows whether its other fields have changed."""
    data = source["data"]
    assert is_object(data)
    extensions = data.get("extensions")
    extensions = dict(extensions) if is_object(extensions) else {}
    ours = extensions.get(OURS)
    digest = _digest(tavern_card(source, refuse).data)
    extensions[OURS] = {**(ours if is_object(ours) else {}), "card": card.raw, "fields": digest}
    return tavern_card({**source, "data": {**data, "extensions": extensions}}, refuse)


def _digest(data: CardData) -> str:
    said: list[JsonValue] = [
        list(value) if isinstance(value := getattr(data, name), tuple) else value for name in _COMPARED
    ]
    return sha256(write_json(said)).hexdigest()[:16]


# From a foreign card


def _head(data: CardData) -> str:
    fields: dict[str, object] = {}
    tempo = round(0.5 + data.talkativeness, 2)
    if tempo != 1:
        fields["tempo"] = tempo
    greetings = _greetings(data)
    if greetings:
        fields["greetings"] = greetings
    return f"---\n{_dumped(fields)}---\n" if fields else ""


def _greetings(data: CardData) -> list[str]:
    """The first greetings, as many as fit into front matter."""
    kept, room = list[str](), MATTER_KEPT
    for text in data.greetings:
        room -= len(text) + _FEWEST_SIGNS
        if room < 0:
            break
        kept.append(text)
    written = _dumped(kept)
    if len(written) <= MATTER_KEPT:
        return kept
    # Unusual characters are escaped and grow many times longer: those stay that end before the room does.
    return kept[: written.count(_NEXT_ITEM, 0, MATTER_KEPT + len(_NEXT_ITEM) - 1)]


def _dumped(value: object) -> str:
    import yaml

    written: str = yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=110)
    return written


def _called(data: CardData, name: str) -> str:
    title = tidy(data.called) or name
    return read_body(f"# {title}").title.name or title


def _body(data: CardData, name: str) -> str:
    title, called = tidy(data.called) or name, _called(data, name)

    def said(text: str) -> str:
        return shifted_headings(_named(text, called).strip("\r\n"), 2)

    lines, examples = _examples(data.mes_example)
    parts = [f"# {title}", said(data.description)]
    for heading, text in (
        ("Personality", said(data.personality)),
        ("Scenario", said(data.scenario)),
        (LINES, "\n".join(f"- {said(line)}" for line in lines)),
        (EXAMPLES, "\n\n".join(said(example) for example in examples)),
        (KEEP_IN_MIND, said(data.depth_prompt.prompt)),
    ):
        if text.strip():
            parts.append(f"## {heading}\n{text}")
    text = "\n\n".join(part for part in parts if part.strip()) + "\n"
    return text.replace("\0", "")  # not allowed in a text file


def _named(text: str, called: str) -> str:
    """The text with `{{char}}` replaced and comments removed; `{{user}}` and the dice are expanded in play."""
    text = _CHAR.sub(lambda _: called, text)
    return re.sub(r"\{\{\s*(?://|comment\s*:)[^{}]*\}\}", "", text, flags=re.IGNORECASE)


def _examples(text: str) -> tuple[list[str], list[str]]:
    """Example dialogue: single lines of the character, and exchanges."""
    lines: list[str] = []
    exchanges: list[str] = []
    for block in EXAMPLE_START.split(text):
        words = block.strip()
        alone = re.fullmatch(r"(?:\{\{\s*char\s*\}\}|<BOT>):\s*+(.+)", words, re.IGNORECASE)
        if alone and not _PLAIN_TALK.search(alone[1]):
            lines.append(alone[1].strip())
        elif words:
            exchanges.append(words)
    return lines, exchanges


def _remarks(data: CardData) -> Iterator[str]:
    for field, name in (
        ("system_prompt", "Its system prompt"),
        ("post_history_instructions", "Its post-history prompt"),
    ):
        if getattr(data, field).strip():
            yield f"{name} is for episodes; scenes do not use it."
    if data.creator_notes.strip():
        yield "The creator's notes are for people; models never see them."
    if (kept := len(_greetings(data))) < len(data.greetings):
        yield f"Only {kept} of its {len(data.greetings)} greetings fit into the front matter."
    if data.group_only_greetings:
        yield "Its group greetings open episodes with several characters; nothing else uses them."
    if data.extensions.get("world"):
        yield f"It names the lorebook {str(data.extensions['world'])!r:.60}, which is another file."
    told = " ".join((*(getattr(data, field) for field in V1_FIELDS), *data.greetings, data.depth_prompt.prompt))
    if scripts := [name for name in SCRIPTS if data.extensions.get(name)]:
        yield f"Its scripts ({', '.join(scripts)}) are kept and never run."
    strange = unread_macros(told)
    if strange:
        more = f" and {len(strange) - MOST_NAMED} more" if len(strange) > MOST_NAMED else ""
        yield f"Unknown macros are left as they are: {', '.join(strange[:MOST_NAMED])}{more}."


# From a Markdown card


def _fields(card: Card) -> Mapping[str, JsonValue]:
    """The fields of a foreign card, from a Markdown card."""
    known = {"personality": "", "scenario": "", LINES.lower(): "", EXAMPLES.lower(): "", KEEP_IN_MIND.lower(): ""}
    rest: list[str] = [f"{card.display_name}: {card.role}."] if card.role else []
    for section in card.sections:
        key = section.heading.casefold()
        if key in known and not known[key]:
            known[key] = section.text.strip()
        elif section.heading:
            rest.append(f"## {section.heading}\n{section.text}".rstrip())
        else:
            rest.append(section.text.strip())
    spoken = [f"<START>\n{{{{char}}}}: {line}" for line in _bullets(known[LINES.lower()])]
    examples = [f"<START>\n{known[EXAMPLES.lower()]}"] if known[EXAMPLES.lower()] else []
    first, *others = card.greetings or ("",)
    extensions: dict[str, JsonValue] = {}
    if card.tempo != 1:
        extensions[TALKATIVE] = round(min(1.0, max(0.0, card.tempo - 0.5)), 2)
    if known[KEEP_IN_MIND.lower()]:
        extensions[REMINDER] = {"prompt": known[KEEP_IN_MIND.lower()], "depth": 4, "role": "system"}
    return {
        "name": card.display_name,
        "description": "\n\n".join(rest) or card.description,
        "personality": known["personality"],
        "scenario": known["scenario"],
        "first_mes": first,
        "mes_example": "\n".join((*spoken, *examples)),
        "alternate_greetings": list(others),
        "extensions": extensions,
    }


def _bullets(text: str) -> list[str]:
    return [line for section in read_body(text).sections for line in section.lines]


def expanded_card(card: Card, user: str) -> Card:
    """The card as it is played: the macros in its body are expanded, its front matter is unchanged."""
    context = MacroContext(card.display_name, " ".join(user.split()), seed=card.name)
    said = expand_macros(card.text, context)
    return card if said == card.text else parse_card(card.name, card.raw.removesuffix(card.text) + said)
