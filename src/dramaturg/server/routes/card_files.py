"""A character's files, for the author: a portrait, another name, deleted and brought back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal

from fastapi import Path, Query, Request
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from dramaturg.authored import known_files
from dramaturg.characters.housekeeping import (
    CardFiles,
    DeletedCard,
    card_files,
    change_portrait,
    delete_card,
    deleted_cards,
    rename_card,
    restore_card,
)
from dramaturg.characters.load import same_name
from dramaturg.ensemble.ensemble import FILE_NAME as ENSEMBLE
from dramaturg.ensemble.ensemble import read_ensemble
from dramaturg.episodes.template import FOLDER as EPISODES
from dramaturg.episodes.template import read_template
from dramaturg.kernel.errors import AuthorError, InvalidConfig
from dramaturg.kernel.files import leads_out, read_file
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.scene import FOLDER as SCENES
from dramaturg.scenes.scene import read_scene
from dramaturg.server.http.deps import OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.server.routes.characters import LONGEST_NAME, KnownName

router = api_router(prefix="/v1", tags=["characters"])
LARGEST_TEXT = 4_000_000
UPLOADS = {"/v1/characters/*/portrait": 20_000_000}
_PICTURE: dict[str, Any] = {
    "requestBody": {"required": True, "content": {"image/png": {"schema": {"type": "string", "format": "binary"}}}}
}
Digest = Annotated[str, Query(max_length=64, description="of the files, as they were read", examples=["0f3a…"])]


class Mention(WireValue):
    """A file of the project that names a character."""

    kind: Literal["scene", "episode", "ensemble"]
    name: str = Field(description="the ensemble has that of its file", examples=["the-apology"])


class CardFilesView(WireValue):
    """The files of a character, one digest of them all, and what names it and so keeps it from being deleted."""

    name: str
    files: tuple[str, ...] = Field(examples=[[".claude/agents/mina.md", "characters/mina.png"]])
    digest: str = Field(description="send it back to rename or delete the character")
    named_in: tuple[Mention, ...]


class CardRename(WireValue):
    """Another name for a character, and the digest of its files."""

    name: str = Field(min_length=1, max_length=LONGEST_NAME, examples=["wilhelmina"])
    digest: str = Field(max_length=64)


class DeletedCardView(WireValue):
    """A character that was deleted, and the folder where its files wait."""

    id: str
    name: str
    at: datetime
    folder: str = Field(examples=["data/deleted/20260301-120000-000000-mina"])
    files: tuple[str, ...]

    @classmethod
    def of(cls, card: DeletedCard) -> DeletedCardView:
        return cls(id=card.id, name=card.name, at=card.at, folder=card.folder, files=card.files)


class DeletedCardList(WireValue):
    """The characters that can be brought back, the last one deleted first."""

    characters: tuple[DeletedCardView, ...]


@router.get("/characters/{name}/files", summary="Get a character's files", responses=declared_errors(404, 422))
async def get_card_files(name: KnownName, studio: OpenStudio) -> CardFilesView:
    """The files that make up a character, and the scenes, the episodes and the ensemble that name it."""
    return await run_in_threadpool(_view, studio.settings.project, partial(card_files, name=name))


@router.put(
    "/characters/{name}/portrait",
    status_code=204,
    summary="Change a portrait",
    responses=declared_errors(404, 413, 422, 503),
    openapi_extra=_PICTURE,
)
async def put_portrait(name: KnownName, request: Request, studio: OpenStudio) -> None:
    """Send a PNG picture: it becomes the character's portrait. What does not show as a picture is refused.

    It is kept in `characters/`: in the card that was imported, or in one made for it. Its metadata is left out.
    """
    picture = await request.body()
    await run_in_threadpool(change_portrait, studio.settings.project, name, picture)


@router.post(
    "/characters/{name}/rename", summary="Rename a character", responses=declared_errors(404, 409, 413, 422, 503)
)
async def rename_character(name: KnownName, rename: CardRename, studio: OpenStudio) -> CardFilesView:
    """Give its files another name. Refused if it remembers something, and while something of the project names it.

    That is a scene, an episode or the ensemble. What is said on stage stands in the first heading of the card, and
    stays.
    """
    project = studio.settings.project
    past = await studio.scenes.memory.past(name)
    if (past.memories or past.bonds) and not same_name(name, rename.name):
        raise InvalidConfig(
            f"What '{name}' remembers is kept under that name. Have it forget everything, or change the heading of its "
            "card: that is its name on stage.",
            character=name,
        )
    await run_in_threadpool(_check_unnamed, project, name)
    renamed = partial(rename_card, name=name, new_name=rename.name, digest=rename.digest)
    return await run_in_threadpool(_view, project, renamed)


@router.delete("/characters/{name}", summary="Delete a character", responses=declared_errors(404, 409, 422, 503))
async def delete_character(name: KnownName, digest: Digest, studio: OpenStudio) -> DeletedCardView:
    """Move its files to `data/deleted/`, from where they can be brought back.

    Refused while scenes, episodes or the ensemble name it. What the character remembers stays, and so do runs that were
    played with it.
    """
    project, now = studio.settings.project, studio.resources.clock.date()
    await run_in_threadpool(_check_unnamed, project, name)
    return DeletedCardView.of(await run_in_threadpool(delete_card, project, name, digest, now))


@router.get("/deleted-characters", summary="List deleted characters")
def list_deleted_characters(studio: OpenStudio) -> DeletedCardList:
    """The characters that can be brought back, the last one deleted first."""
    return DeletedCardList(
        characters=tuple(DeletedCardView.of(card) for card in deleted_cards(studio.settings.project))
    )


@router.post(
    "/deleted-characters/{deleted}/restore",
    summary="Bring a deleted character back",
    responses=declared_errors(404, 413, 422, 503),
)
async def restore_character(
    deleted: Annotated[str, Path(max_length=200, description="the id of a deleted character")], studio: OpenStudio
) -> CardFilesView:
    """Its files return to where they were. Refused if another character has taken the name."""
    return await run_in_threadpool(_view, studio.settings.project, partial(restore_card, deleted=deleted))


def _view(project: FilePath, files: partial[CardFiles]) -> CardFilesView:
    found = files(project)
    return CardFilesView(
        name=found.name, files=found.files, digest=found.digest, named_in=_mentions(project, found.name)
    )


def _check_unnamed(project: FilePath, name: str) -> None:
    found = _mentions(project, name)
    if found:
        listed = ", ".join(f"the {one.kind} '{one.name}'" for one in found[:10])
        more = f" and {len(found) - 10} more" if len(found) > 10 else ""
        raise InvalidConfig(
            f"'{name}' is named in {listed}{more}. Take the character out of it first.",
            character=name,
            named_in=[one.model_dump(mode="json") for one in found],
        )


def _mentions(project: FilePath, name: str) -> tuple[Mention, ...]:
    """The files that name a character; of those that cannot be read, those whose text has the name."""
    scenes, episodes = known_files(project / SCENES), known_files(project / EPISODES)
    ensemble = project / ENSEMBLE
    seated = ensemble.is_file() and _names(name, ensemble, project, _seated)
    return (
        *(Mention(kind="scene", name=one) for one, path in scenes.items() if _names(name, path, project, _cast)),
        *(Mention(kind="episode", name=one) for one, path in episodes.items() if _names(name, path, project, _talkers)),
        *([Mention(kind="ensemble", name=ENSEMBLE)] if seated else ()),
    )


def _names(name: str, path: FilePath, project: FilePath, cast: Callable[[FilePath, FilePath], tuple[str, ...]]) -> bool:
    try:
        return any(same_name(one, name) for one in cast(path, project))
    except AuthorError:
        return name.casefold() in _text(path, project).casefold()


def _text(path: FilePath, project: FilePath) -> str:
    """The text of a file of the project; none of a link out of it, and of what cannot be read."""
    if leads_out(path, project):
        return ""
    try:
        return read_file(path, LARGEST_TEXT).decode("utf-8", "replace")
    except OSError:
        return ""


def _cast(path: FilePath, project: FilePath) -> tuple[str, ...]:
    return read_scene(path, project=project).characters


def _talkers(path: FilePath, project: FilePath) -> tuple[str, ...]:
    template = read_template(path, project=project)
    return (template.character, *template.characters)


def _seated(_: FilePath, project: FilePath) -> tuple[str, ...]:
    return tuple(slot.agent for slot in read_ensemble(project).slots)
