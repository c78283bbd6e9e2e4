"""The engine of anti-patterns: rules and prose in, counted places with their quotes out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pydantic import Field

from dramaturg.characters.lorebook.pattern import compiled, marked, pattern_of
from dramaturg.characters.lorebook.work import StepBudget
from dramaturg.kernel.text.quotes import is_quoted
from dramaturg.kernel.text.shortened import shortened
from dramaturg.kernel.text.words import words as folded_words
from dramaturg.kernel.values import WireValue
from dramaturg.workshop.voice.languages import language_of
from dramaturg.workshop.voice.predicates import PREDICATES
from dramaturg.workshop.voice.prose import Prose, Stretch, sentences_of, words_of
from dramaturg.workshop.voice.rules import Rule, Severity, Waiver

MOST_QUOTES = 5
LONGEST_QUOTE = 160
MOST_STEPS = 2_000_000_000
"""The steps that the writer's own patterns may take in one text; ours are known to be cheap."""


class Hit(WireValue):
    """A place where a rule is broken: the paragraph, from 1, and its words."""

    paragraph: int
    quote: str


class RuleCount(WireValue):
    """What became of one rule in a text. `over` are the places beyond what is allowed; waived ones do not count."""

    rule: str
    says: str
    severity: Severity
    where: str = ""
    by_writer: bool = False
    hits: int
    per_1000: float
    allowed: int
    over: int
    waived: int = 0
    quotes: tuple[Hit, ...] = ()


class RuleReport(WireValue):
    """A text, measured against the rules. `unsearched` are rules whose pattern was too much work for the text."""

    words: int
    language: str = ""
    counts: tuple[RuleCount, ...] = Field((), description="rules with at least one place, the worst first")
    unsearched: tuple[str, ...] = ()

    @property
    def hits(self) -> int:
        return sum(one.hits for one in self.counts)

    @property
    def broken(self) -> tuple[RuleCount, ...]:
        """The rules that the text breaks."""
        return tuple(one for one in self.counts if one.over)

    def count_of(self, rule: str) -> RuleCount | None:
        return next((one for one in self.counts if one.rule == rule), None)


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of one stretch; `folded` are its words between blanks, `marked` its form for patterns."""

    paragraph: int
    text: str
    stretch: Stretch
    folded: str
    marked: bytes


@dataclass(slots=True)
class _Search:
    """The places of all rules in one text."""

    prose: Prose
    steps: StepBudget = field(default_factory=lambda: StepBudget(MOST_STEPS))
    spent: list[str] = field(default_factory=list)
    sentences: tuple[_Sentence, ...] = ()

    def __post_init__(self) -> None:
        self.sentences = tuple(_sentences(self.prose))

    def places(self, rule: Rule) -> Iterator[Hit]:
        if rule.predicate:
            for number, quote in PREDICATES[rule.predicate](self.prose):
                yield Hit(paragraph=number + 1, quote=shortened(quote, LONGEST_QUOTE))
            return
        count = self._phrases(rule) if rule.phrases else self._pattern(rule)
        for sentence, often in count:
            for _ in range(often):
                yield Hit(paragraph=sentence.paragraph, quote=shortened(sentence.text, LONGEST_QUOTE))

    def _phrases(self, rule: Rule) -> Iterator[tuple[_Sentence, int]]:
        wanted = tuple(dict.fromkeys(f" {' '.join(folded_words(phrase))} " for phrase in rule.phrases))
        for sentence in self.sentences:
            if _counts(rule, sentence.stretch):
                yield sentence, sum(_often(phrase, sentence.folded) for phrase in wanted)

    def _pattern(self, rule: Rule) -> Iterator[tuple[_Sentence, int]]:
        found = pattern_of(rule.pattern)
        if found is None:
            return
        engine = compiled(*found)
        steps = self.steps if rule.by_writer else StepBudget(MOST_STEPS)
        for sentence in self.sentences:
            if _counts(rule, sentence.stretch):
                yield sentence, engine.count_in(sentence.marked, steps)
            if steps.is_spent:
                self.spent.append(rule.id)
                return


def check_prose(prose: Prose, rules: Sequence[Rule], waivers: Sequence[Waiver] = (), *, file: str = "") -> RuleReport:
    """Every rule that fits the text's language, counted. `file` is where the text is from, for waivers."""
    language = language_of(prose.words)
    search = _Search(prose)
    counts = []
    for rule in rules:
        if rule.language and language and rule.language != language:
            continue
        places = list(search.places(rule))
        if places:
            counts.append(_count(rule, places, _words_in(prose, rule), waivers, file))
    counts.sort(key=lambda one: (one.severity != "zero_tolerance" or not one.over, -one.over, -one.hits))
    return RuleReport(
        words=len(prose.words), language=language, counts=tuple(counts), unsearched=tuple(dict.fromkeys(search.spent))
    )


def _count(rule: Rule, places: Sequence[Hit], words: int, waivers: Sequence[Waiver], file: str) -> RuleCount:
    held = [one for one in waivers if one.rule == rule.id and one.file in ("", file)]
    kept = [hit for hit in places if not any(_waives(one, hit) for one in held)]
    allowed = rule.allowed(words)
    return RuleCount(
        rule=rule.id,
        says=rule.says,
        severity=rule.severity,
        where=rule.where,
        by_writer=rule.by_writer,
        hits=len(kept),
        per_1000=round(1000 * len(kept) / max(1, words), 2),
        allowed=allowed,
        over=max(0, len(kept) - allowed),
        waived=len(places) - len(kept),
        quotes=tuple(kept[:MOST_QUOTES]),
    )


def _waives(waiver: Waiver, hit: Hit) -> bool:
    if not waiver.quote or is_quoted(waiver.quote, hit.quote):
        return True
    return hit.quote.endswith("…") and is_quoted(hit.quote[:-1], waiver.quote)  # a long sentence, quoted whole


def _counts(rule: Rule, stretch: Stretch) -> bool:
    if rule.speaker:
        return stretch.is_spoken and stretch.speaker.casefold() in rule.speaker.casefold().split()
    return rule.scope == "anywhere" or stretch.is_spoken == (rule.scope == "dialogue")


def _words_in(prose: Prose, rule: Rule) -> int:
    if rule.scope == "anywhere" and not rule.speaker:
        return len(prose.words)
    stretches = (one for paragraph in prose.paragraphs for one in paragraph.stretches if _counts(rule, one))
    return sum(len(words_of(one.text)) for one in stretches)


def _sentences(prose: Prose) -> Iterator[_Sentence]:
    for number, paragraph in enumerate(prose.paragraphs, start=1):
        for stretch in paragraph.stretches:
            for text in sentences_of(stretch.text):
                yield _Sentence(number, text, stretch, f" {' '.join(folded_words(text))} ", marked(text))


def _often(phrase: str, folded: str) -> int:
    count, place = 0, folded.find(phrase)
    while place >= 0:
        count += 1
        place = folded.find(phrase, place + len(phrase) - 1)
    return count
