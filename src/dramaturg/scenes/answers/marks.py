"""Words and marks that several readers of an answer know: notes, engine lines, silence, verbs of saying."""

from __future__ import annotations

import re

from dramaturg.kernel.text.control import plain

DOUBLE_QUOTES = '"“”„«»‟〝〞＂「」『』'
SAYING = (
    r"(?:says?|said|asks?|asked|repl(?:y|ies|ied)|answers?|answered|whispers?|whispered|mutters?|muttered|murmurs?|"
    r"murmured|shouts?|shouted|adds?|added|continues?|continued|calls?|called|cries|cried|snaps?|snapped|growls?|"
    r"growled|begs?|begged|demands?|demanded|insists?|insisted|hiss(?:es|ed)|yells?|yelled|admits?|admitted|"
    r"warns?|warned|began|begins|protests?|explains?|stammers?|stammered|pleads?|sagte?|fragte?|antwortete?|flüsterte?|dit|demande|répond|murmure|dice|dijo|pregunta|responde|susurra)"
)
_SHOWS = "keeps|shows|captures|reflects|maintains|conveys|stays|moves|uses|adds|aims|reveals|highlights|is meant|fits"
NOTE = re.compile(
    r"[\s(\[*_#>/-]{0,8}(?:(?:author'?s? |director'?s? |end )?notes?\b\s?(?:\([^()]{0,60}\)\s?)?[:：]|note that this\b|"
    r"o\.?o\.?c\b|out of character|(?:disclaimer|explanation|rationale)[:：]|why this works|"
    r"let me know if (?:you|this|there)\b|"
    r"would you like me to (?:continue|adjust|write|try|rewrite|change|revise|go on)|hope this helps|"
    r"feel free to (?:adjust|ask|modify|let me|change)|i hope (?:this|that) (?:helps|works|captures|meets|fits)|"
    rf"(?:in )?this (?:response|line|reply|answer|dialogue) (?:{_SHOWS})|"
    r"i(?:['’]ve)? (?:chose|kept|made|wrote|tried) .{0,60}\btone\b|"
    r"anmerkung[:：]|hinweis[:：]|remarque ?[:：]|nota ?[:：]|注[:：]|備考)",
    re.IGNORECASE,
)
SILENCE = re.compile(
    r"(?:(?:and |then )?(?:just |simply )?(?:(?:remains?|stays?|keeps?|is|falls) (?:\w{1,12} )?(?:silent|quiet)|"
    r"(?:does not|doesn['’]t|do not|don['’]t) (?:respond|answer|reply|speak|say (?:anything|a word))|"
    r"says? nothing|no (?:response|reply|answer)|(?:a )?(?:long )?silence|silent|"
    r"schweigt|sagt nichts|se tait|ne dit rien|reste silencieux|guarda silencio|calla|"
    r"no dice nada|tace|沈黙|沉默|無言|黙っている))\W{0,3}",
    re.IGNORECASE,
)
_ENGINE = re.compile(
    r"[\[【［]\s{0,3}(?:(?:the )?scene\s?(?:end|ends|start|stopped|over|complete|fades|closes|is over)|"
    r"end of (?:the )?scene|end scene|the end|event|system|setting|director'?s? note|"
    r"fade (?:out|to)|curtain|cut to)(?![\w'])[^\]】］]{0,400}[\]】］]?",
    re.IGNORECASE,
)
_STAGE = re.compile(r"[\[【［]\s{0,3}stage\s?:[^\]】］]{0,400}[\]】］]?", re.IGNORECASE)


def without_engine_lines(text: str) -> str:
    """A text without what only the engine may write: events, system lines, the end of the scene."""
    return _ENGINE.sub(" ", text) if "[" in text or "【" in text or "［" in text else text


def printable(text: str) -> str:
    """What a transcript may print of a field: one row, without anything that the engine alone writes."""
    if "[" in text or "【" in text or "［" in text:
        text = _STAGE.sub(" ", _ENGINE.sub(" ", text))
    return " ".join(plain(text).split())


def wrote_engine_lines(text: str) -> bool:
    return _ENGINE.search(text) is not None
