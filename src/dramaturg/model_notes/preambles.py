"""What models say before an answer: "Sure! Here is my reply in French:"."""

from __future__ import annotations

import re

ANSWER_OPENS = (*'"“”„«»‟〝〞＂「」『』', "[", "【", "'", "‘")
META = re.compile(
    r"\b(?:response|reply|dialogue|tone|character|scene|beat|roleplay|role-play|json|format|line|lines|antwort|réponse|"
    r"respuesta|risposta|resposta)\b|回答|返答|台詞|回复",
    re.IGNORECASE,
)
_AS_SOMEBODY = (
    r"as [^\n,:：]{1,40}, i(?: would|['’]d| will|['’]ll| might) (?:say|respond|reply|answer)|"
    r"als [^\n,:：]{1,40} würde ich (?:sagen|antworten|erwidern)|"
    r"en tant qu[e'’][^\n,:：]{1,40}, je (?:dirais|répondrais)|"
    r"como [^\n,:：]{1,40}, (?:yo |eu )?(?:diría|respondería|diria|responderia)|"
    r"come [^\n,:：]{1,40}, (?:direi|risponderei)"
)
_PREAMBLE = re.compile(
    r"\s{0,20}(?:sure|certainly|of course|okay|ok|absolutely|understood|got it|alright|great|yes|no problem|here['’]?s|"
    r"here (?:is|are|goes)|below is|this is|natürlich|gerne?|klar|hier (?:ist|kommt)|bien sûr|voici|d['’]accord|claro|"
    rf"as an ai|revised|{_AS_SOMEBODY}|"
    r"por supuesto|aquí|certo|ecco|aqui|以下|はい|好的|当然)[^\n:：]{0,160}[:：]",
    re.IGNORECASE,
)
_MEANT = re.compile(
    r"\b(?:würde ich|je (?:dirais|répondrais)|diría|respondería|diria|responderia|direi|risponderei|"
    r"(?:would|might|will|['’]d|['’]ll) (?:say|respond|reply|answer)|says|take|version|in character|answer|turn|"
    r"respond|react)\b",
    re.IGNORECASE,
)


def without_preamble(text: str) -> str:
    """A text without a row that only announces it; what goes on in the same row may be somebody's words."""
    found = _PREAMBLE.match(text)
    if found is None or not (META.search(found[0]) or _MEANT.search(found[0])):
        return text
    after = text[found.end() :]
    return after if after[:1] == "\n" or after.lstrip()[:1] in ANSWER_OPENS else text
