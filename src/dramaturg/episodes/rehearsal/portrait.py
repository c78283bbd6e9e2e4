"""A card as an actor reads it: manners, own lines, stakes, ties and gestures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from dramaturg.episodes.rehearsal.person import forms_of, shifted
from dramaturg.kernel.models.rehearsal.part import MEMORIES, Part
from dramaturg.kernel.models.rehearsal.verbs import is_past

MANNERS: Mapping[str, str] = {
    "blunt": r"direct|blunt|clipped|precise|point|organi[sz]ed|stern|impatient|proud|fierce|hot|short|decisive|tough"
    r"|stubborn|demanding|authority|brisk|practical|driven|gruff|plain",
    "warm": r"kind|gentle|sooth\w*|empath\w*|patient|warm|peacemak\w*|diplomat\w*|caring|calm|loyal|generous|listens"
    r"|supportive|tender|protective|mediat\w*|steady|motherly|fatherly|soft",
    "nervous": r"anxious|hedg\w*|hesita\w*|avoid\w*|pleas\w*|insecure|shy|overcommit\w*|rambl\w*|nervous|worri\w*"
    r"|apologetic|timid|fidget\w*|unsure|conflict-averse|stammer\w*|jumpy|overwhelmed|optimist\w*",
    "dry": r"sarcas\w*|iron\w*|dry|deadpan|cynic\w*|wry|laconic|terse|sardonic|unimpressed|weary|skeptic\w*|sceptic\w*"
    r"|understat\w*|few words|quiet",
    "formal": r"formal|polite|reserved|dignified|old-fashioned|scholar\w*|courteous|ceremon\w*|official|proper|stiff"
    r"|rank|protocol|regulation\w*|elegant|educated|procedure\w*|records?|ledgers?",
    "playful": r"cheerful|witty|jok\w*|playful|mischiev\w*|teas\w*|dramatic|exuberant|theatrical|grin\w*|impish"
    r"|boisterous|irreverent|flamboyant|sly|charming|humou?r\w*|silly",
}
_MANNER = {name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for name, words in MANNERS.items()}
_SITUATION_WORDS: tuple[tuple[str, str], ...] = (
    ("opening", r"open|raising|start|begin"),
    ("cornered", r"corner|accused|defensive|evas|caught|deny|denying|blamed"),
    ("pressing", r"press|angry|accusing|confront|demand|impatien|insist"),
    ("account", r"explain|account|telling|asked why"),
    ("turning", r"giving way|turn|soften|relent|yield"),
    ("mediating", r"mediat|calming|peace|between|watching"),
    ("revealing", r"reveal|secret|truth|confess|coming clean"),
    ("refusing", r"refus|saying no|turning down"),
    ("offering", r"offer|bargain|trade|haggl|bribe"),
    ("planning", r"plan|propos|next step|agree|terms"),
    ("doubting", r"doubt|afraid|hesitat|worried|unsure|against"),
    ("deciding", r"decid|resolved|choos|determined"),
    ("promising", r"promis|swear|vow"),
    ("closing", r"clos|parting|at the end|last word|goodbye|leaving"),
    ("startled", r"startl|interrupt|event|noise|surpris"),
)
_LINES = re.compile(r"\b(?:lines|says|say|sayings|quotes?|dialogue|sample|speech|catchphrases?)\b", re.IGNORECASE)
_KNOWS = re.compile(r"\b(?:knows?|secrets?|knowledge|hidden|truth)\b", re.IGNORECASE)
_GESTURES = re.compile(r"\b(?:gestures?|mannerisms?|habits|tics|body language)\b", re.IGNORECASE)
_STAKES = re.compile(r"\b(?:scene|stakes?|wants?|motivation|goals?|situation)\b", re.IGNORECASE)
_LABEL = re.compile(r"^(?:when\s+)?(?P<label>[A-Za-z][\w ,'’/-]{2,40}):\s++(?P<rest>.+)$", re.IGNORECASE)
_UNSAID = re.compile(
    r"\b(?:secret\w*|hid\w*|lying|pretend\w*|never admit|suspect\w*|private\w*|don['’]t want|do not|should|must|"
    r"scene|character|try|speak|voice)\b",
    re.IGNORECASE,
)
_PHYSICAL = re.compile(
    r"^(?:taps|drums|folds|crosses|glances|leans|rubs|adjusts|smiles|sighs|paces|fidgets|cracks|twists|polishes|"
    r"looks at|winds|wipes|scratches|straightens|presses|plays with|bites|pushes|pulls at|stares at|tucks|strokes|"
    r"tilts|squares|laces)\b.{3,70}$",
    re.IGNORECASE,
)
_YOU = (
    (r"\byou['’]re\b", "I'm"),
    (r"\byou are\b", "I am"),
    (r"\byou['’]ve\b", "I've"),
    (r"\byou['’]ll\b", "I'll"),
    (r"\byou['’]d\b", "I'd"),
    (r"\byou were\b", "I was"),
    (r"\byourself\b", "myself"),
    (r"\byours\b", "mine"),
    (r"\byour\b", "my"),
    (r"(?<=\bto )you\b|(?<=\bfor )you\b|(?<=\bwith )you\b|(?<=\bfrom )you\b|\byou$", "me"),
    (r"^you\b|(?<=\band )you\b|(?<=\bbut )you\b|(?<=\bthat )you\b|(?<=\bif )you\b|(?<=, )you\b", "I"),
)


@dataclass(frozen=True, slots=True)
class Portrait:
    """One member of the cast. `own` holds the card's lines by situation; `stakes` and `ties` are sentences."""

    name: str
    manners: tuple[str, ...]
    own: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    stakes: tuple[str, ...] = ()
    gestures: tuple[tuple[str, str], ...] = ()
    tempo: float = 1.0

    def stakes_to(self, listener: str, names: tuple[str, ...]) -> tuple[str, ...]:
        """What this person can say of themselves to that listener, in the first person."""
        plain = (text.replace(f"{listener}@", "you ") for text in self.stakes)
        said = (shifted(text, "", self.name, listener, names) for text in plain if "@" not in text)
        return tuple(f"{text[0].upper()}{text[1:]}" for text in said if text)


def portrait_of(part: Part, names: tuple[str, ...], said_before: str = "") -> Portrait:
    """Read a card. `names` are those of the whole cast; lines found in `said_before` are left out."""
    own: dict[str, list[str]] = {}
    stakes: list[str] = []
    gestures: list[tuple[str, str]] = []
    prose: list[str] = [part.role]
    for heading, lines in part.sections:
        if heading == MEMORIES:
            continue
        if _LINES.search(heading):
            for situation, line in _own_lines(lines):
                if line not in said_before:
                    own.setdefault(situation, []).append(line)
        elif _KNOWS.search(heading):
            own.setdefault("revealing", []).extend(said for line in lines if (said := _known(line)))
        elif _GESTURES.search(heading):
            gestures.extend(_gestures(lines))
        else:
            prose.extend(lines)
            gestures.extend(one for one in _gestures(lines) if _PHYSICAL.match(one[1]))
            stakes.extend(said for line in lines if (said := _stake(line, heading, names)))
    return Portrait(
        name=part.name,
        manners=_manners(" ".join(prose)),
        own={situation: tuple(lines) for situation, lines in own.items()},
        stakes=tuple(stakes),
        gestures=tuple(gestures),
        tempo=part.tempo or 1.0,
    )


def _manners(prose: str) -> tuple[str, ...]:
    """The one or two manners that the card's words suggest most."""
    counts = {name: len(pattern.findall(prose)) for name, pattern in _MANNER.items()}
    best = sorted((name for name in counts if counts[name]), key=lambda name: -counts[name])
    return tuple(name for name in best[:2] if counts[name] * 2 >= counts[best[0]])


def _own_lines(lines: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The card's lines with their situations: a line's own label, or the last bare label above it."""
    current = "any"
    for line in lines:
        bare = re.fullmatch(r"\W*+(?:when\s++)?([\w ,'’/-]+):\W*", line, re.IGNORECASE)
        if bare:
            current = _situation(bare[1])
            continue
        label = _LABEL.match(line)
        situation = _situation(label["label"]) if label else ""
        if label and situation:
            line = label["rest"]
        text = _clean(line)
        if text:
            yield situation or current, text


def _situation(label: str) -> str:
    return next((name for name, words in _SITUATION_WORDS if re.search(rf"\b(?:{words})", label, re.IGNORECASE)), "")


def _clean(line: str) -> str:
    text = " ".join(line.replace("“", '"').replace("”", '"').split()).strip(' "*')
    if not text or "[" in text or "{" in text or '"' in text:
        return ""
    return text if text[-1] in ".!?…" else f"{text}."


def _known(line: str) -> str:
    """A bullet of knowledge as something to say: 'You saw her' → 'I saw her.'"""
    text = _clean(line)
    first = text.split(" ", 1)[0]
    if first in ("I", "I'm", "I've", "My", "It", "There", "The", "We"):
        return text
    if first.lower() == "you":
        return _first_person(text)
    if is_past(first.lower()):
        return f"I {text[0].lower()}{text[1:]}"
    return ""


def _stake(line: str, heading: str, names: tuple[str, ...]) -> str:
    """A sentence to the actor as the character could say it; empty if that is not safe."""
    text = " ".join(line.split()).rstrip(".")
    if len(text.split()) > 18 or _UNSAID.search(text):
        return ""
    if _STAKES.search(heading) and re.match(r"you\b|you['’]", text, re.IGNORECASE):
        said = _first_person(text)
        return f"{said}." if said else ""
    return _since(text, names)


def _first_person(text: str) -> str:
    out = text
    for pattern, word in _YOU:
        out = re.sub(pattern, word, out, flags=re.IGNORECASE)
    if re.search(r"\byou\b", out, re.IGNORECASE):
        return ""
    return f"{out[0].upper()}{out[1:]}"


def _since(text: str, names: tuple[str, ...]) -> str:
    """'Has mentored Bob since he joined' → 'I have mentored Bob since he joined.'"""
    years = re.fullmatch(r"(\w+) years (at|in|with|on) (the [\w ]+)", text)
    if years and (years[1].isdigit() or years[1].istitle()):
        return f"I've been {years[2]} {years[3]} {years[1].lower()} years."
    has = re.fullmatch(r"Has (\w+(?:ed|own|ade|aught|ept) .+)", text)
    named = [name for name in names if any(form in text for form in forms_of(name))]
    if not has or len(named) != 1:
        return ""
    since = re.sub(r"\bsince (?:he|she|they) ", f"since {named[0]}@", has[1])
    if re.search(r"\b(?:he|she|they|him|his|her|their)\b", since):
        return ""
    return f"I have {since}."


def _gestures(lines: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Gestures with their feelings; an empty feeling fits any: 'When angry: taps the table'."""
    for line in lines:
        label, mark, rest = line.partition(":")
        feeling, text = (re.sub(r"^when\s+", "", label, flags=re.IGNORECASE), rest) if mark else ("", line)
        text = text.strip(" .*")
        if text and len(text.split()) <= 9 and not re.search(r'["\[\],;]', text):
            yield feeling.strip().lower(), text[0].lower() + text[1:]
