"""The library's server with closed tools: an argument that a tool does not have is refused, in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import ValidationError, create_model

from dramaturg.server.http.errors import located_problems

MOST_NAMED = 5


def closed_tool(function: Callable[..., Coroutine[object, object, object]], hints: ToolAnnotations) -> Tool:
    """A tool that takes the arguments of its function, and no others."""
    tool = Tool.from_function(function, annotations=hints)
    taken = tool.fn_metadata.arg_model
    closed = create_model(taken.__name__, __base__=taken, __cls_kwargs__={"extra": "forbid"})
    metadata = tool.fn_metadata.model_copy(update={"arg_model": closed})
    return tool.model_copy(update={"fn_metadata": metadata, "parameters": closed.model_json_schema(by_alias=True)})


class ClosedServer(MCPServer[object]):
    """A server whose refusals are sentences."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[object, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        try:
            return await super().call_tool(name, arguments, context)
        except UnexpectedToolError:
            raise
        except ToolError as error:
            raise ToolError(await self._refusal(name, arguments, error)) from error

    async def _refusal(self, name: str, arguments: dict[str, Any], error: ToolError) -> str:
        tools = {tool.name: tool.input_schema for tool in await self.list_tools()}
        if name not in tools:
            return f"There is no tool '{name[:40]}'. The tools are {_listed(list(tools), 'and')}."
        cause = error.__cause__
        if not isinstance(cause, ValidationError):
            return str(cause or error)
        known = list(tools[name].get("properties", {}))
        if unknown := [one for one in arguments if one not in known]:
            named = _listed([f"'{one[:40]}'" for one in unknown[:MOST_NAMED]], "or")
            return f"{name} has no argument {named}. It takes {_listed(known, 'and') or 'none'}."
        found = located_problems(cause.errors(), arguments)[:MOST_NAMED]
        return " ".join(f"{name}, argument '{where}': {problem}." for where, problem in found)


def _listed(names: list[str], last: str) -> str:
    *first, end = names or [""]
    return f"{', '.join(first)} {last} {end}" if first else end
