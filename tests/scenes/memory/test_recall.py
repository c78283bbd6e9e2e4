"""What comes back, and in which words."""

from dramaturg.kernel.models.tokens import estimate_tokens
from dramaturg.scenes.memories import Bond, Memory, Mood, Past
from dramaturg.scenes.memory.recall import rank, recall
from dramaturg.scenes.memory.recollection_text import bond_in_words, memory_layer, mood_in_words
from dramaturg.scenes.scene import scene_from

MILL = scene_from({"name": "mill", "prompt": "They meet at the mill by the river.", "characters": ["alice", "bob"]})
CAST = {"alice": "Alice", "bob": "Bob"}


def memory(
    text: str, line: int = 1, run: str = "r1", at: float = 1.0, importance: float = 0.5, **more: object
) -> Memory:
    place = {"character": "alice", "scene": "the-letter", "run": run, "line": line, "at": at, "moment": f"{run}/{line}"}
    return Memory.model_validate({**place, "text": text, "kind": "heard", "importance": importance, **more})


def test_what_shares_words_with_the_scene_comes_first() -> None:
    memories = [memory("Bob likes tea.", 1), memory("Bob told you alone: “The mill is sold.”", 2), memory("Rain.", 3)]
    assert rank(memories, MILL, ["Bob"])[0].line == 2


def test_of_equals_the_weightier_and_then_the_newer_comes_first() -> None:
    memories = [memory("Tea.", 1, importance=0.2), memory("Cake.", 2, importance=0.9)]
    assert [one.line for one in rank(memories, MILL, [])] == [2, 1]
    memories = [memory("Tea.", 1, "r1", at=1.0), memory("Cake.", 2, "r2", at=2.0)]
    assert [one.line for one in rank(memories, MILL, [])] == [2, 1]


def test_what_does_not_fit_the_budget_is_left_out_and_listed() -> None:
    memories = tuple(memory(f"Bob said to you: “{'word ' * 30}{n}”", n) for n in range(1, 21))
    recalled = recall(Past(character="alice", memories=memories), MILL, CAST, 200)
    assert recalled.memories
    assert {one.id for one in recalled.memories} | set(recalled.left_out) == {one.id for one in memories}
    assert not {one.id for one in recalled.memories} & set(recalled.left_out)
    assert recalled.tokens == estimate_tokens(str(memory_layer(recalled, "Alice"))) <= 200


def test_memories_stand_in_the_order_in_which_they_happened() -> None:
    memories = (memory("Bob likes tea.", 1, at=1.0), memory("The mill is old.", 2, run="r2", at=2.0))
    recalled = recall(Past(character="alice", memories=memories), MILL, CAST, 500)
    assert [one.line for one in recalled.memories] == [1, 2]


def test_the_layer_has_mood_and_bonds_in_words_and_no_figures() -> None:
    bonds = (
        Bond(character="alice", toward="bob", trust=0.5, affection=0.2, tension=0.0),
        Bond(character="alice", toward="cora", trust=-0.9),
    )
    past = Past(
        character="alice", memories=(memory("Bob likes tea."),), mood=Mood(valence=-0.8, arousal=0.9), bonds=bonds
    )
    layer = memory_layer(recall(past, MILL, CAST, 500), "Alice")
    assert layer is not None
    assert (layer.name, layer.required) == ("memory", False)
    assert str(layer) == (
        "# What you remember\n\n"
        "This happened to Alice before this scene. It is yours: let it colour what you say, and do not retell it. "
        "You are still upset and on edge.\n\n"
        "- You trust Bob deeply, and you have grown fond of Bob.\n\n"
        "- The Letter: Bob likes tea."
    )


def test_where_there_is_nothing_to_recall_there_is_no_layer() -> None:
    assert memory_layer(recall(Past(character="alice"), MILL, CAST, 500), "Alice") is None
    assert recall(Past(character="alice", memories=(memory("Tea."),)), MILL, CAST, 0).memories == ()


def test_a_small_bond_and_an_even_mood_are_not_worth_a_word() -> None:
    assert bond_in_words(Bond(character="alice", toward="bob", trust=0.1), "Bob") == ""
    assert mood_in_words(Mood()) == ""
    full = Bond(character="alice", toward="bob", trust=-0.2, affection=-0.5, tension=0.5)
    assert bond_in_words(full, "Bob") == (
        "You are wary of Bob, you cannot stand Bob, and there is bad blood between you and Bob."
    )
