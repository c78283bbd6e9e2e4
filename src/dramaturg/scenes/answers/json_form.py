"""An answer in JSON, in any of the shapes that models like."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dramaturg.model_notes.labels import is_hidden_block, is_note_label, key_instead, keys_of
from dramaturg.model_notes.loose_json import find_json, load_json
from dramaturg.scenes.answers.asides import AsideMark, may_be_name, read_aside
from dramaturg.scenes.answers.marks import DOUBLE_QUOTES, without_engine_lines
from dramaturg.scenes.answers.parts import Names
from dramaturg.scenes.answers.tags import Fields, plain_value


def _in_one_word(key: str) -> str:
    return key.replace("_", "").replace(" ", "")


_WORDS = "content dialogue text line speech says say words message response answer reply spoken utterance quote".split()
_WORDS = [*dict.fromkeys((*_WORDS, *map(_in_one_word, (*keys_of("spoken"), *keys_of("spoken_else")))))]
_TONES = "tone emotion mood".split()
_TARGETS = "target to addressee".split()
_GESTURES = "nonverbal gesture gestures stagedirection bodylanguage physical action".split()
_GESTURES = [*dict.fromkeys((*_GESTURES, *map(_in_one_word, (*keys_of("done"), *keys_of("done_else")))))]
_KINDS = "action type mode kind delivery manner visibility audience".split()
"""Keys whose value may say that it is an aside."""
_YES, _NO = frozenset(("true", "yes", "1")), frozenset(("", "no", "false", "none", "null", "0"))
_BROKEN_FLAG = re.compile(r"""["'](?:is_?)?(?:aside|private|privately)["']\s{0,20}:\s{0,20}true""", re.IGNORECASE)
_SPEAKERS = "speaker name character who role".split()
_ACTIONS = frozenset(
    ("speak", "say", "talk", "respond", "reply", "interrupt", "silent", "silence", "react", "aside", "dialogue")
)
_PAIR = re.compile(r'(?<!\w)"?(\w{1,30}(?:[ -]\w{1,20})?)"?\s{0,20}:\s{0,20}"((?:[^"\\]|\\.)*)("?)', re.DOTALL)
_OTHER_PAIR = re.compile(r"'(\w{1,30})'\s{0,20}:\s{0,20}'((?:[^'\\]|\\.|(?<=\w)'(?=\w))*)('?)", re.DOTALL)
_OBJECT = re.compile(r"""[{]\s{0,20}["'“]\w{1,30}["'”]\s{0,20}:""")
_ASKED = frozenset(("input", "prompt", "question", "user", "player"))
DEEPEST = 4
MOST_LINES = 50


@dataclass(frozen=True, slots=True)
class JsonAnswer:
    """The fields of a JSON answer, its words as they stand in it, and the name it gives its speaker."""

    fields: Fields
    words: str
    speaker: str = ""


def json_answer(text: str, names: Names, depth: int = 0) -> JsonAnswer | None:
    """The answer in a text that is JSON, complete or broken off, or a preamble and JSON; else None."""
    if text[:1] == '"' and isinstance(encoded := load_json(text), str):
        text = encoded
    start = text.find("{")
    if start < 0 or any(mark in text[:start] for mark in (*DOUBLE_QUOTES, "]")):
        return None
    if start and text[:start].strip(" \n[") and not text[:start].strip(" \n[").endswith((":", "：", "(")):
        return None
    found = load_json(text)
    if found is None:
        found = next((one for one in find_json(text[start:]) if not _is_hidden(one)), None)
    flat = _flat(found) if found is not None else _broken(text[start:])
    if not any(key in flat for key in (*_WORDS, *_GESTURES, "action")):
        spaceless = {form.replace(" ", "").replace("-", ""): form for form in names.forms}
        named = next((key for key in flat if key in spaceless), None)
        if named:
            return JsonAnswer(_hearing(flat), flat[named], spaceless[named])
        return _under_other_keys(found, flat)
    answer = _read(flat)
    inner = (
        json_answer(answer.words, names, depth + 1) if answer.words.lstrip()[:1] == "{" and depth < DEEPEST else None
    )
    return answer if inner is None else inner


def _under_other_keys(found: object, flat: dict[str, str]) -> JsonAnswer | None:
    """The words of an object under a key like `spoken_text`; an object without any says nothing."""
    if not isinstance(found, dict):
        return None
    values = {str(key)[:40].lower(): value for key, value in found.items() if isinstance(value, str)}
    spoken, done = key_instead("spoken", values), key_instead("done", values)
    if not (spoken or done):
        return None
    fields = _hearing(flat)
    if done:
        fields.gesture(without_engine_lines(values[done]))
    return JsonAnswer(fields, values[spoken] if spoken else "")


def without_objects(text: str) -> str:
    """Words without the object behind them or above them: fields that nobody asked for."""
    found = _OBJECT.search(text)
    if found is None:
        return text
    if text[: found.start()].strip():
        return text[: found.start()].rstrip()
    return text.partition("}\n")[2].strip()


def _flat(found: object, depth: int = 0) -> dict[str, str]:
    """The strings of an object by their keys; of a list the first, and of objects inside it those with words."""
    if isinstance(found, list):
        first = next((one for one in found if not _is_hidden(one)), None)
        return _flat(first, depth + 1) if depth < DEEPEST else {}
    if not isinstance(found, dict):
        return {}
    flat: dict[str, str] = {}
    for key, value in found.items():
        value = _joined(value)
        plain = re.sub(r"[\W_]", "", str(key)[:40]).lower()
        if isinstance(value, dict) and _aside_key(plain) is not None:
            if any(isinstance(found.get(one), str) for one in _WORDS):
                continue
            flat.setdefault("aside", "true")
        if isinstance(value, str) or value is True:
            flat.setdefault(plain, value if isinstance(value, str) else "true")
        elif isinstance(value, dict | list) and depth < DEEPEST and not _is_beside(str(key)[:40]):
            for inner, text in _flat(value, depth + 1).items():
                flat.setdefault(inner, text)
    return flat


def _is_beside(key: str) -> bool:
    """Whether an object under this key is none of the answer: a note, or what the model was told."""
    return is_note_label(key) or key.casefold() in _ASKED


def _is_hidden(one: object) -> bool:
    """A block of an answer that is a thought, or somebody else's turn."""
    if not isinstance(one, dict):
        return False
    return any(is_hidden_block(key, str(one.get(key, ""))[:40]) for key in ("type", "role"))


def _joined(value: object) -> object:
    """A list of lines as one text: strings, or objects that each have words."""
    if not isinstance(value, list) or len(value) > MOST_LINES:
        return value
    if any(
        isinstance(one, dict) and any(key in _SPEAKERS or _aside_key(str(key)[:40]) for key in one) for one in value
    ):
        return value
    said = [one for one in value if not _is_hidden(one)]
    lines = [one if isinstance(one, str) else _first(_flat(one, DEEPEST), _WORDS) for one in said]
    return " ".join(lines) if lines and all(lines) else value


def _broken(text: str) -> dict[str, str]:
    """The pairs of an object that breaks off."""
    flat: dict[str, str] = {}
    for key, value, _ in (*_PAIR.findall(text), *_OTHER_PAIR.findall(text)):
        read = load_json(f'"{value}"')
        flat.setdefault(_in_one_word(key.replace("-", "")).lower(), read if isinstance(read, str) else value)
    if _BROKEN_FLAG.search(text) is not None:
        flat.setdefault("aside", "true")
    return flat


def _read(flat: dict[str, str]) -> JsonAnswer:
    fields = _hearing(flat)
    action = flat.get("action", "").strip().lower()
    words = _first(flat, _WORDS)
    if (tone := _first(flat, _TONES)) and not fields.tells_aside(tone):
        fields.tone = plain_value(tone) or None
    fields.phrase = " ".join(flat.get("interruptafter", "").split()) or None
    if action == "interrupt" and fields.phrase and words:
        fields.mark = "interrupt"
    elif action in ("silent", "silence"):
        fields.mark = "silent"
    for key in _GESTURES:
        if key in flat and not (key == "action" and action in _ACTIONS) and not fields.tells_aside(flat[key]):
            fields.gesture(without_engine_lines(flat[key]))
    return JsonAnswer(fields, words, " ".join(_first(flat, _SPEAKERS).split()))


def _hearing(flat: dict[str, str]) -> Fields:
    """For whose ears an answer is."""
    fields = Fields()
    for key, value in flat.items():
        mark = _aside_key(key)
        if mark is None or value.strip().casefold() in _NO:
            continue
        if mark.sure:
            fields.mark_aside(mark._replace(whom=value))
        elif value.strip().casefold() in _YES:
            fields.mark_aside(mark)
        elif may_be_name(value):
            fields.mark_aside(mark._replace(whom=value))
    for key in _KINDS:
        if (said := read_aside(flat.get(key, ""))) is not None:
            fields.mark_aside(said)
    if target := _first(flat, _TARGETS):
        fields.address(target)
    return fields


def _aside_key(key: str) -> AsideMark | None:
    """The mark that a key is: `aside_to`, or `aside` with the name or `true` as its value."""
    return read_aside(f"{key.lower().removeprefix('is')}:")


def _first(flat: dict[str, str], keys: list[str]) -> str:
    return next((flat[key] for key in keys if flat.get(key)), "")
