"""The knowledge graph of a book: its characters, how they are connected, and who knows what."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.server.routes.workshop import TheForeman
from dramaturg.workshop.graph.wire import EntityFacts, KnowledgeView, MeetingList, PathView, RankList, SceneGraph

router = api_router(prefix="/v1/projects/{project}/graph", tags=["workshop"])
Who = Annotated[str, Query(min_length=1, max_length=200, description="a name, an alias, or a number such as `#12`")]
Scene = Annotated[str, Query(min_length=1, max_length=400, description="`ch04-sc02`, a path, or a title")]
At = Annotated[str, Query(max_length=400, description="a scene; the end of the book if not set")]
Together = Annotated[list[str], Query(min_length=1, max_length=20, description="names of those who must be present")]


@router.get("", summary="List the characters", responses=declared_errors(404, 422))
async def list_graph_characters(foreman: TheForeman) -> RankList:
    """The characters, the most central first. The files of the book are read again if they have changed."""
    return await foreman.graph.characters()


@router.get("/who", summary="Get what is known about someone", responses=declared_errors(404, 422))
async def get_graph_entity(foreman: TheForeman, name: Who) -> EntityFacts:
    """Every fact that holds about someone or something, with its quotation."""
    return await foreman.graph.who(name)


@router.get("/path", summary="Get how two are connected", responses=declared_errors(404, 422))
async def get_graph_path(foreman: TheForeman, start: Who, end: Who) -> PathView:
    """The shortest way between two, with the facts on it."""
    return await foreman.graph.path(start, end)


@router.get("/knows", summary="Get what a character knows", responses=declared_errors(404, 422))
async def get_graph_knowledge(foreman: TheForeman, who: Who, at: At = "") -> KnowledgeView:
    """What a character knows at a place of the book, and how."""
    return await foreman.graph.knows(who, at)


@router.get("/scene", summary="Get what is around a scene", responses=declared_errors(404, 422))
async def get_scene_graph(foreman: TheForeman, name: Scene) -> SceneGraph:
    """The facts around a scene, the nearest first."""
    return await foreman.graph.scene(name)


@router.get("/together", summary="Get who met when", responses=declared_errors(404, 422))
async def get_graph_meetings(foreman: TheForeman, who: Together) -> MeetingList:
    """The scenes in which all of these were present, in reading order."""
    return await foreman.graph.together(*who)
