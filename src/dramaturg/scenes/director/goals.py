"""A goal as people write it, split once into sub-goals that can each be shown to be met."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from dramaturg.kernel.text.words import stem, words
from dramaturg.kernel.values import Value
from dramaturg.scenes.director.names import CastNames
from dramaturg.scenes.director.negation import UNSPACED, breaks_silence, denies, keeps_quiet
from dramaturg.scenes.director.tables import lexicon

_MARKS = (
    *(r"\b(?:scene\s+)?goals?", r"\b(?:Szenen)?ziel(?: der Szene)?", r"\bobjectif(?: de la scène)?"),
    *(r"\bobjetivo(?: de la escena| da cena)?", r"\bobiettivo(?: della scena)?", r"\bцель(?: сцены)?"),
    *("هدف المشهد", "الهدف", "(?:シーン|場面)の(?:目標|ゴール)", "目標", "目标"),
)
_MARK = re.compile(rf"(?:{'|'.join(_MARKS)})\s*[:：]\s*", re.IGNORECASE)
_SHORT_FORMS = ("Dr", "Mr", "Mrs", "Ms", "St", "Prof", "Sr", "Sra", "Mme", "Hr", "Fr", "Capt", "No", "ca", "Jr", "M")
_SENTENCE = re.compile(
    r"(?<=[.!?])"
    + "".join(rf"(?<!\b{short}\.)" for short in _SHORT_FORMS)
    + r"(?<!\b[A-Z]\.)\s+|(?<=[。！？؟])\s*|[;；؛]"
)
_ITEM = re.compile(r"^\s*(?:[-*•‣–—・]\s*|\(?(?:\d{1,2}|[a-z])[.)）:](?:\s+|$)|[①-⑳]\s*)", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:(?<=\s)|^)(?:\((\d)\)|(\d)[.)]|([①-⑳]))\s*")
_INLINE_BULLET = re.compile(r" [-*•–] ")
_INVERTS = re.compile(r"(?:und\s+|aber\s+)?(?:dann|danach|schließlich|am ende|anschließend)\b", re.IGNORECASE)
"""After these words a German clause has its subject behind the verb."""
_EDGE = " \t\n,;.、，。；،؛・"
_AND = "and|und|et|y|e|и"
_ARABIC_VERB = r"[يت]\w{2,}"
"""How a verb begins in Arabic when it says what he, she or they do."""
MOST_GOALS = 8


class Goal(Value):
    """One sub-goal, numbered from 1."""

    id: int
    text: str


def has_goal(prompt: str, goal: str | None = None) -> bool:
    """Whether a goal is written down; without one, the whole prompt is taken."""
    return bool(goal and goal.strip()) or _MARK.search(prompt) is not None


def goal_source(prompt: str, goal: str | None = None) -> str:
    """The goal as it was written: the one given, else what follows "Scene goal:", else the whole prompt."""
    return _MARK.split(goal if goal and goal.strip() else prompt)[-1].strip()


def goal_text(prompt: str, goal: str | None = None) -> str:
    """The goal as one line; the items of a list are separated by semicolons."""
    source = goal_source(prompt, goal)
    items = listed(source)
    return "; ".join(items) if items else " ".join(source.split())


def situation(prompt: str) -> str:
    """The prompt without its goal: the situation at the start of the scene."""
    before = _MARK.split(prompt)[0].strip()
    return before or prompt.strip()


def as_list(items: Iterable[str]) -> str:
    """Sub-goals that the author wrote one by one, as the text of one goal."""
    return "\n".join(f"- {' '.join(item.split())}" for item in items)


def split_goal(text: str, cast: Sequence[str]) -> tuple[Goal, ...]:
    """The sub-goals in order.

    The items of a list stand as they are written. In prose, sentences and semicolons always divide; a comma or a
    conjunction divides only where a new clause begins: with a member of the cast, a pronoun, a word such as "then",
    or a second verb of the same subject. "the map and the ring" stays whole.
    """
    return _split(text, tuple(cast))


@lru_cache(maxsize=256)
def _split(text: str, cast: tuple[str, ...]) -> tuple[Goal, ...]:
    wanted = listed(text) or tuple(_clauses(" ".join(text.split()), _Grammar(CastNames(cast), _joins(text))))
    head, tail = list(wanted[: MOST_GOALS - 1]), wanted[MOST_GOALS - 1 :]
    if tail:
        head.append("; ".join(tail))
    return tuple(Goal(id=number, text=part) for number, part in enumerate(head, start=1))


def is_lasting(goal: Goal) -> bool:
    """Whether a sub-goal says what must not happen, or be said: nothing shows it before the scene is over."""
    return (denies(goal.text) or keeps_quiet(goal.text)) and not breaks_silence(goal.text)


def leaves_undone(goal: Goal, deed: frozenset[str]) -> bool:
    """Whether a sub-goal names a deed only to say that it is refused, feigned or not done. `deed` are its stems.

    In a script without spaces they are single signs, and a sign of denial anywhere counts.
    """
    if any(_unspaced(part) for part in deed):
        return any(sign in goal.text and sign not in deed for sign in lexicon("clauses")["undone_signs"])
    verbs = {stem(verb) for verb in lexicon("clauses")["leaves_undone"]} - deed
    before: list[str] = []
    for clause in re.split(r"[,;:，；]", goal.text):
        said = words(clause)
        place = next((spot for spot, word in enumerate(said) if stem(word) in deed), None)
        if place is None:
            before += said
            continue
        before += said[:place]
        led, follows = f" {' '.join(before)} ", f" {' '.join(said[place:])} "
        return (
            any(stem(word) in verbs for word in before)
            or any(_holds(led, word) for word in lexicon("clauses")["undone"] if word not in deed)
            or any(_holds(follows, word) for word in lexicon("clauses")["undone_after"] if word not in deed)
        )
    return False


def asks_more(goal: Goal, deed: frozenset[str]) -> bool:
    """Whether a sub-goal asks for more than a deed: so many times, or under a condition. `deed` are its stems.

    One line shows that something is done; not that it is done twice, or only if somebody else does something.
    """
    said = f" {' '.join(words(goal.text))} "
    return any(
        (word in goal.text if _unspaced(word) else f" {word} " in said)
        and not {stem(one) for one in words(word)} <= deed
        for word in lexicon("clauses")["asks_more"]
    )


def walked_text(goal: Goal, names: CastNames) -> str:
    """A sub-goal as a stage direction for whoever does it: its own words, without the name."""
    return _walked(goal.text, names)


@lru_cache(maxsize=1024)
def _walked(text: str, names: CastNames) -> str:
    titles = "|".join(_alternatives("title"))
    lead = rf"^(?:(?:{titles})\s+)?{names.pattern()}(?:{'|'.join(_alternatives('honorific'))})?"
    rest = re.sub(rf"{lead}(?:\s+|[がはも](?=.))(?!['’]s\b)(?!(?:{_AND})\s)", "", text, count=1, flags=re.I)
    return rest.replace("*", "").replace("[", "(").replace("]", ")").strip(_EDGE) or text


def _holds(said: str, word: str) -> bool:
    return word in said if _unspaced(word) else f" {word} " in said


def listed(text: str) -> tuple[str, ...]:
    """The items of a bulleted or numbered list, on lines of their own or one after the other; empty if it is none."""
    rows = [row for row in text.splitlines() if row.strip()]
    if rows and _ITEM.match(rows[0]) and sum(bool(_ITEM.match(row)) for row in rows) > 1:
        joined: list[str] = []
        for row in rows:
            bare = _ITEM.sub("", row, count=1).strip()
            if _ITEM.match(row):
                joined.append(bare)
            else:
                joined[-1] += f" {bare}"
        return _cleaned(joined)
    line = " ".join(text.split())
    marks = list(_NUMBERED.finditer(line))
    if len(marks) > 1 and marks[0].start() == 0 and _counts_up(marks):
        ends = [mark.start() for mark in marks[1:]] + [len(line)]
        return _cleaned([line[mark.end() : end] for mark, end in zip(marks, ends, strict=True)])
    if re.match(r"[-*•–]\s", line):
        return _cleaned(_INLINE_BULLET.split(line[1:]))
    return _cleaned([re.sub(r"^[-*•–]\s+", "", line)]) if rows and len(rows) == 1 and _ITEM.match(rows[0]) else ()


def _counts_up(marks: Sequence[re.Match[str]]) -> bool:
    numbers = [int(mark[1] or mark[2]) if mark[1] or mark[2] else ord(mark[3]) - ord("①") + 1 for mark in marks]
    return numbers == list(range(1, len(numbers) + 1))


def _cleaned(parts: Iterable[str]) -> tuple[str, ...]:
    return tuple(part for one in parts if (part := one.strip(_EDGE)))


def _clauses(text: str, grammar: _Grammar) -> Iterable[str]:
    for sentence in _SENTENCE.split(text):
        yield from _cleaned(_with_subjects(grammar.divide(sentence), grammar))


class _Grammar:
    """Where the clauses of a sentence begin, given the names of the cast."""

    def __init__(self, names: CastNames, joins: Sequence[str]) -> None:
        name = rf"(?:(?:{'|'.join(_alternatives('title'))})\s+)?{names.pattern()}"
        pronouns = "|".join(_alternatives("pronoun"))
        then = "|".join(_alternatives("then"))
        object_ = "|".join(_alternatives("after_object"))
        join = "|".join(map(re.escape, joins))
        listed = rf"(?!\s+(?:{join})\s+(?!{name}))"
        spaced = rf"(?:{name}{listed}(?!\s*(?:{object_})\b)(?!['’]s\b)|(?:{pronouns})(?!\w))"
        self.subject = re.compile(rf"(?:{name}|(?:{pronouns})(?!\w))", re.I)
        marked = rf"(?:(?:{name})(?:{'|'.join(_alternatives('honorific'))})?(?:{'|'.join(_alternatives('particle'))})"
        marked += rf"|{'|'.join(_alternatives('unspaced_pronoun'))})"
        verb, denied = rf"(?:{'|'.join(_alternatives('verb'))})(?!\w)", _denied_verb()
        goes_on = "|".join(_alternatives("goes_on"))
        joint = rf"(?:\s*[,，、،]\s*(?:(?:{join})\s+)?|\s+(?:{join})\s+)"
        signs = "|".join(_alternatives("unspaced_then"))
        bare_name = "|".join(re.escape(form) for one in names.names for form in names.forms(one)) or "(?!)"
        attached = rf"(?:{bare_name})(?!\w)|{_ARABIC_VERB}"
        self._divides = re.compile(
            rf"{joint}(?:(?:{then})\s*,?\s+)?(?={spaced})|{joint}(?:{then})\s*,?\s+|\s+(?:{then})\s+(?={spaced})"
            rf"|[、，・]\s*(?:(?:{signs})、?)?(?={marked})|(?:、|，)\s*(?:{signs})、?"
            rf"|\s*،\s*و?(?={attached})|\s+ثم\s+(?={attached})|\s+و(?={_ARABIC_VERB}\s+{name})"
            rf"|\s+و(?=(?:{bare_name})\s+{_ARABIC_VERB})"
            rf"|{joint}(?={verb})|\s*[,，]?\s+(?:{goes_on})\s+(?={denied})",
            re.I,
        )
        before = rf"{then}|{'|'.join(_alternatives('first'))}"
        self.lead = re.compile(
            rf"^(?:(?:{join})\s+)?(?:(?:{before})\s*[,،]?\s+)?(?:(?:{signs})、?(?={marked}))?(?:و(?={attached}))?", re.I
        )
        self.bare = re.compile(rf"\W*(?:(?:{join})\s+)?(?:{name}|(?:{pronouns})(?!\w)|{then})\W*", re.I)
        self.verb = re.compile(rf"{verb}|{denied}", re.I)
        self._told = re.compile(rf"\b(?:{'|'.join(_alternatives('that'))})\s+{name}\s*$", re.I)

    def divide(self, sentence: str) -> list[str]:
        """The pieces, with their joining words; a name alone goes with what follows, else with what precedes."""
        cuts = [0, *(found.start() for found in self._divides.finditer(sentence)), len(sentence)]
        pieces: list[str] = []
        waiting = ""
        for start, end in pairwise(cuts):
            piece = waiting + sentence[start:end]
            waiting = ""
            if self.bare.fullmatch(sentence[start:end]) or (end < len(sentence) and self._told.search(piece)):
                waiting = piece
            elif piece.strip(_EDGE):
                pieces.append(piece)
        if waiting and pieces:
            pieces[-1] += waiting
        elif waiting:
            pieces.append(waiting)
        return pieces


def _with_subjects(pieces: Sequence[str], grammar: _Grammar) -> Iterable[str]:
    """The clauses without the words that join them; one that begins with its verb gets the subject before it."""
    subject = ""
    for place, piece in enumerate(pieces):
        clause = piece.strip(_EDGE)
        clause = grammar.lead.sub("", clause).strip(_EDGE) or clause
        if place and subject and grammar.verb.match(clause) and not _INVERTS.match(piece.strip(_EDGE)):
            clause = f"{subject} {clause}"
        elif found := grammar.subject.match(clause):
            subject = found[0]
            if joined := re.match(
                rf"{grammar.subject.pattern}(?:\s+(?:{_AND})\s+{grammar.subject.pattern})+", clause, re.I
            ):
                subject = joined[0]
        elif not place:
            subject = ""
        yield clause


def _joins(text: str) -> Sequence[str]:
    """The words that join clauses; some are prepositions elsewhere, and count where the text is of their language."""
    table = lexicon("clauses")
    own = [table[f"{tongue}_join"] for tongue in table["tongues"] if re.search(table[f"{tongue}_signs"][0], text, re.I)]
    return (*table["join"], *(word for row in own for word in row))


def _denied_verb() -> str:
    """A verb that is denied: "no olvida", "does not forget", "never pays"; not "no a su padre", nor "no solo"."""
    table = lexicon("clauses")
    nouns = "|".join(map(re.escape, (*table["after_object"], *table["title"], *table["no_verb"])))
    small = "|".join(map(re.escape, table["between_not_and_verb"]))
    words_of = {row: "|".join(map(re.escape, table[row])) for row in ("not_before_verb", "not_with_auxiliary")}
    plain = rf"(?:{words_of['not_before_verb']})\s+(?!(?:{nouns})\b)(?:(?:{small})\s+)*\w{{3,}}"
    return rf"(?:{plain}|(?:{words_of['not_with_auxiliary']})\s+\w{{2,}}|never\s+\w+s\b)"


def _alternatives(row: str) -> list[str]:
    found = sorted(lexicon("clauses")[row], key=len, reverse=True)
    return [re.escape(word).replace(r"\ ", r"\s+").replace("'", "['’]") for word in found]


def _unspaced(word: str) -> bool:
    return UNSPACED.search(word) is not None
