"""The parts of the pages on the workshop that are played or measured.

`python -m tests.docs.workshop_page` writes them; a test compares.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
from pathlib import Path

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.settings import ModelSettings, Settings, WorkshopSettings
from dramaturg.studio import Studio
from dramaturg.workshop.book.bible import spans
from dramaturg.workshop.wire import ActionShown, MessageDone, ModeShown, PromptView, RefusalShown

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
EXAMPLE = ROOT / "examples" / "the-last-starship"
MODELS = ("gpt-4o", "gemini-2.0-flash", "llama3.2:3b")
WIDTH = 110
WRITER = (
    "A freight pilot learns that the last starship will leave without the people who built it.",
    "Elena Vance",
    "She is poor",
    "She trusts nobody and does alone what needs two",
    "Whoever counts on people gets left on the quay",
    "She flies the night run alone, the co-pilot's seat full of crates, and calls that freedom",
    "She wins the codes and Marcus's trust in one night, and believes she can keep both",
    "She hands the key to people she cannot control, and stays behind to close the dock by hand",
    "It's about love",
    "Trust without proof",
    "Trust is a debt that must be paid before anybody knows whether it was owed",
    "A jump costs one navigator. Nobody can lie to a ship.",
    "Whoever leaves the docks loses the right to come home.",
    "1. Elena eats alone in a cockpit with two seats.\n"
    "2. The harbour master says a ship is as strong as its second seat.\n"
    "3. The docks, the debts, Marcus, and the ship none of them will board.\n"
    "4. The passenger list is nailed to the gate without a builder on it.\n"
    "5. She could take her wages and go; then the bank takes the boat.\n"
    "6. She signs on as the ship's mule to get inside.\n"
    "7. Marcus asks her to teach his daughter to fly.\n"
    "8. Forged seals, a parade with a hole in it, three nights in the hull.\n"
    "9. She wins the codes, and the company learns her name.\n"
    "10. The company buys two of her people; she locks the others out.\n"
    "11. Marcus is taken with the codes she would not share.\n"
    "12. She sits in the second seat and finds the girl's drawing there.\n"
    "13. She asks for help aloud, for the first time.\n"
    "14. sad",
    "The builders take the ship, each knowing one piece of it, and she gives the key away.",
    "Both seats taken, neither of them hers.",
    "yes",
)


def pages() -> dict[Path, tuple[str, str]]:
    """The generated part of each page: its name and its text."""
    return {
        DOCS / "first-evening.md": ("consultation", asyncio.run(consultation())),
        DOCS / "workshop.md": ("prompts", asyncio.run(prompts())),
    }


def page_with(text: str, name: str, section: str) -> str:
    pattern = re.compile(rf"(<!-- made: {name} -->\n).*?(<!-- end: {name} -->)", re.S)
    assert pattern.search(text), name
    return pattern.sub(lambda found: f"{found[1]}\n{section}\n\n{found[2]}", text)


async def consultation() -> str:
    """From the idea to the gate, as the rehearsal Foreman plays it."""
    rows: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(
            project=Path(folder),
            models=ModelSettings(default="rehearsal"),
            workshop=WorkshopSettings(title="The Last Starship"),
        )
        async with Studio.open(settings, StillClock()) as studio:
            for message in WRITER:
                rows.append("\n".join(f"> {line}" for line in message.splitlines()))
                async for event in studio.workshop.consult(message):
                    if isinstance(event, MessageDone):
                        rows.append(_wrapped(event.text))
                    elif isinstance(event, ActionShown):
                        rows[-1] += f"\n  ✓ {_short(event.said)}"
                    elif isinstance(event, RefusalShown):
                        rows[-1] += f"\n  ✗ {event.action}: {event.reason}"
                    elif isinstance(event, ModeShown):
                        rows[-1] += f"\n  → {event.before} to {event.after}"
    return "```text\n" + "\n\n".join(rows) + "\n```"


async def prompts() -> str:
    """One message to three models, side by side."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "the-last-starship"
        shutil.copytree(EXAMPLE, project, ignore=shutil.ignore_patterns("data"))
        settings = Settings(
            project=project,
            models=ModelSettings(default="rehearsal"),
            workshop=WorkshopSettings(title="The Last Starship", agent="direct"),
        )
        async with Studio.open(settings, StillClock()) as studio:
            for message in WRITER[3:9]:
                async for _ in studio.workshop.consult(message):
                    pass
            views = [await studio.workshop.prompt("What is still missing?", model=model) for model in MODELS]
    layers = list(dict.fromkeys(layer.name for view in views for layer in view.layers))
    table = [["layer", *(f"`{view.model}`" for view in views)], ["---", *("--:" for _ in views)]]
    table.append(["tier", *(view.tier for view in views)])
    for name in layers:
        table.append([name.replace("_", " "), *(_tokens(view, name) for view in views)])
    table.append(["**in all**", *(f"**{view.tokens}**" for view in views)])
    table.append(["price of the input", *(_money(view.usd) for view in views)])
    table.append(["tokens reserved for the answer", *(str(view.reserve) for view in views)])
    table.append(["blind spots", *(str(len(view.blind_spots)) for view in views)])
    return "\n".join(f"| {' | '.join(row)} |" for row in table)


def _tokens(view: PromptView, name: str) -> str:
    found = next((layer for layer in view.layers if layer.name == name), None)
    if found is None:
        return "–"
    return f"{found.tokens} of {found.budget}" if found.budget is not None else str(found.tokens)


def _money(usd: float | None) -> str:
    return "unknown" if usd is None else f"${usd:.5f}"


def _wrapped(text: str) -> str:
    import textwrap

    return "\n\n".join(textwrap.fill(part, WIDTH) for part in text.split("\n\n"))


def _short(said: str) -> str:
    said = re.sub(r"Wrote (.*?) in", lambda found: f"Wrote {spans(found[1].split(', '))} in", said)
    return said if len(said) <= WIDTH - 8 else said[: WIDTH - 9].rsplit(" ", 1)[0] + " …"


if __name__ == "__main__":
    for page, (name, section) in pages().items():
        page.write_text(page_with(page.read_text(encoding="utf-8"), name, section), encoding="utf-8")
