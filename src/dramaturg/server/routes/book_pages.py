"""The texts of a book: pages of its story bible and scenes of its manuscript, read and written with their digest."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from pydantic import Field

from dramaturg.kernel.values import WireValue
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.server.routes.workshop import TheForeman
from dramaturg.workshop.book.manuscript import MOST_BYTES
from dramaturg.workshop.book_pages import ManuscriptSceneList, PageList, PageSaved, PageText

router = api_router(prefix="/v1/projects/{project}", tags=["workshop"])
PageName = Annotated[
    str,
    Path(
        max_length=200,
        description="a template such as `beat_sheet`, or a path below story-bible/",
        examples=["protagonist"],
    ),
]
SceneName = Annotated[
    str, Path(max_length=200, description="`ch04-sc02`, or a path below manuscript/", examples=["ch04-sc02"])
]


class TextRequest(WireValue):
    """A whole text, front matter included, and the text that it replaces."""

    text: str = Field(max_length=MOST_BYTES, examples=["The lamp went out.\n"])
    digest: str = Field(
        "", max_length=64, description="of the text that was read; empty for a file that does not exist yet"
    )


@router.get("/bible", summary="List the pages of the story bible", responses=declared_errors(404, 422))
async def list_bible_pages(foreman: TheForeman) -> PageList:
    """The four templates, whether or not they exist yet, then the writer's own pages."""
    return await foreman.pages.pages()


@router.get("/bible/{name:path}", summary="Get a page of the story bible", responses=declared_errors(404, 422))
async def get_bible_page(foreman: TheForeman, name: PageName) -> PageText:
    """Its whole text and its digest. A template that does not exist yet has an empty text and an empty digest."""
    return await foreman.pages.read("page", name)


@router.put(
    "/bible/{name:path}", summary="Write a page of the story bible", responses=declared_errors(404, 409, 413, 422, 503)
)
async def write_bible_page(foreman: TheForeman, name: PageName, wanted: TextRequest) -> PageSaved:
    """Save the whole text of a page. The text before it is kept: `undo` with `act` brings it back to the byte.

    If the page was changed meanwhile, the response is 409 `FILE_CHANGED` and nothing is written; `context.text` and
    `context.digest` are what it is now.
    """
    return await foreman.pages.write("page", name, wanted.text, wanted.digest)


@router.get("/manuscript/scenes", summary="List the scenes of the manuscript", responses=declared_errors(404, 422))
async def list_manuscript_scenes(foreman: TheForeman) -> ManuscriptSceneList:
    """Every file of the manuscript, in order, each with its digest and its number of words."""
    return await foreman.pages.scenes()


@router.get(
    "/manuscript/scenes/{scene:path}", summary="Get a scene of the manuscript", responses=declared_errors(404, 422)
)
async def get_manuscript_scene(foreman: TheForeman, scene: SceneName) -> PageText:
    """Its whole text, front matter included, and its digest."""
    return await foreman.pages.read("scene", scene)


@router.put(
    "/manuscript/scenes/{scene:path}",
    summary="Write a scene of the manuscript",
    responses=declared_errors(404, 409, 413, 422, 503),
)
async def write_manuscript_scene(foreman: TheForeman, scene: SceneName, wanted: TextRequest) -> PageSaved:
    """Save the whole text of a scene. The text before it is kept as a version, and `undo` with `act` brings it back.

    If the scene was changed meanwhile, the response is 409 `FILE_CHANGED` and nothing is written; `context.text` and
    `context.digest` are what it is now.
    """
    return await foreman.pages.write("scene", scene, wanted.text, wanted.digest)
