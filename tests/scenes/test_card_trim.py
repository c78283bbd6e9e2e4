"""A card that does not fit a small model's window is shortened, and the receipt says what was left out."""

from __future__ import annotations

from dramaturg.characters import Card, parse_card
from dramaturg.kernel.models.profiles import profile_of
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.prompts import Layer, Prompt, assemble
from dramaturg.kernel.settings import Settings
from dramaturg.scenes.card_trim import by_section
from dramaturg.scenes.scene import scene_from
from dramaturg.scenes.stage import Casting, character_prompt, open_scene
from dramaturg.scenes.state import SceneState

LONG = "\n".join(
    f"- Remembers the summer of {year}, and what was said on the pier that year" for year in range(1800, 2000)
)
CARD = f"""# Alice - Lighthouse Keeper

## Background
{LONG}

## Personality
- Patient as stone
- Counts everything twice

## Voice
- Short words

## Recipes
- Soup
"""


def prompt_for(card: Card, window: int) -> Prompt:
    other = parse_card("bob", "# Bob - Fisher\n\n## Personality\n- Loud\n")
    config = scene_from({"name": "x", "prompt": "They talk. Scene goal: Bob leaves.", "characters": ["alice", "bob"]})
    events = open_scene(config, [card, other], Casting({"alice": "m", "bob": "m"}, "m"), seed=1, folder="x")
    profile = profile_of("ollama/qwen2.5:1.5b").model_copy(update={"context_window": window})
    return character_prompt(card, SceneState().after(events), ScriptedModel([], profile=profile), Settings())


def test_a_card_that_fits_goes_out_as_it_was_written() -> None:
    prompt = prompt_for(parse_card("alice", CARD), 100_000)
    assert prompt.layer("card") == CARD.strip()
    assert prompt.receipt.omissions == ()


def test_a_card_that_does_not_fit_keeps_who_it_is_and_how_it_speaks_before_its_past() -> None:
    prompt = prompt_for(parse_card("alice", CARD), 3000)
    assert prompt.text.startswith("# Alice - Lighthouse Keeper")
    assert "Patient as stone" in prompt.text
    assert "Short words" in prompt.text
    assert "Scene goal" not in prompt.text
    assert "Goal of the scene: Bob leaves." in prompt.text
    assert "Give exactly one answer" in prompt.text
    assert "the summer of 1800" in prompt.text
    assert "the summer of 1999" not in prompt.text
    assert prompt.receipt.tokens <= prompt.receipt.budget


def test_the_receipt_lists_every_piece_that_was_left_out() -> None:
    prompt = prompt_for(parse_card("alice", CARD), 3000)
    left = [layer.name for layer in prompt.receipt.omissions]
    assert left
    assert all(name.startswith("card: Background") for name in left)
    assert all(layer.reason == "over the budget" for layer in prompt.receipt.omissions)


def test_pieces_keep_the_order_of_the_card_and_nothing_of_it_is_lost() -> None:
    card = parse_card("alice", CARD)
    layers = by_section(card, (Layer(name="card", text=card.text), Layer(name="format", text="So.")))
    assert layers[0].name == "card"
    assert layers[-1].name == "format"
    whole = assemble(layers, 100_000).text
    assert all(line in whole for section in card.sections for line in section.lines)
    assert whole.index("Background") < whole.index("Personality") < whole.index("Recipes")


def test_a_card_of_one_long_text_without_headings_gives_its_beginning() -> None:
    text = "\n\n".join(f"In the year {year} the light went out and somebody had to row." for year in range(1700, 2000))
    prompt = prompt_for(parse_card("alice", f"# Alice\n\n{text}"), 2500)
    assert "In the year 1700" in prompt.text
    assert "In the year 1999" not in prompt.text
