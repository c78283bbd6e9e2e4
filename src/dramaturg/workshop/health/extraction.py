"""Scene records that a model reads out of the text, for scenes whose front matter leaves something open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from statistics import fmean

from dramaturg.kernel.prompts.template import Template, load_template
from dramaturg.workshop.book.bible import BEATS
from dramaturg.workshop.book.files import digest_of
from dramaturg.workshop.graph.scene_facts import SceneText
from dramaturg.workshop.health.book import CheckedBook
from dramaturg.workshop.health.record_reader import QuotableText, read_record
from dramaturg.workshop.health.records import ExtractedRecord
from dramaturg.workshop.health.values import SceneRecord, Told
from dramaturg.workshop.rehearsal.scene_record import SceneRecordCue
from dramaturg.workshop.works.work import Cell

MAX_TOKENS = 1500
TEMPERATURE = 0.1
PIECE = 24_000
"""How many characters of a scene are read at once."""
MOST_KNOWN = 60
_SYSTEM = "You take down what stands in a scene, with quotations, as JSON."


def is_open(record: SceneRecord) -> bool:
    """Whether a record lacks something that a model could read out of the scene."""
    return record.tension is None or not record.people or record.challenge is None or record.resonance is None


def record_cells(book: CheckedBook, scene: SceneText) -> tuple[Cell, ...]:
    """The questions about one scene: one, or several for a long one. Their keys have the digest of the text."""
    body = scene.text[len(scene.matter.head) :]
    digest = digest_of(scene.text)[:12]
    known = [one.name for one in book.graph.entities if one.kind == "character" and one.merged_into is None]
    found: list[Cell] = []
    for number, piece in enumerate(pieces_of(body), start=1):
        prompt = _template().render(
            file=scene.path,
            protagonist=book.protagonist,
            flaw=book.flaw,
            theme=book.theme,
            names=", ".join(known[:MOST_KNOWN]),
            beats=", ".join(beat.name for beat in BEATS),
            text=piece,
        )
        found.append(
            Cell(
                key=f"record/{scene.path}@{digest}/{number}",
                use="extraction",
                system=_SYSTEM,
                text=prompt,
                max_tokens=MAX_TOKENS,
                temperature=TEMPERATURE,
                cue=SceneRecordCue(text=piece, names=tuple(known), flaw=book.flaw, theme=book.theme),
            )
        )
    return tuple(found)


def open_cells(book: CheckedBook, known: Mapping[str, str]) -> tuple[Cell, ...]:
    """The questions about scenes whose record is open and that no model has read as they stand now."""
    asked = {one.path for one in book.records if is_open(one)}
    cells = [cell for scene in book.texts if scene.path in asked for cell in record_cells(book, scene)]
    return tuple(cell for cell in cells if cell.key not in known)


def extracted_records(book: CheckedBook, answers: Mapping[str, str]) -> Mapping[str, ExtractedRecord]:
    """What models read, by scene, of those texts that have not changed since."""
    found: dict[str, ExtractedRecord] = {}
    for scene in book.texts:
        said = [answers[cell.key] for cell in record_cells(book, scene) if cell.key in answers] if answers else []
        if said:
            found[scene.path] = read_answers(scene, said)
    return found


def read_answers(scene: SceneText, answers: Sequence[str]) -> ExtractedRecord:
    """The record that the answers about a scene give together."""
    text = QuotableText.of(scene.path, scene.text[len(scene.matter.head) :])
    return joined([read_record(answer, text) for answer in answers])


def joined(parts: Sequence[ExtractedRecord]) -> ExtractedRecord:
    """Several records of one scene as one: numbers are averaged, a yes counts, names are put together."""
    if not parts:
        return ExtractedRecord()
    yes = next((one.challenge for one in parts if one.challenge is not None and one.challenge.value), None)
    return replace(
        parts[0],
        tension=_mean([one.tension for one in parts]),
        beat=next((one.beat for one in parts if one.beat is not None), None),
        cast=tuple({told.value: told for one in reversed(parts) for told in one.cast}.values()),
        place=next((one.place for one in parts if one.place is not None), None),
        time=next((one.time for one in parts if one.time is not None), None),
        challenge=yes or next((one.challenge for one in parts if one.challenge is not None), None),
        symbols=tuple({told.value: told for one in reversed(parts) for told in one.symbols}.values()),
        resonance=_mean([one.resonance for one in parts]),
        refused=sum(one.refused for one in parts),
    )


def _mean(told: Sequence[Told[float] | None]) -> Told[float] | None:
    """The mean, with the words of the highest."""
    known = [one for one in told if one is not None]
    if not known:
        return None
    return Told(round(fmean(one.value for one in known), 1), max(known, key=lambda one: one.value).evidence)


def pieces_of(body: str) -> Iterator[str]:
    """A text in pieces that can be read at once, cut at a paragraph, else at a space."""
    start = 0
    while len(body) - start > PIECE:
        end = body.rfind("\n\n", start + PIECE // 2, start + PIECE)
        if end < 0:
            end = body.rfind(" ", start + PIECE // 2, start + PIECE)
        end = end if end > start else start + PIECE
        yield body[start:end]
        start = end
    if body[start:].strip() or start == 0:
        yield body[start:]


@cache
def _template() -> Template:
    return load_template(files("dramaturg.workshop") / "prompts", "scene_record.md")
