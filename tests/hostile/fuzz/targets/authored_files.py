"""Readers of the files of a project, which may come from a stranger."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from dramaturg.authored import AuthoredForm
from dramaturg.characters.card import parse_card
from dramaturg.characters.load import decode
from dramaturg.ensemble.ensemble import FORM as ENSEMBLE
from dramaturg.episodes.packs import FORM as PACK
from dramaturg.episodes.series import FORM as SERIES
from dramaturg.episodes.template import FORM as EPISODE
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.settings import FILE_NAME, read_settings
from dramaturg.kernel.text.front_matter import split_front_matter
from dramaturg.scenes.scene import FORM as SCENE
from dramaturg.workshop.book.pages import key_of, read_page
from dramaturg.workshop.book.scaffold import FIELDS, read_scaffold
from dramaturg.workshop.book.scaffold_text import scaffold_text
from dramaturg.workshop.book.voice_files import FOLDER as VOICE_FOLDER
from dramaturg.workshop.book.voice_files import GOLD, SHEET, read_voice
from dramaturg.workshop.notebooks.sources import read_source
from dramaturg.workshop.promises.ledger import PROMISE_FORM
from dramaturg.workshop.voice.rule_files import RULE_FORM
from tests.hostile.fuzz.target import Target, text_of, tokens


@cache
def scratch() -> Path:
    """A folder of this process, for readers that want a path."""
    folder = tempfile.TemporaryDirectory(prefix="dramaturg-fuzz-")
    _FOLDERS.append(folder)
    return Path(folder.name)


_FOLDERS: list[tempfile.TemporaryDirectory[str]] = []


def file_with(name: str, data: bytes) -> Path:
    path = scratch() / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def _form(name: str, form: AuthoredForm[object]) -> tuple[Target, Target]:  # type: ignore[type-var]
    def read(suffix: str) -> Callable[[bytes], object]:
        return lambda data: form.read(file_with(f"{name}{suffix}", data), project=scratch())

    return (
        Target(f"{name}-yaml", read(".yaml"), tokens("yaml"), lines_per_byte=200, short=12),
        Target(f"{name}-json", read(".json"), tokens("authored-json"), lines_per_byte=200),
    )


def _card(data: bytes) -> None:
    text = decode("alice", data)
    card = parse_card("alice", text)
    assert card.raw == text


def _front_matter(data: bytes) -> None:
    text = text_of(data)
    parts = split_front_matter(text)
    assert parts.head + parts.body == text


def _page(data: bytes) -> None:
    text = text_of(data)
    page = read_page("Bible/Lie.md", text)
    for passage in page.passages:
        key_of(passage.heading)
    marked = page.with_matter("status", "done")
    assert marked.matter["status"] == "done"
    read_page("Bible/Lie.md", marked.head)


def _scaffold(data: bytes) -> None:
    text = text_of(data)
    found = read_scaffold("scaffolds/a.md", text)
    assert scaffold_text(found, text) == text or not text.strip()
    assert read_scaffold("scaffolds/a.md", scaffold_text(found.model_copy(update={"notes": {}}))).fields == {
        name: held for name in FIELDS if (held := found.text_of(name))
    }


def _voice(data: bytes) -> None:
    gold, _, sheet = data.partition(b"\n%%\n")
    file_with(f"{VOICE_FOLDER}/{GOLD}", gold)
    file_with(f"{VOICE_FOLDER}/{SHEET}", sheet)
    read_voice(scratch())


def _settings(data: bytes) -> None:
    file_with(f"settings/{FILE_NAME}", data)
    read_settings(scratch() / "settings", {})


def _notebook(suffix: str) -> Callable[[bytes], object]:
    def read(data: bytes) -> None:
        excerpts = read_source(file_with(f"note{suffix}", data))
        assert all(excerpt.text.strip() for excerpt in excerpts)

    return read


TARGETS = (
    *_form("scene", SCENE),
    *_form("episode", EPISODE),
    *_form("series", SERIES),
    *_form("pack", PACK),
    *_form("ensemble", ENSEMBLE),
    *_form("voice-rules", RULE_FORM),
    *_form("promises", PROMISE_FORM),
    Target("card-markdown", _card, tokens("markdown", "yaml")),
    Target("front-matter", _front_matter, tokens("markdown"), allowed=()),
    Target("bible-page", _page, tokens("markdown", "yaml"), allowed=(InvalidConfig,)),
    Target("scaffold", _scaffold, tokens("markdown", "yaml"), allowed=(InvalidConfig,), base_bytes=2000),
    Target("voice-bundle", _voice, tokens("markdown", "yaml"), base_bytes=2000),
    Target("settings", _settings, tokens("toml"), base_bytes=2000),
    Target("notebook-md", _notebook(".md"), tokens("markdown")),
    Target("notebook-txt", _notebook(".txt"), tokens("markdown")),
)
