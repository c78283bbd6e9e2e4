"""New scenes and characters: files with explanations in them that can be played as they are. Nothing is overwritten."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from dramaturg.authored import write_new_file
from dramaturg.characters import known_cards, load_card
from dramaturg.characters.load import FOLDER as CARDS
from dramaturg.characters.load import checked_name
from dramaturg.kernel.errors import DramaturgError, InvalidConfig
from dramaturg.kernel.text.control import plain
from dramaturg.kernel.text.yaml_json import parse_yaml
from dramaturg.scenes.scene import FEWEST, FOLDER, MOST, scene_from
from dramaturg.scenes.scene_file import check_new_scene

STAND_INS = ("ada", "ben")
"""The cast of a scene in a project that has no characters yet."""


class NewScene(NamedTuple):
    """The files of a new scene, relative to the project: its own, and cards that did not exist."""

    name: str
    file: str
    cards: tuple[str, ...]
    cast: tuple[str, ...]


def new_scene(project: Path, name: str, cast: Sequence[str]) -> NewScene:
    """Writes a scene for these characters, or for those there are. Raises InvalidConfig before anything is written."""
    name = name.removesuffix(".yaml").removesuffix(".yml").strip()
    check_new_scene(project, name)
    chosen = _cast(project, cast)
    known = {one.casefold(): one for one in known_cards(project)}
    missing = [one for one in chosen if one.casefold() not in known]
    stems = [known.get(one.casefold(), stem_of(one)) for one in chosen]
    shown = [_shown(project, one, one in missing) for one in chosen]
    text = plain(_scene_text(name, stems, shown))
    scene_from(parse_yaml(text), where=f"{FOLDER}/{name}.yaml")
    cards: list[str] = []
    try:
        for one in missing:
            cards.append(new_character(project, one))
        return NewScene(name, write_new_file(project, f"{FOLDER}/{name}.yaml", text), tuple(cards), tuple(shown))
    except DramaturgError:
        for card in cards:
            (project / card).unlink(missing_ok=True)
        raise


def new_character(project: Path, name: str, role: str = "") -> str:
    """Writes a card with its sections explained; where it is. Raises InvalidConfig if there is one of that name."""
    shown = display_name(checked_name(name))
    stem = stem_of(name)
    if stem.casefold() in {one.casefold() for one in known_cards(project)}:
        raise InvalidConfig(
            f"There is a character '{stem}' already. Choose another name; nothing was written.", character=stem
        )
    text = (files("dramaturg.cli") / "scaffolds" / "character.md").read_text(encoding="utf-8")
    filled = text.replace("{name}", shown).replace("{role}", " ".join(role.split()) or "Somebody with a past")
    return write_new_file(project, f"{CARDS}/{stem}.md", filled)


def stem_of(name: str) -> str:
    """The file of a card: "Ruth Calloway" is ruth-calloway."""
    return re.sub(r"\s+", "-", checked_name(name).lower())


def display_name(name: str) -> str:
    """The name as it is read: as typed, or with capitals if it was typed without any."""
    plain = " ".join(name.split())
    return plain if plain != plain.lower() else re.sub(r"[-_]+", " ", plain).title()


def _cast(project: Path, cast: Sequence[str]) -> list[str]:
    if not cast:
        known = [*known_cards(project)][:FEWEST]
        return [*known, *(one for one in STAND_INS if one not in known)][:FEWEST]
    if not FEWEST <= len(cast) <= MOST:
        raise InvalidConfig(f"A scene needs a cast of {FEWEST} to {MOST} characters, not {len(cast)}.")
    for one in cast:
        checked_name(one)
    return list(cast)


def _shown(project: Path, name: str, missing: bool) -> str:
    return display_name(name) if missing else load_card(project, name).display_name


def _scene_text(name: str, stems: Sequence[str], shown: Sequence[str]) -> str:
    text = (files("dramaturg.cli") / "scaffolds" / "scene.yaml").read_text(encoding="utf-8")
    values = {
        "file": name,
        "first": shown[0],
        "second": shown[1],
        "opener": _scalar(stems[0]),
        "other": _scalar(stems[1]),
        "cast": f"[{', '.join(map(_scalar, stems))}]",
    }
    return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), text)


def _scalar(text: str) -> str:
    """A name as YAML reads it back."""
    return (
        text if re.fullmatch(r"[A-Za-z][\w-]*", text) and text not in _WORDS else json.dumps(text, ensure_ascii=False)
    )


_WORDS = frozenset("y n yes no on off true false null".split())
