"""Which likeness a quotation must have to count: true quotations with slips of the pen, and false ones that look true.

The texts are the books of `benchmarks/continuity`. From each sentence of a fitting length come quotations as models
write them (other typography, a letter wrong, a word left out, cut short) and such as prove nothing (another colour,
number or name, a denial more or less, a paraphrase, the sentence of another book).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from dramaturg.kernel.text.sentences import sentence_ends
from dramaturg.workshop.consolidation.evidence import THRESHOLD, find_passage, likeness_in

BOOKS = Path(__file__).parent / "continuity"
LIKENESS = (60, 65, 70, 75, 80, 85, 90, 95, 100)
_SWAPS = (
    ("grey", "green"), ("brown", "blond"), ("black", "blank"), ("red", "ruddy"), ("blue", "black"), ("alive", "asleep"),
    ("was", "was not"), ("had", "never had"), ("blaue", "braune"), ("rote", "rosa"), ("schwarze", "weiße"),
    ("tot", "wach"), ("war", "war nicht"), ("hatte", "hatte nie"), ("verdes", "negros"), ("casada", "cansada"),
    ("era", "no era"), ("tenía", "no tenía"), ("murió", "vivió"), ("Margaret", "Marianne"), ("Jonas", "Jakob"),
    ("Rosario", "Rosalía"), ("Okoro", "Okafor"), ("Edmund", "Edgar"), ("Julián", "Julio"), ("Tomás", "Tobías"),
)  # fmt: skip


def sentences() -> list[tuple[str, str, str]]:
    """Book, scene and sentence."""
    found = []
    for path in sorted(BOOKS.glob("*/manuscript/*.md")):
        text = path.read_text(encoding="utf-8").rpartition("---\n")[2]
        start = 0
        for end in sentence_ends(text):
            sentence = " ".join(text[start:end].split())
            start = end
            if 20 <= len(sentence) <= 200:
                found.append((path.parts[-3], text, sentence))
    return found


def true_quotes(sentence: str, chance: random.Random) -> Iterator[str]:
    yield sentence
    yield sentence.replace("'", "’").replace('"', "”").replace(" ", "  ").upper()
    words = sentence.split()
    place = chance.randrange(len(words))
    if len(words[place]) > 4:  # a letter wrong
        at = chance.randrange(1, len(words[place]) - 1)
        yield " ".join([*words[:place], words[place][:at] + words[place][at + 1 :], *words[place + 1 :]])
    if len(words) > 5:
        yield " ".join(words[:-2]) + " …"
        yield " ".join(words[2:])
        short = next((at for at, word in enumerate(words[1:-1], 1) if len(word) <= 3 and word.isalpha()), None)
        if short is not None:  # an article left out
            yield " ".join([*words[:short], *words[short + 1 :]])


def false_quotes(sentence: str, others: list[str], chance: random.Random) -> Iterator[str]:
    for one, other in _SWAPS:
        if re.search(rf"\b{one}\b", sentence):
            yield re.sub(rf"\b{one}\b", other, sentence, count=1)
    if number := re.search(r"\d+", sentence):
        yield sentence.replace(number[0], str(int(number[0]) + 1), 1)
    words = sentence.split()
    if len(words) > 6:
        yield " ".join(chance.sample(words, len(words)))
        yield " ".join(words[: len(words) // 2] + others[0].split()[-len(words) // 2 :])
    yield others[0]


def measured(accepts: Callable[[str, str], bool]) -> tuple[float, float]:
    """The share of true quotations that are accepted, and of false ones."""
    chance, held = random.Random(11), sentences()
    counts = {True: [0, 0], False: [0, 0]}
    for book, text, sentence in held:
        others = [one for other, _, one in held if other != book]
        pairs = [(True, one) for one in true_quotes(sentence, chance)]
        pairs += [(False, one) for one in false_quotes(sentence, [chance.choice(others)], chance)]
        for is_true, quote in pairs:
            counts[is_true][0] += 1
            counts[is_true][1] += accepts(quote, text)
    return tuple(counts[kind][1] / counts[kind][0] for kind in (True, False))  # type: ignore[return-value]


def main() -> None:
    chance, held = random.Random(11), sentences()
    total = [0, 0]
    for book, _, sentence in held:
        total[0] += len(list(true_quotes(sentence, chance)))
        total[1] += len(list(false_quotes(sentence, [next(one for other, _, one in held if other != book)], chance)))
    print(f"{len(held)} sentences in four languages, {total[0]} true quotations, {total[1]} false ones.\n")
    print("| likeness | true: alone | false: alone | true: with words | false: with words |")
    print("|--:|--:|--:|--:|--:|")
    for likeness in LIKENESS:
        alone = measured(lambda quote, text: likeness_in(quote, text) >= likeness)  # noqa: B023
        words = measured(lambda quote, text: find_passage(quote, text, likeness) is not None)  # noqa: B023
        mark = " (in use)" if likeness == THRESHOLD else ""
        print(f"| {likeness}{mark} | {alone[0]:.1%} | {alone[1]:.1%} | {words[0]:.1%} | {words[1]:.1%} |")
