"""Readers of files that other programs write: cards, lorebooks, chats, sounds, weights, documents."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from functools import partial

from dramaturg.characters.card import parse_card
from dramaturg.characters.decorators import read_decorators
from dramaturg.characters.load import unreadable
from dramaturg.characters.lorebook.conversion import book_as
from dramaturg.characters.lorebook.forms import card_book, read_book
from dramaturg.characters.lorebook.pattern import StepBudget, UnusablePatternError, compiled, marked, pattern_of
from dramaturg.characters.tavern.file import CardFile, json_file, png_file, read_card_file
from dramaturg.characters.tavern.macros import MacroContext, expand_macros, macros_in
from dramaturg.characters.tavern.markdown import markdown_of
from dramaturg.characters.tavern.png import SIGNATURE
from dramaturg.characters.tavern.versions import converted
from dramaturg.episodes.chat_file import brought
from dramaturg.episodes.tavern_chat import read_chat, read_date, write_chat
from dramaturg.kernel.errors import CharacterLoadError, InvalidConfig, InvalidSettings, NotebookUnavailable, VoiceError
from dramaturg.kernel.models.gguf import read_weights
from dramaturg.voices.providers.samples import UnusableSoundError, from_wav
from dramaturg.voices.wav import mono, read_wav, write_wav
from dramaturg.workshop.notebooks.sources import read_source
from tests.hostile.fuzz.target import Target, text_of, tokens
from tests.hostile.fuzz.targets.authored_files import file_with

REFUSE = partial(unreadable, "card")


def _card_file(data: bytes) -> None:
    file = read_card_file(data, REFUSE)
    _use(file)


def _use(file: CardFile) -> None:
    """As an import does, then as an export does."""
    parse_card("card", markdown_of(file.card, "card"))
    if file.card.data.character_book is not None:
        card_book(file.card.data.character_book, REFUSE)
    again = read_card_file(json_file(file.card), REFUSE)
    assert again.card.source == file.card.source, "written JSON reads back differently"
    for version in (1, 2, 3):
        converted(file.card, version, REFUSE)


def _card_in_png(data: bytes) -> None:
    _card_file(png_of(data))


def _card_written_as_png(data: bytes) -> None:
    file = read_card_file(data, REFUSE)
    again = read_card_file(png_file(file.card, None, REFUSE), REFUSE)
    assert again.card.source == file.card.source, "a written picture reads back differently"


def png_of(text: bytes) -> bytes:
    """A picture of one pixel with this text as its chunk `tEXt`, checksums and all."""
    chunks = ((b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)), (b"tEXt", text))
    chunks += ((b"IDAT", zlib.compress(b"\0\0")), (b"IEND", b""))
    return SIGNATURE + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )


def _card_in_charx(data: bytes) -> None:
    name, _, card = data.partition(b"\n")
    _card_file(zip_of((("card.json", card), (name.decode("utf-8", "replace"), b"x"))))


def zip_of(members: tuple[tuple[str, bytes], ...]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name or "x"), data)
    return written.getvalue()


def _lorebook(data: bytes) -> None:
    book = read_book(data, REFUSE)
    for form in ("world", "standalone", "card"):
        book_as(book, form)


def _pattern(data: bytes) -> None:
    key, _, text = text_of(data).partition("\n")
    found = pattern_of(key)
    if found is not None:
        compiled(*found).found_in(marked(text), StepBudget())


def _chat(data: bytes) -> None:
    chat = read_chat(data, REFUSE)
    again = read_chat(write_chat(chat), REFUSE)
    assert again == chat, "a written chat reads back differently"
    for message in chat.messages:
        read_date(message.send_date)
    imported = brought(chat, 0.0)
    for event in imported.events:
        event.model_dump_json()


def _macros(data: bytes) -> None:
    text = text_of(data)
    macros_in(text)
    expand_macros(text, MacroContext(char="Alice", user="Bob"))
    read_decorators(text)


def _wav(data: bytes) -> None:
    wav = read_wav(data)
    mono(wav)
    assert read_wav(write_wav(wav)) == wav


def _spoken_wav(data: bytes) -> None:
    from_wav(data)


def _weights(data: bytes) -> None:
    weights = read_weights(file_with("weights.gguf", data))
    str(weights)


def _docx(data: bytes) -> None:
    read_source(file_with("note.docx", data))


def _docx_text(data: bytes) -> None:
    _docx(zip_of((("word/document.xml", data),)))


def _pdf(data: bytes) -> None:
    read_source(file_with("note.pdf", data))


TARGETS = (
    Target(
        "tavern-json", _card_file, tokens("card"), allowed=(CharacterLoadError,), lines_per_byte=200, base_bytes=2000
    ),
    Target(
        "tavern-png",
        _card_file,
        tokens("card", "zip"),
        allowed=(CharacterLoadError,),
        lines_per_byte=200,
        base_bytes=2000,
    ),
    Target(
        "tavern-png-text",
        _card_in_png,
        tokens("card"),
        allowed=(CharacterLoadError,),
        lines_per_byte=200,
        base_bytes=2000,
    ),
    Target(
        "tavern-png-written", _card_written_as_png, tokens("card"), allowed=(CharacterLoadError,), base_bytes=20_000
    ),
    Target(
        "tavern-charx", _card_file, tokens("zip"), allowed=(CharacterLoadError,), lines_per_byte=200, base_bytes=2000
    ),
    Target(
        "tavern-charx-card",
        _card_in_charx,
        tokens("card"),
        allowed=(CharacterLoadError,),
        lines_per_byte=200,
        base_bytes=2000,
    ),
    Target(
        "lorebook", _lorebook, tokens("lorebook"), allowed=(CharacterLoadError,), lines_per_byte=200, base_bytes=2000
    ),
    Target(
        "lorebook-pattern",
        _pattern,
        tokens("pattern"),
        allowed=(UnusablePatternError,),
        lines_per_byte=300,
        base_bytes=2000,
    ),
    Target("chat-file", _chat, tokens("chat-file"), allowed=(CharacterLoadError, InvalidConfig), lines_per_byte=300),
    Target("macros", _macros, tokens("macro"), allowed=(), lines_per_byte=120),
    Target("wav", _wav, tokens("riff"), allowed=(VoiceError,)),
    Target("spoken-wav", _spoken_wav, tokens("riff"), allowed=(UnusableSoundError,)),
    Target("gguf", _weights, tokens("gguf"), allowed=(InvalidSettings,)),
    Target("notebook-docx", _docx, tokens("zip"), allowed=(NotebookUnavailable,)),
    Target("notebook-docx-text", _docx_text, tokens("docx"), allowed=(NotebookUnavailable,)),
    Target("notebook-pdf", _pdf, tokens("pdf"), allowed=(NotebookUnavailable,)),
)
