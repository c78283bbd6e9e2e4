"""A model that declines to play, as opposed to a character who refuses something."""

from __future__ import annotations

import re
from itertools import accumulate, chain

from dramaturg.model_notes.signs import sign

_ALWAYS = sign(
    r"\b(?:ai language model|large language model|as a language model|an ai assistant|"
    r"(?:continu|participat|engag|tak)\w{0,4} (?:\w{1,8} ){0,4}(?:role-?\s?play|fictional scenario)|"
    r"(?:content|usage) polic(?:y|ies)|my (?:content |safety )guidelines|"
    r"(?:ki-)?sprachmodell|diese[sm]? rollenspiel|modèle de langage|ce jeu de rôle|modelo de lenguaje|"
    r"este juego de rol|modello linguistico|questo gioco di ruolo|modelo de linguagem|taalmodel|"
    r"языков\w{1,3} модел\w{1,3}|эту ролевую игру|model\w{0,3} językow\w{1,4}|tej gry fabularnej)\b|"
    r"言語モデル|语言模型|語言模型|ロールプレイを続ける|ロールプレイに(?:は|)(?:対応|お応え)|角色扮演",
    *("language model", "ai assistant", "role", "fictional scenario", "policy", "policies", "guidelines"),
    *("sprachmodell", "rollenspiel", "modèle de langage", "jeu de rôle", "modelo de l", "juego de rol"),
    *("modello linguistico", "gioco di ruolo", "taalmodel"),
    *("языков", "ролев", "językow", "gry fabularn"),
    *("言語モデル", "语言模型", "語言模型", "ロールプレイ", "角色扮演"),
)
_UNTAGGED = re.compile(
    r"\b(?:as an ai\b|als ki\b|en tant qu['’]ia\b|como (?:una )?ia\b|come ia\b|"
    r"i(?:['’]m| am)? (?:cannot|can't|can’t|will not|won't|won’t|unable to|not able to|not comfortable|"
    r"must decline to) ?(?:be able to )?(?:help|assist|comply|fulfil|fulfill|generat|creat|provid|produc|engag|"
    r"participat|continu)\w{0,4}\b[^.!?\n]{0,60}\b(?:request|roleplay|role-play|content|scenario|prompt|conversation)|"
    r"i(?:['’]m| am)? (?:cannot|can't|can’t|unable to|not able to) (?:help|assist|continue) (?:you )?with (?:that|this)"
    r"(?:\s?[.!]?\Z|[^\n]{0,200}\b(?:professional|hotline|crisis|reach out|something else|anything else)\b)|"
    r"i(?:['’]m| am)? (?:cannot|can't|can’t|will not|won't|won’t|unable to|not able to) "
    r"(?:continue to )?role-?\s?play\b|"
    r"not comfortable continuing in this direction|"
    r"come (?:una )?intelligenza artificiale,? non posso (?:interpretare|continuare|partecipare|soddisfare)|"
    r"(?:bei|mit) dieser anfrage (?:kann ich|leider nicht|nicht)|"
    r"je ne (?:peux|puis) pas [^.!?\n]{0,40}\bcette (?:demande|requête)|"
    r"no puedo [^.!?\n]{0,40}\best?a (?:solicitud|petición)|non posso [^.!?\n]{0,40}\bquesta richiesta|"
    r"não posso [^.!?\n]{0,40}\bes[st][ea] (?:pedido|solicitação)|(?:bij|met) dit verzoek kan ik)|"
    r"\A\s{0,9}i(?:['’]m| am|['’]ll| will)? ?(?:going to |need to |have to |must )?(?:break|step out of) character\b|"
    r"\A\s{0,9}i appreciate the (?:\w{1,12} )?(?:scenario|prompt),? but i(?:['’]m| am| can| do)|"
    r"\A\s{0,9}(?:i['’]m |i am )?sorry,? but i (?:cannot|can't|can’t) continue (?:with )?(?:this|the) "
    r"(?:story|scene|conversation)\W{0,3}\Z|"
    r"リクエストには?(?:対応|お応え)",
    re.IGNORECASE,
)
_OPENINGS = (
    *(
        "i'm sorry",
        "i am sorry",
        "sorry",
        "i apologi",
        "i can't",
        "i cannot",
        "i'm unable",
        "i am unable",
        "i'm not able",
    ),
    *("i won't", "i will not", "i'm an ai", "i am an ai", "as an ai", "as a language", "as a large", "i must decline"),
    *("es tut mir leid", "tut mir leid", "entschuldig", "ich kann", "als ki", "als sprach", "je suis désolé", "désolé"),
    *("je ne peux", "en tant qu", "lo siento", "no puedo", "como modelo", "como ia", "como una ia", "mi dispiace"),
    *("non posso", "come modello", "desculp", "sinto muito", "não posso", "het spijt me", "als taal", "als ai"),
    *("извин", "простите", "как язык", "przepraszam", "jako model"),
    *("申し訳", "私は", "抱歉", "对不起", "很抱歉", "作为", "作為", "我是"),
)
_BEGINNINGS = frozenset(("", *chain.from_iterable(map(accumulate, _OPENINGS))))


def begins_refusal(words: str) -> bool:
    """Whether words begin as refusals do, or may still come to that."""
    plain = words.lstrip(' \n"“*').casefold().replace("’", "'")
    return plain.startswith(_OPENINGS) or plain in _BEGINNINGS


def declines_to_play(words: str, *, tagged: bool) -> bool:
    """Whether the words are the model's own refusal. With tags only what no character would say counts."""
    text = words[:2_000]
    return _ALWAYS.is_in(text, text.casefold()) or (not tagged and _UNTAGGED.search(text) is not None)
