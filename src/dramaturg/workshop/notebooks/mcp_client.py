"""A notebook that another program serves over MCP, NotebookLM's or any other. Needs the extra `mcp`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dramaturg.kernel.errors import NotebookUnavailable, install_extra
from dramaturg.kernel.settings import NotebookSettings
from dramaturg.model_notes.structured import json_values
from dramaturg.workshop.notebooks.port import NotebookListing, NotebookPassage
from dramaturg.workshop.notebooks.program import RunningProgram

if TYPE_CHECKING:
    from mcp.types import Tool

ASKING = ("question", "query", "q", "prompt", "message", "text", "input")
"""What servers call the argument that takes a question."""
CITED = ("file", "source", "title", "name", "document", "url", "uri")
PLACED = ("place", "page", "location", "section", "line")
SAID = ("text", "quote", "passage", "content", "excerpt", "snippet")


class McpNotebook:
    """Starts the program for each question, calls its tool, and returns the answer as passages.

    It is started in the project's folder, wherever the caller stands.
    """

    def __init__(
        self, listing: NotebookListing, settings: NotebookSettings, project: Path, env: Mapping[str, str]
    ) -> None:
        self.listing = listing
        self._settings = settings
        self._project = project
        self._env = {name: env[name] for name in settings.env if name in env}

    async def query(self, question: str) -> tuple[NotebookPassage, ...]:
        program = RunningProgram(self._settings.command, self._project, self._env)
        try:
            async with asyncio.timeout(self._settings.timeout):
                return await self._asked(program, question)
        except NotebookUnavailable:
            raise
        except ImportError as error:
            raise self._failed(f"that needs {install_extra('mcp')}") from error
        except TimeoutError as error:
            raise self._failed(f"it gave no answer within {self._settings.timeout:g} seconds") from error
        except Exception as error:  # reason: whatever fails in the program or its protocol, the conversation continues
            reason = await asyncio.to_thread(program.ending) if _is_closed(error) else _reason(error)
            raise self._failed(reason) from error

    async def _asked(self, program: RunningProgram, question: str) -> tuple[NotebookPassage, ...]:
        from mcp import Client

        async with Client(program.connected()) as client:
            tool = self._chosen((await client.list_tools()).tools)
            given = {**self._settings.arguments, self._argument(tool): question}
            result = await client.call_tool(tool.name, given)
        texts = [block.text for block in result.content if block.type == "text"]
        if result.is_error:
            raise self._failed(f"it refused: {' '.join(texts)[:300]}")
        return self._passages(result.structured_content, texts)

    def _chosen(self, tools: Sequence[Tool]) -> Tool:
        """The configured tool, else the first that takes a question."""
        named = [tool for tool in tools if tool.name == self._settings.tool]
        if self._settings.tool and not named:
            raise self._failed(f"it has no tool '{self._settings.tool}' (it has: {_names(tools)})")
        found = named or [tool for tool in tools if _question_of(tool)]
        if not found:
            raise self._failed(f"none of its tools takes a question (it has: {_names(tools)}); set `tool`")
        return found[0]

    def _argument(self, tool: Tool) -> str:
        argument = self._settings.question or _question_of(tool)
        if not argument:
            raise self._failed(f"set `question` to the argument of '{tool.name}' that takes it")
        return argument

    def _passages(self, structured: object, texts: Sequence[str]) -> tuple[NotebookPassage, ...]:
        """Entries with a text and a source, if the answer has them; else the whole answer as one passage."""
        entries = _entries(structured) or [
            one for text in texts for value in json_values(text) for one in _entries(value)
        ]
        if entries:
            return tuple(
                NotebookPassage(file=_first(one, CITED) or self.listing.id, place=_first(one, PLACED), text=text)
                for one in entries
                if (text := _first(one, SAID).strip())
            )
        title = self.listing.title or self.listing.id
        return tuple(NotebookPassage(file=title, text=text.strip()) for text in texts if text.strip())

    def _failed(self, why: str) -> NotebookUnavailable:
        return NotebookUnavailable(
            f"The notebook '{self.listing.id}' cannot be asked: {why}.", notebook=self.listing.id
        )


def _question_of(tool: Tool) -> str:
    properties = tool.input_schema.get("properties", {})
    return next((name for name in ASKING if name in properties), "")


def _names(tools: Sequence[Tool]) -> str:
    return ", ".join(tool.name for tool in tools) or "none"


def _entries(structured: object) -> list[Mapping[str, Any]]:
    if isinstance(structured, Mapping):
        lists = [value for value in structured.values() if isinstance(value, list)]
        return _entries(lists[0]) if lists else []
    if isinstance(structured, list):
        return [one for one in structured if isinstance(one, Mapping) and _first(one, SAID)]
    return []


def _first(entry: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((str(entry[name]) for name in names if entry.get(name) not in (None, "")), "")


def _is_closed(error: BaseException) -> bool:
    """Whether the program closed the connection, which is what is seen of one that ends."""
    from anyio import BrokenResourceError, ClosedResourceError
    from mcp.types import CONNECTION_CLOSED

    cause = _innermost(error)
    closed = getattr(cause, "code", None) == CONNECTION_CLOSED
    return closed or isinstance(cause, BrokenResourceError | ClosedResourceError)


def _innermost(error: BaseException) -> BaseException:
    """The innermost cause in a group of errors."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return error


def _reason(error: BaseException) -> str:
    error = _innermost(error)
    if isinstance(error, FileNotFoundError):
        return f"there is no program '{error.filename}'"
    return f"{type(error).__name__}: {error}".strip(": ").rstrip(".")
