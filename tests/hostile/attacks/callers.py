"""Who may call what: one table. A route that is not in it belongs to the author alone."""

from __future__ import annotations

from typing import Any, Literal

from tests.hostile.attacks.host import OPEN
from tests.server.described import SCHEMA

CallerName = Literal["author", "owner", "other", "expired", "revoked", "malformed", "none"]
CALLERS: tuple[CallerName, ...] = ("author", "owner", "other", "expired", "revoked", "malformed", "none")
Face = Literal["author", "session", "entrance", "profile", "seat", "program", "public", "anybody"]

FACES: dict[str, Face] = {
    **dict.fromkeys(("get_session", "follow_session", "delete_session", "list_messages", "send_message"), "session"),
    **dict.fromkeys(("pick_choice", "retry_answer", "swipe_message", "choose_message", "edit_message"), "session"),
    **dict.fromkeys(("continue_answer", "draft_message", "set_voice", "get_recording"), "session"),
    **dict.fromkeys(("delete_message", "branch_session", "list_evaluations", "evaluate_again"), "session"),
    "list_branches": "session",
    **dict.fromkeys(("get_directors_cut", "preview_share", "share_result", "list_shares", "revoke_share"), "session"),
    "open_session": "entrance",
    **dict.fromkeys(("list_own_sessions", "list_my_memories", "forget_my_memory", "get_relationship"), "profile"),
    **dict.fromkeys(("delete_player", "renew_token", "log_out"), "profile"),
    **dict.fromkeys(("follow_seat", "answer_from_seat", "leave_seat"), "seat"),
    **dict.fromkeys(("complete_chat", "list_models", "get_model"), "program"),
    **dict.fromkeys(("list_episodes", "get_episode", "list_series", "get_series"), "public"),
    **dict.fromkeys(("get_shared_result", "count_view"), "public"),
    **dict.fromkeys(("get_health", "probe_health", "get_login", "log_in", "end_login"), "anybody"),
}

IN = "in"
"""Let in: answered by the operation itself, with whatever it has to say, but never with 401 or 403."""
EXPECTED: dict[Face, dict[CallerName, int | str]] = {
    "author": {"author": IN, **dict.fromkeys(CALLERS[1:], 401)},
    "session": {
        "author": 404,
        "owner": IN,
        "other": 404,
        "expired": 401,
        "revoked": 401,
        "malformed": 401,
        "none": 404,
    },
    "entrance": {
        "author": IN,
        "owner": IN,
        "other": IN,
        "expired": 401,
        "revoked": 401,
        "malformed": 401,
        "none": IN,
    },
    "profile": {
        "author": 422,
        "owner": IN,
        "other": IN,
        "expired": 401,
        "revoked": 401,
        "malformed": 401,
        "none": 422,
    },
    "seat": dict.fromkeys(CALLERS, 401),
    "program": {"author": IN, "owner": IN, "other": IN, **dict.fromkeys(CALLERS[3:], 401)},
    "public": dict.fromkeys(CALLERS, IN),
    "anybody": dict.fromkeys(CALLERS, IN),
}

Operation = tuple[str, str, str]
"""Name, method and path."""
OPERATIONS: tuple[Operation, ...] = tuple(
    (operation["operationId"], method.upper(), path)
    for path, operations in SCHEMA["paths"].items()
    for method, operation in operations.items()
)
NAMES = {"get_episode": OPEN, "get_series": "none-here"}
BODIES: dict[str, Any] = {
    "open_session": {"template": OPEN},
    "complete_chat": {"model": f"episode/{OPEN}", "messages": [{"role": "user", "content": "Good evening."}]},
    "answer_from_seat": {"text": "Good evening."},
    "send_message": {"text": "Good evening."},
    "pick_choice": {"choice": "none-here"},
    "edit_message": {"text": "Sit down."},
    "branch_session": {"message_id": "m1"},
    "preview_share": {},
    "share_result": {"seen": "0" * 16},
}
BROKEN_TOKENS = (
    "p1.player-0.x",
    "p2.player-00000000000000000000000000000000.0000.AAAA",
    "x",
    "p2...",
    "Bearer x",
    "\u00fc".encode("latin-1").decode("latin-1"),
)


def address_of(name: str, path: str, *, session: str, share: str) -> str:
    """The address of an operation with something in place of each parameter."""
    known = {
        "run_id": session,
        "message_id": "m1",
        "share_id": share or "0" * 32,
        "name": NAMES.get(name, "alice"),
        "character": "mina",
        "memory_id": "none-here",
        "token_id": "none-here",
        "audio_path": "tts/none.wav",
        "project": "main",
        "what": "end",
        "line": "1",
        "form": "json",
        "takes_id": "0" * 18,
        "model": f"episode/{OPEN}",
    }
    while "{" in path:
        before, _, rest = path.partition("{")
        parameter, _, after = rest.partition("}")
        path = before + known.get(parameter, "1") + after
    return path
