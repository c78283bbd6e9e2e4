"""What faces ask of the scaffolds of a book: which there are, what each says, and what in it the book does not know."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from dramaturg.workshop.book.scaffold import FIELDS, Scaffold, field_named
from dramaturg.workshop.book.scaffolds import ScaffoldFile, Scaffolds
from dramaturg.workshop.promises.material import promise_book
from dramaturg.workshop.scaffold.material import SceneMaterial, beat_named, scene_material
from dramaturg.workshop.scaffold.wire import ScaffoldList, ScaffoldRow, ScaffoldView
from dramaturg.workshop.sources import BookSources


class BookScaffolds:
    """The scaffolds of one book. New ones are made by the work `scaffold`."""

    def __init__(self, book: BookSources) -> None:
        self._book = book

    async def scaffolds(self) -> ScaffoldList:
        """Every planned scene."""
        return await asyncio.to_thread(self._listed)

    async def scaffold(self, scene: str) -> ScaffoldView:
        """One of them. Raises NotFound, or InvalidConfig with its place if it cannot be read."""
        plans = Scaffolds(self._book.project)
        scaffold = plans.scaffold(scene)
        file = plans.find(scene) or ScaffoldFile(path=scaffold.path)
        material = await scene_material(self._book, scaffold.scaffold_id, (), ask_notebooks=False)
        row = _row(file, self._drafted())
        return ScaffoldView(
            **row.model_dump(by_alias=False),
            digest=file.digest,
            fields={name: text for name in FIELDS if (text := scaffold.text_of(name))},
            sources=scaffold.sources,
            notes=scaffold.notes,
            remarks=tuple(remarks(scaffold, material)),
        )

    def _listed(self) -> ScaffoldList:
        drafted = self._drafted()
        files = Scaffolds(self._book.project).files(self._book.cache)
        return ScaffoldList(scaffolds=tuple(_row(one, drafted) for one in files))

    def _drafted(self) -> frozenset[str]:
        book = promise_book(self._book.project, self._book.cache)
        return frozenset(one.name for one in book.scenes if one.is_drafted)


def remarks(scaffold: Scaffold, material: SceneMaterial) -> Iterator[str]:
    """What a scaffold names that the book does not know."""
    if scaffold.beat_alignment and beat_named(scaffold.beat_alignment) is None:
        yield f"beat_alignment: '{scaffold.beat_alignment}' is no beat of the beat sheet."
    for name in dict.fromkeys(filter(None, (scaffold.pov_character, *scaffold.cast))):
        if not material.is_known(name):
            yield f"'{name}' is nobody that the rest of the book knows."
    for name, text in scaffold.notes.items():
        if field_named(name) == "word_target":
            yield f"{name}: '{text[:60]}' is no number of words."
    here = scaffold.scaffold_id
    for one in material.promises:
        if one.state == "planned" and here in one.planned_in:
            yield from (f"{one.name}: {problem}" for problem in one.problems)


def _row(file: ScaffoldFile, drafted: frozenset[str]) -> ScaffoldRow:
    scaffold = file.scaffold
    return ScaffoldRow(
        scaffold_id=file.scaffold_id,
        path=file.path,
        title=scaffold.title if scaffold else "",
        beat_alignment=scaffold.beat_alignment if scaffold else "",
        word_target=scaffold.word_target if scaffold else None,
        is_drafted=file.scaffold_id in drafted,
        open_fields=scaffold.open_fields if scaffold else (),
        problem=file.problem or "",
    )
