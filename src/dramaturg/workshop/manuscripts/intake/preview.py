"""The preview of an import: a plain file that the writer corrects before anything is written."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import PurePosixPath

import yaml
from pydantic import Field, ValidationError

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.problems import first_problem
from dramaturg.kernel.text.escape import one_line
from dramaturg.kernel.text.yaml_json import MalformedTextError, parse_yaml
from dramaturg.kernel.values import Value
from dramaturg.workshop.book.manuscript import scene_numbers
from dramaturg.workshop.manuscripts.division.cuts import Cut, CutKind, cuts_in
from dramaturg.workshop.manuscripts.readers.source_text import SourceText
from dramaturg.workshop.manuscripts.speech.attribution import attributed

MOST_CUTS = 20_000
FEWEST_LINES = 5
"""A character with at least so many tagged lines is proposed as a card."""
_OPENING = 60
_HEAD = """\
# What will be imported. Correct it, then import again with --from-preview and this file.
# cut: chapter or scene begin a new one here, keep does not cut here, drop leaves the text out up to the next cut.
# To cut where nothing is listed, add an entry with the first words of the paragraph: {cut: scene, words: "The rain"}.
# characters: those with 'card: true' get a card in .claude/agents/ unless there is one.
"""


class PreviewCut(Value):
    """A place where the text may be cut: before paragraph `at` of a file."""

    cut: CutKind
    title: str = ""
    words: str = Field("", description="the first words behind the cut")
    why: str = ""
    file: str = ""
    at: int | None = Field(None, ge=0)
    skip: int = Field(0, ge=0, description="how many paragraphs at the cut are heading or break, and not prose")
    place: str = Field("", description="a line of place or time that the text gives there")


class PreviewCharacter(Value):
    """Somebody who speaks in the text."""

    name: str
    also: tuple[str, ...] = ()
    lines: int = 0
    card: bool = False


class ImportPreview(Value):
    """What an import would do: the cuts and the characters of these sources."""

    digest: str
    title: str = ""
    author: str = ""
    cuts: tuple[PreviewCut, ...] = Field((), max_length=MOST_CUTS)
    characters: tuple[PreviewCharacter, ...] = ()
    problems: tuple[str, ...] = ()


def preview_of(sources: Sequence[SourceText], known: Mapping[str, str] | None = None) -> ImportPreview:
    """What importing these would do. `known` gives the name of each known character by its aliases.

    Raises InvalidConfig for a text with more cuts than a preview can list.
    """
    cuts = tuple(islice(_cuts(sources), MOST_CUTS + 1))
    if len(cuts) > MOST_CUTS:
        what = sources[0].name if len(sources) == 1 else f"The text of the {len(sources)} files"
        raise InvalidConfig(
            f"{what} would be cut into more than {MOST_CUTS:,} chapters and scenes, the most that one import makes. "
            "Import it in parts, or remove headings and breaks that begin nothing."
        )
    paragraphs = [" ".join(one.plain.split()) for source in sources for one in source.blocks if one.kind != "break"]
    spoken = attributed(paragraphs, known)
    cards = set((known or {}).values())
    return ImportPreview(
        digest=digest_of_sources(sources),
        title=next((one.title for one in sources if one.title), ""),
        author=next((one.author for one in sources if one.author), ""),
        cuts=cuts,
        characters=tuple(
            PreviewCharacter(
                name=one.name, also=one.aliases, lines=one.tags, card=one.tags >= FEWEST_LINES and one.name not in cards
            )
            for one in spoken.people
            if one.tags > 1
        ),
        problems=tuple(f"{one.name}: {problem}" for one in sources for problem in (*one.problems, *_encoding(one))),
    )


def digest_of_sources(sources: Sequence[SourceText]) -> str:
    digest = hashlib.sha256()
    for one in sources:
        digest.update(f"{one.name}\0{len(one.markdown)}\0".encode())
        digest.update(one.markdown.encode("utf-8", "replace"))
    return digest.hexdigest()[:32]


def preview_text(preview: ImportPreview) -> str:
    """The preview as a YAML file."""
    told = preview.model_dump(mode="json", exclude_defaults=True)
    body: str = yaml.safe_dump(told, allow_unicode=True, sort_keys=False, width=110)
    return _HEAD + body


def read_preview(text: str) -> ImportPreview:
    """A preview as the writer left it. Raises InvalidConfig with the place of a mistake."""
    try:
        loaded = parse_yaml(text)
    except MalformedTextError as error:
        raise InvalidConfig(f"The preview cannot be read: {error}. Correct that line, or make a new one.") from error
    try:
        return ImportPreview.model_validate(loaded)
    except ValidationError as error:
        raise InvalidConfig(f"The preview: {first_problem(error, loaded, in_json=False)}.") from error


def _cuts(sources: Sequence[SourceText]) -> Iterator[PreviewCut]:
    several = len(sources) > 1
    chapter: int | None = None
    for source in sources:
        numbers = scene_numbers(source.name)
        for number, cut in enumerate(cuts_in(source)):
            first = source.blocks[min(cut.at + cut.skip, len(source.blocks) - 1)]
            kind, title = cut.kind, cut.title
            if several and number == 0 and kind == "chapter" and cut.why == "beginning of the text":
                title = title or _stem(source.name)
                if numbers is not None and numbers[0] == chapter:
                    kind = "scene"
            yield PreviewCut(
                cut=kind,
                title=one_line(title)[:200],
                words=one_line(first.plain[:_OPENING]),
                why=cut.why,
                file=source.name if several else "",
                at=cut.at,
                skip=cut.skip,
                place=cut.where,
            )
        chapter = numbers[0] if numbers else None


def _stem(name: str) -> str:
    return PurePosixPath(name).stem.replace("_", " ").replace("-", " ").strip()


def _encoding(source: SourceText) -> tuple[str, ...]:
    if source.encoding in ("", "utf-8", "ascii"):
        return ()
    return (f"read as {source.encoding}; look whether its letters are right.",)


def cuts_for(preview: ImportPreview, sources: Sequence[SourceText]) -> tuple[tuple[int, Cut], ...]:
    """The cuts that the writer left in a preview, each with the number of its source, in reading order.

    Raises InvalidConfig if a cut cannot be found in the text.
    """
    found: list[tuple[int, Cut]] = []
    names = {source.name: number for number, source in enumerate(sources)}
    for one in preview.cuts:
        number = names.get(one.file, 0 if not one.file and len(sources) == 1 else -1)
        if number < 0:
            raise InvalidConfig(f"The preview names the file '{one.file}', which is not part of the manuscript.")
        at = one.at if one.at is not None else _place_of(one.words, sources[number])
        if at >= len(sources[number].blocks):
            raise InvalidConfig(f"The preview cuts at paragraph {at}; {sources[number].name} has fewer.")
        found.append((number, Cut(at, one.cut, one.why, one.title, one.skip, where=one.place)))
    return tuple(sorted(found, key=lambda pair: (pair[0], pair[1].at)))


def _place_of(words: str, source: SourceText) -> int:
    wanted = one_line(words)
    places = [at for at, one in enumerate(source.blocks) if wanted and one_line(one.plain).startswith(wanted)]
    if len(places) != 1:
        often = "no paragraph begins" if not places else f"{len(places)} paragraphs begin"
        raise InvalidConfig(f"The preview cuts at “{words[:60]}”, but {often} with these words. Give more of them.")
    return places[0]
