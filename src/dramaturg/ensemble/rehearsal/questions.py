"""What the table was asked: the kind of question and its subject, by its words alone."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from dramaturg.ensemble.rehearsal.abroad import is_beyond_the_table, kind_abroad, language_abroad
from dramaturg.ensemble.rehearsal.reach import (
    german_out_of_reach,
    is_annoyed,
    is_bereaved_or_sad,
    is_mash,
    made_thing,
    out_of_reach,
)
from dramaturg.kernel.models.rehearsal.sheet import load_sheet
from dramaturg.kernel.models.rehearsal.verbs import gerund_of

LONGEST_TOPIC = 7
LONGEST_ASKED = 60
LONGEST_WORD = 30
MOST_FACTORS = 12
LARGEST = 1e15
_WORDS = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_SWAP = {
    "i": "you", "me": "you", "my": "your", "mine": "yours", "myself": "yourself", "we": "you", "us": "you",
    "our": "your", "ours": "yours", "your": "our", "yours": "ours",
}  # fmt: skip
_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_SPOKEN = {
    **{word: str(value) for value, word in enumerate(_NUMBERS)},
    "plus": "+", "minus": "-", "times": "*", "divided by": "/", "×": "*", "÷": "/", "·": "*", "−": "-",
}  # fmt: skip
_SUM = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[-+*/][-+]?\d+(?:\.\d+)?)+")
_LETTER = re.compile(r"[^\W\d_]")
_DOES: Mapping[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
_SMALL = frozenset(
    "a an the this that these those is are was were be been am do does did have has had will would can could should "
    "shall may might must of in on at to for from with by about into over under and or but if then so as it its he she "
    "they them his her their i me my mine you your yours we us our what who whom whose which when where why how there "
    "here not no yes very really just only also too than more most much many some any every all one ones get got let "
    "please tell say think feel feeling feels today now again still ever never always maybe up out off down because "
    "mean means thing things something anything everything anywhere somewhere everywhere nowhere "
    "like want wants make makes go going s t re ll ve d m".split()
)
# What no line may joke about, encourage or take for a figure of speech.
_GRAVE = re.compile(
    r"\b(?:kill(?:s|ed|ing)?(?! time\b)|murder(?:s|ed|ing)?|suicid\w*|self[- ]?harm\w*|overdos\w+|rape[sd]?|raping)\b"
    r"|\b(?:hurt|harm|cut|hang|shoot|drown|stab|poison|beat|hit|strangle|burn)(?:t?ing)? "
    r"(?:myself|yourself|him|her|them|somebody|someone|people|everybody|everyone|my (?:wife|husband|partner|girlfriend"
    r"|boyfriend|brother|sister|mother|father|son|daughter|child|children|kids?|baby|dog|cat|boss|neighbou?r))\b"
    r"(?! at\b)"
    r"|\bend (?:my life|it all)\b|\b(?:want|wish|ready|going|like) to (?:die|be dead)\b|\bwish i (?:was|were) dead\b"
    r"|\b(?:don['’]?t|do not) want to (?:live|be here|be alive|exist|go on)\b|\bjump (?:off|from|in front)\b"
    r"|\bno (?:reason|point) (?:to live|in living)\b|\bbetter off (?:dead|without me)\b",
    re.IGNORECASE,
)
_ERNST = re.compile(
    r"\b(?:umbringen|umzubringen|selbstmord\w*|suizid\w*|(?:will|möchte) (?:nicht mehr leben|sterben)|ermorden|töten"
    r"|nicht mehr leben)\b",
    re.IGNORECASE,
)
_GRAVE_BEYOND = re.compile(
    # Portuguese, Italian, Dutch, Polish, Turkish, Swedish, Danish and Norwegian, Romanian, Czech, Russian.
    r"\b(?:não quero (?:mais )?viver|quero morrer|me matar|non voglio più vivere|voglio morire|uccidermi"
    r"|wil niet meer leven|wil dood|zelfmoord\w*|nie chcę (?:już )?żyć|chcę umrzeć|samobójstw\w*"
    r"|yaşamak istemiyorum|ölmek istiyorum|intihar\w*|vill inte leva|vill dö|självmord\w*|vil (?:ikke leve|dø)"
    r"|selvmord\w*|nu mai vreau să trăiesc|vreau să mor|nechci (?:už )?žít|chci umřít"
    r"|не хочу (?:больше )?жить|хочу умереть|самоубий\w*|suic[ií]d\w*)\b",
    re.IGNORECASE,
)
_GLAD = re.compile(
    r"\b(?:happy|happiest|glad|joy\w*|in love|excited|proud|engaged|married|won|birthday|passed|thrilled|grateful"
    r"|wonderful|delighted|best day|got the job|healthy again|free)\b"
)
_NOT = re.compile(r"\b(?:not|never|no|hardly)\b|n't\b")
_GRUSS = re.compile(r"(?:hallo|servus|moin|grüß gott|guten (?:morgen|tag|abend))(?: zusammen)?")
_ARTICLES = frozenset("the my our your a an der die das den dem ein eine einen mein meine dein deine".split())
_ADJECTIVES = frozenset(
    "good bad big little old new own last best worst great small true real first next only same".split()
)


@dataclass(frozen=True, slots=True)
class TableQuestion:
    """A question as the company reads it; parts it does not have are empty.

    `word` is its key word and `asked` the whole question, shortened. `plural` refers to the topic.
    """

    kind: str
    asked: str = ""
    word: str = ""
    topic: str = ""
    plural: bool = False
    do: str = ""
    doing: str = ""
    a: str = ""
    b: str = ""
    result: str = ""
    language: str = ""
    """Spanish, French, Japanese or Arabic, as `es`; English and German are told apart by the kind."""


def read_question(text: str) -> TableQuestion:
    """Classify a question. Any text can be read: one that fits nowhere is `open`, one without words is `noise`."""
    said = " ".join(text.split())
    parts = re.split(r"(?<=[?？;:])\s|(?<=[.!])\s(?=\w)", said)
    # The last question counts; the text before it is context.
    question = next((part for part in reversed(parts) if part.endswith(("?", "？", "؟"))), "")
    asked = (question or said).strip(" ?？!.,;:…¿¡。！؟")
    if language := language_abroad(said):
        word = _turning_word(asked) if _WORDS.search(asked) else ""
        return TableQuestion(kind_abroad(language, said), asked=_short(asked), word=word, language=language)
    if _GRAVE.search(said) or _GRAVE_BEYOND.search(said):
        return TableQuestion("grave", asked=_short(asked))
    if _ERNST.search(said):
        return TableQuestion("ernst", asked=_short(asked))
    if _SUM.fullmatch(sum_in(asked)):
        result = _reckoned(sum_in(asked))
        return TableQuestion("sum", asked=_short(asked), result=result) if result else TableQuestion("noise")
    words = [word.casefold() for word in _WORDS.findall(asked)]
    if not words or (len(words) == 1 and is_mash(words[0])):
        return TableQuestion("noise")
    word = _turning_word(asked)
    # A question of small words alone ("what do I tell her?") takes its key word from the text before it.
    base = TableQuestion("open", asked=_short(asked), word=_turning_word(said) if word.casefold() in _SMALL else word)
    if _GRUSS.fullmatch(" ".join(words)):
        return _kind(base, "gruss")
    if (language := "foreign" if is_beyond_the_table(said) else _language(asked, words)) != "english":
        return _abroad(base, language, words, said)
    if _WHAT_NOW.match(asked) and parts[0] != question:
        return _kind(base, "feeling")
    return _english(base, asked, bool(question))


def _abroad(base: TableQuestion, language: str, words: list[str], said: str) -> TableQuestion:
    if language != "deutsch":
        return _kind(base, "foreign")
    if kind := german_out_of_reach(said, base.asked):
        return _kind(base, kind)
    well = "geht" in words and {"dir", "ihnen", "euch", "es"} & set(words)
    return _kind(base, "befinden" if well else "deutsch")


def _english(base: TableQuestion, asked: str, is_question: bool) -> TableQuestion:
    lowered = asked.casefold().replace("’", "'")
    for kind, pattern in _PHRASES:
        if re.search(pattern, lowered):
            return _kind(base, kind)
    if kind := out_of_reach(lowered, is_question=is_question):
        made = made_thing(lowered) if kind == "task" else ""
        return replace(base, kind=kind, word=made or base.word)
    if chosen := _choice(base, asked):
        return chosen
    for pattern, read in _SHAPES:
        if found := re.match(pattern, asked, re.IGNORECASE):
            return read(base, found)
    if is_question and re.match(r"(is|are|was|do|does|did|can|could|will|would|has|have|am)\b", lowered):
        return _kind(base, "believe")
    if len(asked.split()) <= 3 and not any(word.casefold() in _SMALL - _ARTICLES for word in asked.split()):
        return _about(base, asked)
    return _statement(base, lowered, is_question)


def _statement(base: TableQuestion, lowered: str, is_question: bool) -> TableQuestion:
    """What somebody tells of themselves: a sorrow, a joy, or anything else."""
    if is_question or not re.match(r"(i|i'm|i've|my|we|we're|our|today)\b", lowered):
        return base
    glad, denied = _GLAD.search(lowered), _NOT.search(lowered)
    if is_bereaved_or_sad(lowered) or (glad and denied):
        return _kind(base, "feeling")
    if glad:
        return _kind(base, "glad")
    return _kind(base, "trouble") if is_annoyed(lowered) else base


_PHRASES = (
    (
        "wellbeing",
        r"^(?:(?:hi|hello|hey),? )?how (?:are|do) (?:you|things|we)(?: all)?(?: do| doing| feeling)?(?: today)?$",
    ),
    ("wellbeing", r"^(?:what's up|how's it going|how is it going)$"),
    ("self", r"^what(?:'s| is| are) your names?$"),
    ("self", r"^(?:who|what) (?:are|is) (?:you|this)(?: all| people| guys)?,?(?: really| exactly)?$"),
    ("self", r"\bare you (?:an? )?(?:\w+ )?(?:ai|robot|bot|human|real|language model|machine|alive|conscious)s?\b"),
    ("fact", r"^what (?:time|day|date|year|month|hour)\b"),
    (
        "hello",
        r"^(?:hi|hello|hey|good (?:morning|evening|day|afternoon)|greetings)(?: there| all| everybody| everyone)?$",
    ),
    ("thanks", r"^(?:thanks|thank you|bye|goodbye|good night|see you)\b.{0,40}$"),
)
_WHAT_NOW = re.compile(
    r"(?:and )?what (?:should|shall|can|do|could|would) (?:i|we|you) (?:do|say|tell|answer)\b", re.IGNORECASE
)
_NO_TOPIC = re.compile(
    r"^(?:it|this|that|there|wrong|going|up|for)\b|\b(?:is|are|do|does|did|can|will|should|you|i)\b"
    r"|[,;:*=()“”\"]|\bmade of$",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"^(?:exactly |actually )|(?: here| exactly| to you| for you)$", re.IGNORECASE)
_BEFORE_A_CHOICE = re.compile(
    r"^(?:(?:should|shall|would|do|can|could) (?:i|we|you)(?: rather)? |(?:what is |which is )?better,? "
    r"|what (?:should|shall|do) (?:i|we) [^,]{1,40}, )",
    re.IGNORECASE,
)
_EITHER = re.compile(r"(?P<a>[^,;:]{1,40}?),? or (?P<b>[^,;:]{1,40})", re.IGNORECASE)


def _define(base: TableQuestion, found: re.Match[str]) -> TableQuestion:
    return _about(base, found["topic"])


def _about(base: TableQuestion, asked_for: str) -> TableQuestion:
    topic = _ASIDE.sub("", asked_for.strip(" ,"))
    words = topic.split()
    too_long = len(words) > LONGEST_TOPIC or len(topic) > LONGEST_ASKED
    if not words or too_long or words[-1].casefold() in _SMALL or _NO_TOPIC.search(topic) or not _LETTER.search(topic):
        return base
    told = _turned(topic) if len(words) > 1 or topic.islower() else f"“{topic}”"
    head = told.split()[-1].casefold()
    single = re.match(r"(?i)(a|an|this|that|one)\b", told) or not re.search(r"[^siu]s$", head)
    return _fill(base, "define", topic=told, plural=not single)


def _advise(base: TableQuestion, found: re.Match[str]) -> TableQuestion:
    return _doing(base, "advise", found["do"])


def _how_to(base: TableQuestion, found: re.Match[str]) -> TableQuestion:
    return _doing(base, "how", found["do"])


def _doing(base: TableQuestion, kind: str, do: str) -> TableQuestion:
    plainly = re.sub(r"(?i)^(?:really|just|ever|finally|even)\s+", "", do.strip(" ,"))
    told = _turned(re.sub(r"(?i)(?<= )you\b", "\0", plainly)).replace("\0", "us").replace("you am ", "you are ")
    verb, _, rest = told.partition(" ")
    perfect = verb == "have" and re.match(r"(?:\w+ed|been|done|gone|known|said)\b", rest)
    plain = re.fullmatch(r"[a-z]+", verb) and verb not in ("be", "been", "not", "never", "do") and not perfect
    if not plain or len(told.split()) > 2 * LONGEST_TOPIC or len(told) > 2 * LONGEST_ASKED:
        return _kind(base, "believe" if kind == "advise" else "open")
    return _fill(base, kind, do=told, doing=f"{gerund_of(verb)} {rest}".strip())


def _choice(base: TableQuestion, asked: str) -> TableQuestion | None:
    body = _BEFORE_A_CHOICE.sub("", asked)
    found = _EITHER.fullmatch(body)
    if not found or max(len(found[part].split()) for part in "ab") > 5 or re.match(r"(?i)(what|why|how|who)\b", body):
        return None
    first, second = _turned(found["a"].strip()), _turned(found["b"].strip())
    first = first if second[:1].isupper() else first[:1].lower() + first[1:]
    if body != asked and re.match(r"(?i)(should|shall|can|could|do|would)\b", asked):
        first, second = f"“{first}”", f"“{second}”"
    return _fill(base, "choose", a=first, b=second)


_SHAPES: tuple[tuple[str, Callable[[TableQuestion, re.Match[str]], TableQuestion]], ...] = (
    (r"(?:(?:so|and|but|tell me|then),? )?what(?:'s|’s| is| are| was| were) (?P<topic>.+)$", _define),
    (r"what (?:do|would) you (?:think|say) (?:about|of|to) (?P<topic>.+)$", _define),
    (r"what does (?P<topic>.+?) mean(?: to you)?$", _define),
    (r"(?:define|describe|explain) (?P<topic>.+)$", _define),
    (r"(?:should|shall|may|must|can|could) (?:i|we) (?P<do>.+)$", _advise),
    (r"should (?:one|somebody|people|you) (?P<do>.+)$", _advise),
    (r"(?:is it|would it be) (?:ok|okay|wise|worth it|time|too late) to (?P<do>.+)$", _advise),
    (r"how (?:do|can|could|should|would|might|does) (?:i|we|you|one|somebody|people) (?P<do>.+)$", _how_to),
    (r"how to (?P<do>.+)$", _how_to),
    (r"why\b", lambda base, found: _kind(base, "why")),
    (
        r"(?:when|where|who|whose|which)\b|how (?:many|much|old|far|long|tall|big|fast)\b",
        lambda base, found: _kind(base, "fact"),
    ),
)


def _kind(base: TableQuestion, kind: str) -> TableQuestion:
    return _fill(base, kind)


def _fill(base: TableQuestion, kind: str, **parts: object) -> TableQuestion:
    return replace(base, kind=kind, **parts)  # type: ignore[arg-type]


def _turned(text: str) -> str:
    """The text with first and second person swapped, as an answer has it."""
    words = re.sub(r"[^\W_]+(?:['’][^\W_]+)?", lambda found: _SWAP.get(found[0].casefold(), found[0]), text)
    return (
        words[:1].lower() + words[1:]
        if not words[:2].isupper() and words.split()[0].istitle() and _common(words)
        else words
    )


def _common(text: str) -> bool:
    """Whether an initial capital only marks the start of the sentence."""
    return text.split()[0].casefold() in _SMALL


def _short(asked: str) -> str:
    plain = asked.replace("“", "").replace("”", "").replace('"', "")
    if len(plain) <= LONGEST_ASKED:
        return plain
    return plain[:LONGEST_ASKED].rsplit(" ", 1)[0] + " …"


def _turning_word(asked: str) -> str:
    """The key word of a question: a noun with an article or a possessive, else the last content word."""
    if named := re.search(r"[\"“„]([^\"”“„]{2,30})[\"”“]", asked):
        return named[1].strip()
    words = [str(word) for word in _WORDS.findall(asked)]
    weighty = [word for word in words if re.split(r"['’]", word.casefold())[0] not in _SMALL and len(word) > 1]
    plain = [word for word in words if word.casefold() not in _ADJECTIVES]
    for before, word in reversed(list(pairwise(plain))):
        if (before.casefold() in _ARTICLES or _is_owner(before)) and word in weighty and not _is_owner(word):
            return word[:LONGEST_WORD]
    return (weighty or words)[-1][:LONGEST_WORD]


def _is_owner(word: str) -> bool:
    """A possessive such as "the neighbour's" qualifies a word and is no key word itself."""
    return word.casefold().endswith(("'s", "’s"))


def _language(asked: str, words: list[str]) -> str:
    letters = [char for char in asked if char.isalpha()]
    if letters and sum(char.casefold() < "\u0250" for char in letters) < len(letters) / 2:
        return "foreign"
    english = sum(word in _SMALL for word in words)
    german = sum(word in _listed("deutsch words") for word in words)
    other = sum(word in _listed("foreign words") for word in words)
    asks = words[0] in ("wer", "wie", "warum", "wann", "wo", "welche", "welcher", "welches", "wieso", "weshalb")
    if german + asks >= 2 and german + asks > max(english, other - 1):
        return "deutsch"
    strange = re.search(r"[ñçãõåøœłżśąęğşıčřžě¿¡àèìòùâêîôû]", asked.casefold())
    return "foreign" if (other >= 2 and other > english) or (strange and other > english) else "english"


@cache
def _listed(heading: str) -> frozenset[str]:
    return frozenset(word for row in load_sheet(__package__, "table.txt")[heading] for word in row.split())


def sum_in(asked: str) -> str:
    """The question as a sum, if it is one, with words replaced by digits and signs."""
    text = asked.casefold()
    for word, sign in _SPOKEN.items():
        spelled = rf"(?<!\w){re.escape(word)}(?!\w)" if word[0].isalpha() else re.escape(word)
        text = re.sub(spelled, sign, text)
    text = re.sub(r"(?<=\d)\s*(?:percent|per cent|%|prozent) (?:of|von) ", "/100*", text)
    text = re.sub(r"^(?:what(?:'s|’s| is)|how much is|calculate|compute|was ist|wie viel ist)\s+", "", text)
    return re.sub(r"(?<=[\d ])x(?=[\d ])", "*", text).strip(" ?=").replace(" ", "").replace(",", ".")


def _tokens(text: str) -> list[str]:
    return re.findall(r"(?:(?<=^)|(?<=[-+*/]))[-+]?\d+(?:\.\d+)?|[-+*/]|\d+(?:\.\d+)?", text)


def _reckoned(text: str) -> str | None:
    """The result of a sum, products first, as a word if it is small; None if there is no result."""
    tokens = _tokens(text)
    if len(tokens) > 2 * MOST_FACTORS:
        return None
    try:
        for signs in ("*/", "+-"):
            left = [tokens[0]]
            for sign, right in zip(tokens[1::2], tokens[2::2], strict=True):
                if sign in signs:
                    left[-1] = repr(_DOES[sign](float(left[-1]), float(right)))
                else:
                    left += [sign, right]
            tokens = left
        value = float(tokens[0])
    except (ValueError, ZeroDivisionError, OverflowError, KeyError):
        return None
    return _in_words(value) if abs(value) < LARGEST else None


def _in_words(value: float) -> str:
    if value == int(value):
        whole = int(value)
        return _NUMBERS[whole] if 0 <= whole < len(_NUMBERS) else f"{whole}"
    return f"{round(value, 4):g}"
