"""A notebook that another program serves over MCP, NotebookLM's or any other. Needs the extra `mcp`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from dramaturg.kernel.errors import NotebookUnavailable, install_extra
from dramaturg.kernel.models.structured import json_values
from dramaturg.kernel.settings import NotebookSettings
from dramaturg.workshop.notebooks.port import NotebookListing, NotebookPassage

if TYPE_CHECKING:
    from mcp.types import Tool

ASKING = ("question", "query", "q", "prompt", "message", "text", "input")
"""What servers call the argument that takes a question."""
CITED = ("file", "source", "title", "name", "document", "url", "uri")
PLACED = ("place", "page", "location", "section", "line")
SAID = ("text", "quote", "passage", "content", "excerpt", "snippet")


class McpNotebook:
    """Starts the program for each question, calls its tool, and returns the answer as passages."""

    def __init__(self, listing: NotebookListing, settings: NotebookSettings, env: Mapping[str, str]) -> None:
        self.listing = listing
        self._settings = settings
        self._env = {name: env[name] for name in settings.env if name in env}

    async def query(self, question: str) -> tuple[NotebookPassage, ...]:
        try:
            async with asyncio.timeout(self._settings.timeout):
                return await self._asked(question)
        except NotebookUnavailable:
            raise
        except ImportError as error:
            raise self._failed(f"that needs {install_extra('mcp')}") from error
        except TimeoutError as error:
            raise self._failed(f"it gave no answer within {self._settings.timeout:g} seconds") from error
        except Exception as error:  # reason: whatever fails in the program or its protocol, the conversation continues
            raise self._failed(_reason(error)) from error

    async def _asked(self, question: str) -> tuple[NotebookPassage, ...]:
        from mcp import Client, StdioServerParameters, stdio_client

        command, *arguments = self._settings.command
        server = StdioServerParameters(command=command, args=list(arguments), env=self._env)
        with _unheard() as complaints:
            async with Client(stdio_client(server, errlog=complaints)) as client:
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


def _unheard() -> TextIO:
    """A sink for the program's error output, to keep it off the writer's terminal."""
    return Path(os.devnull).open("w", encoding="utf-8")


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


def _reason(error: BaseException) -> str:
    """The innermost cause in a group of errors."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    if isinstance(error, FileNotFoundError):
        return f"there is no program '{error.filename}'"
    return f"{type(error).__name__}: {error}".strip(": ").rstrip(".")
