"""Words and marks that several readers of an answer know: notes, engine lines, silence, verbs of saying."""

from __future__ import annotations

import re

DOUBLE_QUOTES = '"“”„«»‟〝〞＂「」『』'
SINGLE_QUOTES = "'‘‚’"
SAYING = (
    r"(?:says?|said|asks?|asked|repl(?:y|ies|ied)|answers?|answered|whispers?|whispered|mutters?|muttered|murmurs?|"
    r"murmured|shouts?|shouted|adds?|added|continues?|continued|calls?|called|cries|cried|snaps?|snapped|growls?|"
    r"growled|sagte?|fragte?|antwortete?|flüsterte?|dit|demande|répond|murmure|dice|dijo|pregunta|responde|susurra)"
)
NOTE = re.compile(
    r"[\s(\[*_#>-]{0,8}(?:(?:author'?s? |director'?s? |end )?notes?\b\s?(?:\([^()]{0,60}\)\s?)?[:：]|note that\b|o\.?o\.?c\b|"
    r"out of character|disclaimer\b|explanation\b|why this works|let me know\b|would you like me to|feel free to|"
    r"i hope (?:this|that)\b|hope this|(?:in )?this (?:response|line|reply|answer|dialogue)\b|anmerkung|hinweis\s?:|remarque|nota\s?:|注[:：]|備考)",
    re.IGNORECASE,
)
META = re.compile(
    r"\b(?:response|reply|dialogue|tone|character|scene|beat|roleplay|role-play|json|format|line|lines|antwort|réponse|"
    r"respuesta|risposta|resposta)\b|回答|返答|台詞|回复",
    re.IGNORECASE,
)
SILENCE = re.compile(
    r"(?:(?:and |then )?(?:just |simply )?(?:(?:remains?|stays?|keeps?|is|falls) (?:\w{1,12} )?(?:silent|quiet)|says? nothing|"
    r"(?:does not|doesn['’]t|do not|don['’]t) (?:respond|answer|reply|speak|say (?:anything|a word))|no (?:response|reply|answer)|"
    r"(?:a )?(?:long )?silence|silent|schweigt|sagt nichts|se tait|ne dit rien|reste silencieux|guarda silencio|calla|"
    r"no dice nada|tace|沈黙|沉默|無言|黙っている))\W{0,3}",
    re.IGNORECASE,
)
_ENGINE = re.compile(
    r"[\[【［]\s{0,3}(?:scene\s?(?:end|ends|start|stopped|over|complete)|end of (?:the )?scene|end scene|the end|event|system|"
    r"setting|director'?s? note|fade (?:out|to)|curtain|cut to)(?![\w'])[^\]】］]{0,400}(?:[\]】］]|\Z)",
    re.IGNORECASE,
)


def without_engine_lines(text: str) -> str:
    """A text without what only the engine may write: events, system lines, the end of the scene."""
    return _ENGINE.sub(" ", text) if "[" in text or "【" in text or "［" in text else text


def wrote_engine_lines(text: str) -> bool:
    return _ENGINE.search(text) is not None
