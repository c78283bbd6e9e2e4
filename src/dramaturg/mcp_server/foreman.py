"""A turn with the Foreman, as one answer."""

from __future__ import annotations

from contextlib import aclosing

from mcp.server.mcpserver.exceptions import ToolError

from dramaturg.mcp_server.results import ForemanAnswer
from dramaturg.workshop.front import Workshop
from dramaturg.workshop.wire import (
    ActionShown,
    ConsultEvent,
    FailureShown,
    MessageDone,
    ModeShown,
    OfferShown,
    RefusalShown,
    WorkShown,
)


async def foreman_answer(workshop: Workshop, message: str) -> ForemanAnswer:
    """Says something to the Foreman and waits for all he does. Raises ToolError if there is no answer."""
    turn, text, actions = 0, "", list[str]()
    async with aclosing(workshop.consult(message)) as events:
        async for event in events:
            turn = event.turn
            if isinstance(event, FailureShown):
                raise ToolError(f"{event.error} ({event.code}) The message is kept.")
            if isinstance(event, MessageDone):
                text = event.text
            elif said := _action(event):
                actions.append(said)
    return ForemanAnswer(turn=turn, answer=text, actions=actions)


def _action(event: ConsultEvent) -> str:
    match event:
        case ActionShown():
            return f"done: {event.said}"
        case RefusalShown():
            return f"refused: {event.action}: {event.reason}"
        case OfferShown():
            return f"waits for a yes: {event.said}"
        case ModeShown():
            return f"mode: {event.before} to {event.after}"
        case WorkShown():
            return f"work {event.status}: {event.said}"
    return ""
