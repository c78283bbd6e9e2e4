"""Reasoning that a model writes before its answer without any mark around it."""

from __future__ import annotations

import re

from dramaturg.model_notes.signs import sign

LEAST_SIGNS = 2
_USER = (
    r"(?:\b(?:the|this) user\b(?! (?:manual|guide|handbook|interface|account|of)\b)|"
    r"\b(?:der|die|dem|den) (?:be)?nutzer(?:in)?\b|\bder user\b|"
    r"\bl['’](?:utilisateur|utilisatrice|utente)\b|\b(?:el|la|al|del) usuari[oa]\b|\b[oa] (?:usuári[oa]|utilizador)\b|"
    r"\bde gebruiker\b|\banvändaren\b|\bkullanıcı|\bużytkownik|\buživatel|пользовател|用户|用戶|ユーザー|사용자)"
)
_ASKS = (
    r"(?:asks?|asked|wants?|needs?|is asking|has asked|says?|said|requests?|seems|greets|quiere|pregunta|pide|dice|"
    r"ha (?:dicho|pedido|preguntado)|fragt|möchte|will|bittet|sagt|hat|demande|veut|souhaite|pergunta|quer|pede|chiede|"
    r"vuole|vraagt|wil|frågar|vill|soruyor|istiyor|pyta|chce|prosi|se ptá|спрашивает|хочет|просит|"
    r"想|问|問|要|希望|让|は|が|가|는)"
)
_USER_WORDS = (
    "user",
    "nutzer",
    "utilisat",
    "utente",
    "usuari",
    "usuári",
    "utilizador",
    "gebruiker",
    "användaren",
    "kullan",
    "użytkownik",
    "uživatel",
    "пользовател",
    "用户",
    "用戶",
    "ユーザー",
    "사용자",
)
_WORKS = (
    r"(?:respond|reply|answer|write|keep|stay|make|play|show|produce|give|generate|output|be|act|follow|include|use|provide|"
    r"return|remain|avoid|consider|remember|decide|craft|create|continue|reflect|maintain|portray|format|pick|choose|say)"
)
"""What somebody does who works on an answer."""
_ABOUT_THE_ANSWER = (
    sign(
        rf"{_USER}|\b(?:the|this) player\b|\b(?:frage|nachricht) (?:des spielers|der spielerin)\b|"
        r"\b(?:der spieler|die spielerin) (?:fragt|will|möchte|sagt)\b|"
        r"\b(?:question|message) du joueur\b|\b(?:pregunta|mensaje) del jugador\b|玩家|プレイヤー",
        *(*_USER_WORDS, "player", "spieler", "joueur", "jugador", "玩家", "プレイヤー"),
    ),
    sign(r"\bjson\b|\bthe (?:format|schema|form)\b", "json", "form", "schema"),
    sign(
        r"\b(?:in|stay in|break) character\b|\bin der rolle\b|\broleplay|"
        r"\ben personaje\b|\bno papel\b|\bdans le personnage\b|\bв роли\b",
        *("character", "rolle", "roleplay", "personaje", "papel", "personnage", "в роли"),
    ),
    sign(
        r"\b(?:ich antworte als|je réponds (?:comme|en tant que)|respondo como)\b|"
        r"\b(?:respond|reply|answer) (?:as|with|in)\b|\bas (?:the|this) character\b|\binstructions?\b",
        *("respond", "reply", "answer", "character", "instruction", "antworte", "répond"),
    ),
    sign(
        r"\bhere(?:['’]s| is) my (?:reply|response)\b|"
        r"\blet me (?:craft|write|draft|compose|formulate) (?:a|the|my|an) (?:response|reply|line|answer)\b",
        *("my reply", "my response", "let me"),
    ),
    sign(
        r"^\s{0,9}as [^\n,]{1,30}, i(?: would| will| should|['’]d|['’]ll) (?:respond|reply|react)\b",
        "respond",
        "reply",
        "react",
    ),
    sign(
        r"\b(?:how|what) [^\n,.]{1,30} (?:would|should|might) (?:say|react|respond|reply|answer) "
        r"(?:here|to this|in this|next)\b",
        *("say", "react", "respond", "reply", "answer"),
    ),
    sign(
        r"\bin this (?:scene|beat|turn),? (?:i|we) (?:should|need to|must) (?:keep|make|have|show|play|let|stay)\b",
        *("this scene", "this beat", "this turn"),
    ),
    sign(
        r"\b(?:dialogue|tension_shift|internal) (?:and|field|should|must|is)\b",
        *("dialogue", "tension_shift", "internal"),
    ),
)
_ALSO = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:the|this) person\b",
        rf"\b(?:i|we)(?: (?:need|have|ought) to| should| must) (?:\w{{1,12}} )?{_WORKS}\b|"
        r"\bich (?:muss|sollte)\b|\b(?:necesito|debo|tengo que|debería)\b|"
        r"\bje (?:dois|devrais)\b|\b(?:preciso|devo|dovrei|тебе нужно|мне нужно)\b|\bik moet\b",
        r"^\s*(?:ok(?:ay)?\b|alright|h+m+\b|let me think|let's (?:see|think)|first,|analysis|vale,|bueno,|a ver,|"
        r"also[, ]|gut,|d['’]accord|alors,|bon,|certo,|bem,|allora,|goed,|хорошо|итак|так,|好的|嗯|さて|では、)",
    )
)
_MORE = re.compile(
    r"\b(?:the|this) (?:scene|beat|tension|tone)\b|\b(?:als|comme|como|en tant que) \w{1,20} (?:zu )?"
    r"(?:antworten|antworte|reagieren|répondre|responder)\b|"
    r"\b(?:i['’]ll|i will|let['’]s|we['’]ll) (?:have|make|let|keep) (?:her|him|them|it|the \w{1,12})\b|"
    r"\b(?:she|he|they|s?he['’]d) (?:should|would|might|could|['’]d)\b|\bdraft\b|\blet me (?:write|craft|draft|try)\b|"
    r"\b(?:i['’]ll|i will) (?:go with|write|aim|start with|end with)\b|"
    r"(?:役|キャラクター)として|扮演|角色|\b(?:sie|er) (?:sollte|würde|soll)\b|\b(?:elle|il) (?:devrait|doit)\b|"
    r"\b(?:ella|él) (?:debería|debe)\b|\b(?:она|он) (?:должна|должен|бы)\b",
    re.IGNORECASE,
)
"""What only shows that reasoning goes on."""
_AT_ONCE = re.compile(
    rf"\s{{0,20}}(?:[^\s,.:!…]{{1,12}}[,.:!…]{{1,3}}\s?){{0,2}}{_USER}\w{{0,4}}\s?{_ASKS}", re.IGNORECASE
)
_PROCESS = re.compile(
    r"\s{0,20}[*_#]{0,3}\s?(?:here(?:['’]s| is) (?:my|the) |my )?(?:thinking|thought|reasoning) process\b(?![?!.,…])|"
    r"\s{0,20}(?:1[.)]\s|[*_#]{1,3}\s?){1,3}(?:understand|analy[sz]e|deconstruct|identify|consider)(?:ing)? (?:the )?"
    r"(?:context|request|prompt|user|role|scene|player|input)|"
    r"\s{0,20}step (?:1|one)[:.] (?:understand|analy[sz]e|identify|consider|read|recall|review|assess)(?:ing)? "
    r"(?:the |my |[^\W\d_]{1,20}['’]s )"
    r"(?:card|state|motives?|motivations?|goals?|persona|character|context|request|prompt|user|role|scene|player|input)\b",
    re.IGNORECASE,
)
"""A heading over reasoning, or the first step of it."""
_ANSWER_MARKS = tuple('"“„«「『*—[【{<')
_LOST_CHANNEL = re.compile(r"\s*analysis[A-Z]")


def is_reasoning(text: str) -> bool:
    """Whether the beginning of a text speaks about the answer instead of giving it."""
    head = text[:400]
    if _LOST_CHANNEL.match(head) or _AT_ONCE.match(head) or _PROCESS.match(head):
        return True
    return _signs(head) >= LEAST_SIGNS


def goes_on_reasoning(text: str) -> bool:
    """Whether a paragraph behind reasoning is more of it: there, one sign is enough."""
    return not text.lstrip().startswith(_ANSWER_MARKS) and (
        _signs(text[:400]) > 0 or _MORE.search(text[:400]) is not None
    )


def _signs(head: str) -> int:
    """How many signs of reasoning there are; none if nothing is about the answer."""
    folded = head.casefold()
    about = sum(one.is_in(head, folded) for one in _ABOUT_THE_ANSWER)
    return about + sum(bool(one.search(head)) for one in _ALSO) if about else 0
