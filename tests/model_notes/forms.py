"""The forms that models give an answer in, each with SECRET where nobody is to hear it, and rows that only look so.

The character is Mara Quill; she says "Sit down.", the player is Jonas.
"""

CAST = ("Mara Quill", "Jonas", "Old Brandt")
SAID = '"Sit down."'
SAID_FIRST = '"Sit down."\n*nods*'
DONE = '*nods*\n"Sit down."'

FORMS = {
    "a numbered list": ('1. Dialogue: "Sit down."\n2. Internal: SECRET', SAID),
    "a numbered list in bold": ("1. **Action:** nods\n2. **Dialogue:** Sit down.\n3. **Thoughts:** SECRET", DONE),
    "a numbered list that begins with thoughts": ("1) Internal: SECRET\n2) Dialogue: Sit down.", SAID),
    "a table of rows": ("| Field | Value |\n|---|---|\n| dialogue | Sit down. |\n| internal | SECRET |", SAID),
    "a table of columns": ("| Dialogue | Internal | Mood |\n|---|---|---|\n| Sit down. | SECRET | wary |", SAID),
    "a table in bold": ("| **Action** | nods |\n| **Dialogue** | Sit down. |\n| **Internal** | SECRET |", DONE),
    "labels in brackets": ("[dialogue] Sit down.\n[internal] SECRET", SAID),
    "labels in brackets, thoughts first": ("[Thoughts] SECRET\n[Speech] Sit down.", SAID),
    "labels in brackets as headings": ("[INTERNAL MONOLOGUE]\nSECRET\n\n[DIALOGUE]\nSit down.", SAID),
    "labels in one row": ("(dialogue) Sit down. (internal) SECRET", SAID),
    "labels before dashes": ("Dialogue — Sit down.\nInternal — SECRET", SAID),
    "labels before dashes in German": ("Dialog – Sit down.\nInnerer Monolog – SECRET", SAID),
    "assignments": ('dialogue = "Sit down."\ninternal = "SECRET"', SAID),
    "front matter": ("---\ndialogue: Sit down.\ninternal: SECRET\n---", SAID),
    "blocks of rows": ("dialogue: |\n  Sit down.\ninternal: |\n  SECRET", SAID),
    "a tool's call": ('<tool_call>\n{"name": "say", "arguments": {"dialogue": "Sit down."}}\n</tool_call>', SAID),
    "a tool's call around words": ('<tool_call>\n"Sit down."\n</tool_call>', SAID),
    "a tool's call before words": (f'<tool_call>{{"content": "SECRET"}}</tool_call>\n{SAID}', SAID),
    "a function with its name": ('<function=say>{"dialogue": "Sit down.", "internal": "SECRET"}</function>', SAID),
    "parameters": ('<parameter name="dialogue">Sit down.</parameter>\n<parameter name="plan">SECRET</parameter>', SAID),
    "a subtext in a tag": ('<speech tone="dry">Sit down.</speech><subtext>SECRET</subtext>', SAID),
    "a hidden agenda": ("* Speech: Sit down.\n* Hidden agenda: SECRET", SAID),
    "arguments": ('<arg name="action">nods</arg><arg name="dialogue">Sit down.</arg>', DONE),
    "arguments in a string": ('{"name": "say", "arguments": "{\\"dialogue\\": \\"Sit down.\\"}"}', SAID),
    "blocks of content": ('[{"type": "thinking", "text": "SECRET"}, {"type": "text", "text": "Sit down."}]', SAID),
    "blocks of content in a message": (
        '{"content": [{"type": "reasoning", "text": "SECRET"}, {"type": "text", "text": "Sit down."}]}',
        SAID,
    ),
    "a transcript of messages": (
        '{"messages": [{"role": "user", "content": "SECRET"}, {"role": "assistant", "content": "Sit down."}]}',
        SAID,
    ),
    "messages one below the other": (
        '{"role": "user", "content": "SECRET"}\n{"role": "assistant", "content": "Sit down."}',
        SAID,
    ),
    "what went in and what comes out": ('{"input": {"text": "SECRET"}, "output": {"text": "Sit down."}}', SAID),
    "a whole response": ('{"choices": [{"message": {"content": "Sit down."}}]}', SAID),
    "a schema filled in": ('{"type": "object", "properties": {"dialogue": "Sit down.", "plan": "SECRET"}}', SAID),
    "the name as a key": ('{"Mara Quill": "Sit down."}', SAID),
    "the name as a key of a form": ('{"Mara Quill": {"dialogue": "Sit down.", "internal": "SECRET"}}', SAID),
    "a script": ("EXT. HARBOUR - DAY\n\nMARA QUILL\nSit down.", "Sit down."),
    "the name and a manner": ('Mara Quill, very quietly: "Sit down."', SAID),
    "two versions": ('**Option 1:**\n"Sit down."\n\n**Option 2:**\n"SECRET"', SAID),
    "two versions with letters": ('Version A (gentle): "Sit down."\n\nVersion B: "SECRET"', SAID),
    "figures of a game": (f"{SAID}\n\n[HP: 20/20 | Gold: 14 | Location: SECRET]", SAID),
    "figures in rows": (f"{SAID}\n\n**Stats**\nTrust: 4/10\nSuspicion: 70%\nPlace: SECRET", SAID),
    "two versions with remarks": ('**Option 1 (calm):**\n"Sit down."\n\n**Option 2 (cold):**\n"SECRET"', SAID),
    "a table with a gesture": (
        "| Speech | Gesture | Thought |\n|---|---|---|\n| Sit down. | nods | SECRET |",
        SAID_FIRST,
    ),
    "rows with a gesture": ("Speech: Sit down.\nGesture: nods\nThoughts: SECRET", SAID_FIRST),
    "rows with a gesture in German": ("Gesprochen: Sit down.\nGestik: nods\nGedanken: SECRET", SAID_FIRST),
    "rows with a gesture in Spanish": ("Diálogo: Sit down.\nGesto: nods\nPensamiento: SECRET", SAID_FIRST),
    "keys of two words": ('{"Spoken Words": "Sit down.", "Body Language": "nods"}', SAID_FIRST),
    "a subtext in a row": (f"{SAID}\n\nSubtext: SECRET", SAID),
    "a thought under the own name": (f"Mara Quill (thinking): SECRET\nMara Quill: {SAID}", SAID),
    "figures before the answer": (f"HP: 20/20\nGold: SECRET\n\n{SAID}", SAID),
    "figures below the answer": (f"{SAID}\nHP: 20/20\nGold: SECRET", SAID),
    "figures in a fence": (f"```\nHP: 20/20\nGold: 14\n```\n{SAID}", SAID),
    "what the player might do": (f"{SAID}\n\nHow do you respond?\n1. SECRET\n2. Leave.", SAID),
    "a question about the player": (f"{SAID}\n\nHow does Jonas respond?", SAID),
    "a question about the player in German": (f"{SAID}\n\nWie reagiert Jonas?", SAID),
    "the label of a program": (f"AI: {SAID}", SAID),
}
"""Each answer, and what a player is shown of it."""

HONEST_ROWS = (
    "1. We leave at dawn.\n2. Nobody talks.\n3. Bring rope.",
    "Action — that is what we need, not talk.",
    "Thoughts — they come and go at night.",
    "Take 2 of these: one at night.",
    "Option A is the river, option B the road.",
    "Debts: 40/60. That is what your father left.",
    "INTENTIONS are cheap. Sit.",
    "The ledger reads:\n| Ship | Crew |\n|---|---|\n| Meridian | 14 |",
    "— Sit down, she said — or leave.",
    "How does one forgive a thing like that?",
    '"No." She turned.\n\nWhat would he say?',
    '"Nein."\n\nWas macht das schon?',
    'Mara Quill, of all people, laughed: "No."',
    "Old Brandt, listen to me: the ledger is gone.",
    "Status: alive. Barely.",
    "I hold up two coats.\nTake 1: the red one.\nTake 2: the grey one. Choose.",
    "Option 1: you stay.\nOption 2: you go.\n\nEither way you wash the dishes.",
    "We have two options:\n\nOption A: we run.\nOption B: we stay.",
    "She reads the board.\nHome: 3/4\nLucky Star: 40%\n\nWe lose, she says.",
    "The board says:\nHome: 3/4\nDoor: open\nSo we run.",
)
"""Somebody's words, shown as they are."""
