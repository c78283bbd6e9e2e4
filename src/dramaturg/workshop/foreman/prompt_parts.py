"""The parts of a prompt that a model may repeat or invent. They are nobody's words: not shown, run or told again."""

from __future__ import annotations

UNDONE = "undone_by_writer"
"""In the history of a conversation, what an action of the Foreman's became."""
PROMPT_PARTS = frozenset(
    {
        "session_state",
        "current_mode",
        "completion_pct",
        "project",
        "work_order",
        "open_templates",
        "active_file",
        "current_beat",
        "voice_locked",
        "active_context",
        "voice_context",
        "scene_context",
        "knowledge_context",
        "agent_memory",
        "notebooks",
        "health_alerts",
        "last_answer",
        "voice_bundle",
        "active_scaffold",
        "available_actions",
        "manuscript",
        UNDONE,
    }
)
WRAPPERS = frozenset(
    {
        "response",
        "answer",
        "output",
        "reply",
        "result",
        "root",
        "assistant",
        "foreman",
        "actions",
        "action_list",
        "function_calls",
        "tool_calls",
        "content_updates",
        "xml",
    }
)
"""What models put around an answer or around its actions; outside a message it means nothing."""
