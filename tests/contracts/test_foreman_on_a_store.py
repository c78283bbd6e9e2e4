"""A book's conversation, on SQLite and on Postgres."""

from __future__ import annotations

from dramaturg.kernel.settings import Settings
from tests.workshop.workroom import acting, at_work, heard, saying

FLAW = acting("save_decision", category="character", key="flaw", value="pride \0 and 🎭 “quotes”")
THEME = acting("write_template", template="theme", content="<central_theme>Debt</central_theme>")


async def test_a_conversation_goes_on_where_it_was_and_its_actions_are_taken_back(store_settings: Settings) -> None:
    project, store = store_settings.project, store_settings.store
    async with at_work(project, [saying("One.", FLAW, THEME)], store=store) as foreman:
        await heard(foreman, "First \0 words.")
    async with at_work(project, [saying("Two.", FLAW.replace("pride", "vanity"))], store=store) as foreman:
        await heard(foreman, "Second.")
        assert [turn.writer for turn in (await foreman.conversation()).conversation(3)] == ["First  words.", "Second."]
        assert len(await foreman.history("flaw")) == 2
        for _ in range(3):
            await foreman.undo()
        assert await foreman.decisions() == ()
        assert not (project / "story-bible" / "theme.md").exists()


async def test_the_same_book_gives_the_same_prompt_on_either_database(store_settings: Settings) -> None:
    decisions = [
        acting("save_decision", category=category, key=f"{category}_{n}", value=f"Something about the docks, {n}")
        for n in range(2)
        for category in ("character", "world", "structure", "constraint", "voice")
    ]
    async with at_work(store_settings.project, [saying("Noted.", *decisions)], store=store_settings.store) as foreman:
        await heard(foreman, "Go.")
        prompt = await foreman.prompt("What about the docks?", model="openai/gpt-4o")
    state = prompt.system + prompt.messages[-1].text
    told = [word.split('"')[0] for word in state.split('key="')[1:]]
    assert told == [
        "character_1", "voice_1", "structure_1", "character_0", "world_1", "voice_0", "structure_0", "world_0",
    ]  # fmt: skip
    assert state.count("<continuity>Something about the docks") == 2, "constraints are remembered"
