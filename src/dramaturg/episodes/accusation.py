"""Who a player accuses, and whether they mean it. Rules for English; a model reads other languages.

An accusation says of a suspect, by name or as "you", that they did it. Only one that is asserted counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from dramaturg.characters.names import unaccented
from dramaturg.episodes.clauses import clauses_of, speaks_to_you
from dramaturg.episodes.language import likely_languages
from dramaturg.episodes.stance import LONGEST, QUOTED, Sentence, Stance, english, is_ironic, sentences_of, stance_at
from dramaturg.episodes.template import EpisodeTemplate, Suspect
from dramaturg.kernel.text.quotes import is_quoted
from dramaturg.kernel.text.words import common_words, function_words, stem, words
from dramaturg.kernel.values import Value

SHORTEST_GUESSED = 5
"""Names shorter than this must be spelled right."""
FEWEST_SAID = 2
"""How many words make a clause say something; fewer only call a name."""


class Accusation(Value):
    """What a player said about who did it: the suspect's name, how it was meant, and the sentence."""

    suspect: str
    stance: Stance
    quote: str


@dataclass(frozen=True)
class Case:
    """What an accusation is read against: the suspects with their other names, who "you" is, and the crime's words."""

    suspects: tuple[tuple[str, tuple[str, ...]], ...]
    you: str
    crime: str = ""


def case_of(template: EpisodeTemplate, speaker: str = "") -> Case | None:
    """The case of an episode; None if it has no suspects. "You" is the character, by the name the ledger gives it;
    in a group, `speaker` is who answered."""
    ledger = template.clue_ledger
    if ledger is None or not ledger.suspects:
        return None
    who = speaker or template.character
    you = next((one.name for one in ledger.suspects if _is_called(one, who)), who.title())
    return Case(tuple((one.name, one.aliases) for one in ledger.suspects), you, ledger.crime)


def _is_called(suspect: Suspect, card: str) -> bool:
    names = (suspect.name, *suspect.aliases, *suspect.name.split()[:1])
    return _bare(card.replace("-", " ").replace("_", " ")) in {_bare(name) for name in names}


def _bare(name: str) -> str:
    return unaccented(name).casefold()


_PART = re.compile(r"\{([a-z_]+)\}")
_ALONE = re.compile(r"\W{0,3}(?P<who>@\d{1,2}|you|he|she)\W{0,5}")
_BESIDE = re.compile(r"(?P<other>@\d{1,2}|you),? (?P<joined>and|or) $")
_GREETS = re.compile(r"\W{0,3}(?:oh\W{1,3})?it(?:'s| is) you\W{0,5}")


@cache
def _grammar(crime: str) -> Mapping[str, str]:
    """The parts that claims are made of, for a crime such as "took the ledger"."""
    guilt = {name: text.replace("{culprits}", english("guilt")["culprits"]) for name, text in english("guilt").items()}
    if words(crime):
        guilt["deeds"] = rf"(?:{re.escape(words(crime)[0])}|{guilt['deeds']})"
    told = [word for word in words(crime) if len(word) > 2 and word not in function_words()]
    nouns = "|".join(re.escape(word) for word in (*told, *words(crime)[-1:]))
    thing = rf"(?:{nouns})\b" if nouns else rf"(?!{guilt['everyday']}\b)[a-z]{{1,30}}\b"
    usual = rf"\b(?! {guilt['otherwise']})"
    whose = r"(?:the|that|this|our|my|your|his|her|their|\w{1,30}'s)"
    held = rf"{whose} (?:\w{{1,30}} ){{0,2}}?{thing}"
    loot = rf"(?:everything|it all|all of it|(?:all )?{whose} (?:\w{{1,30}} )?{guilt['loot']})\b"
    target = rf"(?:{loot} (?:from|out of) {held}|(?:it|them|him|her|that|this){usual}|{held})"
    deed = (
        rf"(?:{guilt['deeds']} {target}|(?:did|done|do) (?:it|this|that|the deed){usual}"
        rf"|{guilt['wrongs']} (?:(?:you|me|us|@\d{{1,2}})\b(?! of\b|'s)|{held})"
        rf"|{guilt['thefts']} {_loot_of(crime, loot)})"
    )
    who_did = rf"(?:who|that|what) (?:{guilt['adverbs']} ){{0,3}}{deed}"
    done = rf"(?!{guilt['no_charges']}\b)\w{{1,20}}ing {held}"
    charge = rf"(?:{guilt['charges']}|{_gerund(crime)}|(?:having )?{deed}|{done})"
    return {**guilt, "thing": thing, "deed": deed, "who_did": who_did, "charge": charge}


def _loot_of(crime: str, loot: str) -> str:
    """What a thief has stolen who emptied a till; nothing where the crime is about another thing."""
    return loot if re.search(rf"\b{english('guilt')['holders']}\b", crime.casefold()) else r"(?!)"


def _gerund(crime: str) -> str:
    """ "emptying" for "emptied the till"; nothing where the verb is irregular."""
    verb = next(iter(words(crime)), "")
    for ending, gerund in (("ied", "ying"), ("ed", "ing")):
        if verb.endswith(ending):
            return re.escape(verb.removesuffix(ending) + gerund)
    return r"(?!)"


@cache
def _claim_patterns(crime: str) -> tuple[re.Pattern[str], ...]:
    parts = _grammar(crime)
    texts = (_PART.sub(lambda found: parts[found[1]], text) for text in english("claims").values())
    return tuple(re.compile(text) for text in texts)


def accusations_in(text: str, case: Case) -> tuple[Accusation, ...]:
    """What a message says about who did it, in order; the same suspect once per sentence."""
    found: list[Accusation] = []
    named, earlier = "", ""
    jest = is_ironic(text)
    for sentence in sentences_of(text):
        marked, named_here = _marked(sentence, case)
        claims = list(_claims(marked, case.crime)) if earlier or not _GREETS.fullmatch(marked.text) else []
        alone = _ALONE.fullmatch(marked.text)
        if alone and not sentence.asks and sentence.own and _leaves_open(earlier, case.crime):
            claims.append((alone["who"], "asserted"))
        earlier = marked.text
        for who, stance in claims:
            suspect = _who(who, case, named_here, named)
            if suspect:
                found.append(Accusation(suspect=suspect, stance="supposed" if jest else stance, quote=sentence.raw))
        named = named_here[-1] if named_here else named
    return tuple(found)


def accused_in(text: str, case: Case) -> tuple[Accusation, ...]:
    """The suspects a message accuses, each once: asserted, and not denied in the same breath."""
    all_found = accusations_in(text, case)
    asserted = {one.suspect: one for one in all_found if one.stance == "asserted"}
    return tuple(asserted.values())


def suspect_called(name: str, case: Case) -> str:
    """The suspect that a name stands for, as the ledger writes it; empty if there is none."""
    found = suspects_named(name, case)
    return found[0] if len(set(found)) == 1 else ""


def suspects_named(text: str, case: Case) -> tuple[str, ...]:
    """The suspects that a text names, in order."""
    return tuple(name for sentence in sentences_of(text) for name in _marked(sentence, case)[1])


def is_asserted_abroad(quote: str, said: str, suspect: str, case: Case) -> bool:
    """Whether a message in another language than English asserts of a suspect what a quote from it says.

    A model reads who is meant; that it is neither denied, supposed nor somebody else's word is read from the sentence.
    """
    sentences = [one for one in sentences_of(said) if is_quoted(quote, one.raw) or is_quoted(one.raw, quote)]
    languages = likely_languages(said)
    if any(_retells(quote, said, language) for language in languages):
        return False
    return not sentences or any(
        all(_asserts(one, suspect, case, language) for language in languages) for one in sentences if not one.asks
    )


def _retells(quote: str, said: str, language: str) -> bool:
    """Whether a quote stands between quotation marks, and somebody else is said to have said it."""
    inside = any(is_quoted(quote, found[1]) or is_quoted(found[1], quote) for found in QUOTED.finditer(said))
    around = QUOTED.sub(" ", said).casefold()
    return inside and any(one.stance == "reported" for one in clauses_of(around, language))


def _asserts(sentence: Sentence, suspect: str, case: Case, language: str) -> bool:
    clauses = clauses_of(sentence.text, language)
    to_you = [one for one in clauses if suspect == case.you and speaks_to_you(one.text, language)]
    named = {one: set(suspects_named(one.text, case)) for one in clauses}
    told = [one for one in clauses if one.stance == "asserted" and len(words(one.text)) >= FEWEST_SAID]
    if any(one in to_you for one in (*told, *(last for last in clauses[-1:] if last.stance == "asserted"))):
        return True
    if any(one.stance != "asserted" for one in to_you):
        return False
    if any(suspect in named[one] for one in told):
        return True
    if any(suspect in named[one] and one.stance != "asserted" for one in clauses):
        return False
    return any(not named[one] for one in told)


def _leaves_open(sentence: str, crime: str) -> bool:
    """Whether a sentence says that one person did it and leaves out who: "Only one person could have taken it." """
    open_end = re.search(r"\bwho\b|\b(?:only|just) one\b|\bone (?:person|man|woman|name)\b", sentence)
    return bool(open_end and re.search(rf"\b(?:{english('guilt')['deeds']}|did it|done it)\b", sentence))


def _claims(sentence: Sentence, crime: str) -> Iterator[tuple[str, Stance]]:
    taken: list[tuple[int, int]] = []
    for pattern in _claim_patterns(crime):
        for found in pattern.finditer(sentence.text):
            start, end = found.span()
            if any(a <= found.start("who") < b for a, b in taken):
                continue
            taken.append((start, end))
            stance = stance_at(sentence, start, end)
            other = _BESIDE.search(sentence.text, max(0, found.start("who") - 12), found.start("who"))
            if other and other["joined"] == "and":
                yield other["other"], stance
            yield found["who"], "supposed" if other and other["joined"] == "or" and stance == "asserted" else stance


def _who(who: str, case: Case, here: Sequence[str], before: str) -> str:
    if who.startswith("@"):
        return case.suspects[int(who[1:])][0]
    if who in ("he", "she"):
        return here[0] if here else before
    return case.you


def _marked(sentence: Sentence, case: Case) -> tuple[Sentence, list[str]]:
    """The sentence with `@0` for the first suspect and so on, and the suspects it names, in order."""
    text, named = sentence.raw, []

    def mark(found: re.Match[str]) -> str:
        number = _named(found[0], case)
        if number is None:
            return found[0]
        named.append(case.suspects[number][0])
        return f"@{number}"

    text = re.sub(_full_names(case), mark, text, flags=re.IGNORECASE) if _full_names(case) else text
    text = re.sub(r"(?<![@\w])[^\W\d_]{2,}(?:-[^\W\d_]+)*", mark, text)
    text = re.sub(r"\b(?:mr|mrs|ms|miss|dr|old|dear|madam|master)\.?\s+(?=@)", "", text, flags=re.IGNORECASE)
    text = re.sub(r"(@\d+)(?:\s+\1)+", r"\1", text)
    return Sentence(text.casefold()[:LONGEST], sentence.raw, sentence.asks, sentence.own), named


@lru_cache(maxsize=64)
def _full_names(case: Case) -> str:
    written = [name for full, others in case.suspects for name in (full, *others) if " " in name.strip()]
    names = {*written, *map(unaccented, written)}
    return "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in sorted(names, key=len, reverse=True))


@lru_cache(maxsize=4096)
def _named(word: str, case: Case) -> int | None:
    """The number of the suspect that a word or name stands for.

    A last name needs its capital; missing accents and a slip are forgiven.
    """
    for plain in (str.casefold, _bare):
        if (number := _spelled(word, case, plain)) is not None:
            return number
    folded, parts = word.casefold(), _parts(case)
    if len(folded) < SHORTEST_GUESSED - 1 or folded in function_words() or stem(folded) in common_words():
        return None
    near = {number for number, _, part in parts if len(part) >= SHORTEST_GUESSED and is_slip(folded, part.casefold())}
    return near.pop() if len(near) == 1 else None


def _spelled(word: str, case: Case, plain: Callable[[str], str]) -> int | None:
    """The number of the one suspect that has this name, or a part of it, if both are written plainly."""
    typed = plain(word)
    for number, (full, others) in enumerate(case.suspects):
        if typed in (plain(full), *map(plain, others)):
            return number
    own = [
        (number, len(part) > 1 and (place == 0 or word[0].isupper()))
        for number, place, part in _parts(case)
        if plain(part) == typed
    ]
    return own[0][0] if len(own) == 1 and own[0][1] else None


def _parts(case: Case) -> list[tuple[int, int, str]]:
    """The words of the suspects' names, each with the number of its suspect and its place in the name."""
    return [
        (number, place, part)
        for number, (full, _) in enumerate(case.suspects)
        for place, part in enumerate(full.split())
    ]


def is_slip(typed: str, meant: str) -> bool:
    """Whether one letter was left out, added, changed, or two neighbours were swapped; the first letter stands."""
    if typed == meant or typed[:1] != meant[:1] or abs(len(typed) - len(meant)) > 1:
        return typed == meant
    if len(typed) == len(meant):
        wrong = [place for place, (a, b) in enumerate(zip(typed, meant, strict=True)) if a != b]
        swapped = (
            len(wrong) == 2
            and wrong[1] == wrong[0] + 1
            and typed[wrong[0]] == meant[wrong[1]]
            and typed[wrong[1]] == meant[wrong[0]]
        )
        return len(wrong) == 1 or swapped
    short, long = sorted((typed, meant), key=len)
    return any(short == long[:place] + long[place + 1 :] for place in range(len(long)))
