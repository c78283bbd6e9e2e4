"""Speech acts: which deed a sentence does, read from its words. Lines of any author are judged alike."""

from __future__ import annotations

import re
from functools import lru_cache

from dramaturg.kernel.models.rehearsal.verbs import base_of_gerund, base_of_past, base_of_third

_VERY = r"(?: (?:so|truly|really|very|deeply|genuinely|terribly|sincerely|honestly|just|only|more))*"
_PATTERNS: dict[str, str] = {
    "apologise": rf"\bI(?:['’]m| am){_VERY} sorry\b|\bI(?: do| want to| would like to|['’]d like to| truly| sincerely| deeply"
    r"| really)? apologi[sz]e\b|\bmy (?:sincere |deepest |honest )?apolog(?:y|ies)\b|\bI owe \w+(?: \w+){0,3} an apology\b"
    r"|^(?:so |truly |very |really )?sorry\b|\bplease forgive me\b",
    "accept": r"\bI(?: do| can| will)? accept\b(?! no\b)|\baccepted\b|\bI(?: do| can| will)? forgive you\b|\bforgiven\b"
    r"|\bI['’]ll (?:accept|take) (?:it|that|your|the)\b|\bwe(?:['’]re| are) (?:good|all right|okay|square)\b|\bI believe you\b"
    r"|\bgood enough for me\b|\bI appreciate (?:you saying|your saying|that|it|hearing)\b|\bthat['’]s enough for me\b"
    r"|\bthank you for (?:saying|owning|telling|that)\b|\bI trust you again\b|\bbehind us\b|\bit['’]s (?:okay|forgiven)\b",
    "confess": r"\bit was me\b|\bI did it\b|\b(?:it|this|that|all of it)(?: was| is|['’]s) (?:all )?(?:my (?:fault|mistake|doing)"
    r"|on me)\b|\bI(?: take| took|['’]ll take)(?: full)? (?:responsibility|the blame)\b|\bI (?:admit|confess)\b|\bI own (?:it|that|this)\b"
    r"|\bI (?:was|am) (?:the one|wrong|to blame)\b|\bI (?:messed|screwed) (?:it )?up\b|\bI lied\b|\bmine to own\b",
    "reveal": r"\bthe truth is\b|\b(?:that|this|here)(?:['’]s| is) (?:what|how|why|who|the truth|all of it)\b|\bI(?:['’]ll| will) tell you (?:what|who)"
    r"|\bI (?:saw|heard|found|watched|knew|took|hid|let|put|left|signed|lied|kept|met|followed|carried|buried|was there)\b",
    "realise": r"\bI (?:see|understand|reali[sz]e|get|know) (?:it|that|now|what|how|why)\b|\bI should have (?:seen|known)\b|\bI see\b|\bI do see\b",
    "promise": r"\bI (?:do )?(?:promise|swear|vow|pledge|guarantee)\b|\bmy word\b|\bon my (?:honou?r|life|mother)\b"
    r"|\bI(?:['’]ll| will) (?:never|always)\b|\bthat['’]s a promise\b|\bcount on me\b",
    "decide": r"\bI(?:['’]ve| have) (?:decided|made up my mind)\b|\bmind is made up\b|\bI(?:['’]m| am) (?:\w+ing)\b|\bI(?:['’]ll| will)\b|\bI choose\b"
    r"|\bmy decision\b|\bwe(?:['’]re| are) going\b|\bthat['’]s settled\b",
    "refuse": r"^no(?:[.,!;]|$| deal| chance| thank)|^never[.!,]|\bI (?:won['’]t|will not|refuse|can['’]t|cannot|decline)\b|\bthe answer is (?:still )?no\b"
    r"|\bnot (?:for sale|a chance|happening|on your life)\b|\bnothing doing\b|\bI['’]m not (?:\w+ing)\b|\bno deal\b",
    "order": r"\bthat(?:['’]s| is) an order\b|\bI(?:['’]m| am) ordering\b|\bI order\b|\byou (?:will|are to)\b|\bthose are my orders\b|\bI want .* now\b",
    "thank": r"\bthank(?:s| you)\b|\bI(?:['’]m| am) (?:\w+ )?grateful\b|\bI owe you (?:one|my)\b",
    "part": r"\bgoodbye\b|\bfarewell\b|\bso long\b|\buntil (?:we|next|then|tomorrow)\b|\btake care\b|\bsafe (?:journey|travels|road)\b"
    r"|\bgood ?night\b|\bsee you\b|\bgodspeed\b|\bgo well\b",
    "warn": r"\bI(?:['’]m| am) warning you\b|\bbe careful\b|\bwatch (?:out|yourself|your)\b|\bdon['’]t say I didn['’]t\b|\bbeware\b|\bif you .* (?:will|['’]ll)\b"
    r"|\bI warn\b|\btake this as a warning\b",
    "accuse": r"\bit was you\b|\byou did (?:it|this)\b|\byou(?:['’]re| are) the (?:one|thief|killer|culprit|liar|traitor)\b|\bI accuse you\b|\byou (?:stole|took|killed|lied|betrayed|hid)\b",
    "confront": r"\byou(?:r|['’]re)?\b|\bwe need to talk\b|\bwhat happened\b|\bexplain\b",
    "mediate": r"\b(?:calm|calmer|breath|moment|slow|slower|both of you|each other|easy|one at a time|enough|fair|listen|step back|quiet|finish|hear"
    r"|same side|stop|wait|please|lower)\b",
    "offer": r"\bI(?:['’]ll| will|['’]d| would| can| could) (?:give|trade|offer|pay|swap|throw in|do|take|let)\b|\b(?:here(?:['’]s| is)|that['’]s) (?:my|the|an) offer\b|\bwhat if (?:I|we|you)\b"
    r"|\bhow about\b|\bin (?:exchange|return)\b|\bI propose\b|\bI(?:['’]m| am) offering\b|\bI offer\b|\bmy offer\b|\bI suggest\b|\bsuppose (?:I|we)\b",
    "ask": r"\b(?:will|would|can|could|won['’]t) you\b|\bplease\b|\bI(?:['’]m| am) asking\b|\bI need you(?:r)?\b|\bI(?:['’]d| would) like\b",
    "give": r"\bhere\b|\btake (?:it|this|them)\b|\b(?:it|they)(?:['’]s| is|['’]re| are) yours\b|\bhave it\b|\bI(?:['’]m| am) giving\b|\bI give\b|\byours now\b",
    "reconcile": r"\bpeace\b|\btruce\b|\bfriends\b|\bwe(?:['’]re| are) (?:all right|good|okay)\b|\bstart (?:again|over)\b|\bbehind us\b|\bforgive\b|\bmissed you\b|\bsquare\b",
    "stay": r"\bI(?:['’]m| am) (?:staying|not (?:going|leaving))\b|\bI(?:['’]ll| will) stay\b|\bI(?:['’]m| am) here\b|\bwe stay\b|\bwe(?:['’]re| are) staying\b",
    "leave": r"\bI(?:['’]m| am) (?:leaving|going|off|done here|quitting|resigning)\b|\bI(?:['’]ll| will) (?:go|leave)\b|\bI quit\b|\bI resign\b|\bgoodbye\b",
    "yield": r"^(?:all right|very well|fine|okay|yes|you win|agreed|deal|so be it)\b|\bI(?:['’]ll| will)\b|\byou(?:['’]ve| have) (?:convinced|persuaded|got) me\b|\bI give in\b|\byou win\b"
    r"|\bI agree\b|\bI accept\b|\bhave it your way\b",
}
_DENIALS: dict[str, str] = {
    "apologise": r"\b(?:not|never|isn['’]t|hardly) (?:\w+ ){0,2}sorry\b|sorry (?:if|you feel|you['’]re|to (?:hear|interrupt|say|disappoint|bother|tell|ask)|for you\b|excuse|about the)"
    r"|sorry,? (?:but|though|not)\b|(?:won['’]t|not going to|refuse to|don['’]t|can['’]t|will not|never|why should I|should I) (?:\w+ )?(?:apologi|be sorry)"
    r"|(?:say|said|saying|tell you|told you|pretend)(?: \w+)? (?:I['’]m |I am |I was )?sorry|\bif I\b|\bas sorry as\b|\bsorry\?|\bwould be sorry\b|\bthink I['’]m sorry\b|\bwhen I['’]m sorry\b",
    "accept": r"\b(?:can['’]t|cannot|won['’]t|don['’]t|do not|not|never|unless|until|if|before|why|how|as if|expect me|want me|supposed)\b",
    "confess": r"\bnot my\b|\bwasn['’]t me\b|\bif\b|\bwhy should\b|\bI never\b|\bnot (?:me|on me)\b|\bcan['’]t\b|\bwon['’]t\b|\byou think\b|\bnothing\b|\bexpect\b",
    "reveal": r"\bnothing\b|\bno one\b|\bnobody\b|\bdidn['’]t\b|\bnever saw\b|\balready told\b|\bI told you\b|\bwhat I saw\b.*\bmine\b|\bif I\b|\bcan['’]t\b|\bwon['’]t\b|\bnot\b",
    "promise": r"\bcan['’]t\b|\bcannot\b|\bwon['’]t promise\b|\bdon['’]t\b|\bif I\b|\bnot (?:going to )?promise\b|\bnever promise\b|\bpromised\b|\bI gave\b|\bbroke\b",
    "decide": r"\b(?:can['’]t|not going to decide|haven['’]t|not sure|if|whether|maybe|perhaps|might|don['’]t know|think about)\b",
    "refuse": r"^no,? (?:you['’]re|it['’]s|I know|I mean|that['’]s|problem|worries|wait|listen|one|doubt|of course)|\bcan['’]t (?:believe|imagine|wait|help|complain|tell)\b|\bwon['’]t (?:forget|lie)\b|\bno idea\b",
    "thank": r"\bno thank|\bthanks to\b|\bthanks for nothing\b|\bnot (?:grateful|thanking)\b|\bdon['’]t thank\b",
    "part": r"\bnot goodbye\b|\bnever say goodbye\b|\bdon['’]t\b|\buntil you\b|\bsee you (?:try|do|as)\b",
    "stay": r"\bcan['’]t\b|\bwon['’]t\b|\bif I\b|\bnot staying\b",
    "leave": r"\bnot (?:going|leaving)\b|\bif I\b|\bgoing to (?!go|leave)\b|\bgoing (?:nowhere|mad|over)\b|\bI['’]m done\b|\bwon['’]t\b",
    "yield": r"\bnot\b|\bnever\b|\bwon['’]t\b|\bbut\b|\bif\b|\bno deal\b",
    "accuse": r"\bif it was\b|\bnot saying\b|\bwasn['’]t\b",
    "give": r"\bhere (?:we|I|you|is why)\b|\bin here\b|\bout here\b|\bright here\b|\baround here\b|\bcan['’]t\b|\bnot\b|\bnever\b",
    "order": r"\bif you\b|\bwhat you will\b",
    "reconcile": r"\bno peace\b|\bnot\b|\bnever\b|\bif\b|\bkeep the peace\b",
    "offer": r"\bno offer\b|\bwhy would\b|\bnothing\b",
    "realise": r"\bdon['’]t\b|\bnot\b",
}
_FOUND = {kind: re.compile(words, re.IGNORECASE) for kind, words in _PATTERNS.items()}
_DENIED = {kind: re.compile(words, re.IGNORECASE) for kind, words in _DENIALS.items()}
ASSENT = re.compile(
    r"\bagreed\b|\bit['’]s a deal\b|\b(?:we|you) have a deal\b|^deal\b|\blet['’]s do (?:that|it)\b|\bthat['’]s the plan\b|\bI can live with\b"
    r"|\bworks for me\b|\bI agree\b|\bthen it['’]s settled\b|\bsettled, then\b|\bthen we have (?:a plan|terms|an agreement)\b|\bshake on (?:it|that)\b|\bwe(?:['’]re| are) agreed\b",
    re.IGNORECASE,
)
MILD_ASSENT = re.compile(
    r"^(?:yes|okay|ok|fine|sounds (?:good|fair|right)|that works|very well|sure|absolutely|all right|good)\b",
    re.IGNORECASE,
)
PROPOSAL = re.compile(
    r"\bI(?:['’]ll| will| can| could)\b|\bwe(?:['’]ll| will| should| could| can| split| share| meet| do| put| set| go)\b|\blet['’]s\b|\bfrom now on\b"
    r"|\bwhat if\b|\bhow about\b|\bevery (?:week|day|morning|evening|monday|friday|month)\b|\bstarting\b|\byou (?:get|take|keep)\b|\bI propose\b",
    re.IGNORECASE,
)
_NOT_ASSENT = re.compile(
    r"\bnot agreed\b|\bno deal\b|\bif (?:we|you)\b|\bnever agreed\b|\bwhat we agreed\b|\bwe had agreed\b|\buntil\b|\bwhen we(?:['’]ve)? agreed\b",
    re.IGNORECASE,
)
_QUESTION_MAY = frozenset({"ask", "offer", "reconcile", "confront", "mediate", "warn", "argue", "present"})
_SENTENCE = re.compile(r"[^.!?…—]*(?:[.!?…—]+|$)")
_STOP = frozenset(
    "a an the and or but to of for from in into on onto at by with about over upon out up off down as is are was were be been "
    "being it its this that these those he she they him her them his their i you we me us my your our who what where when why "
    "how which will would can could should must may might shall do does did has have had not no so than then there here very "
    "really just also more most all each other again finally if because while own gives give makes make takes take".split()
)


def sentences(text: str, cut: bool = False) -> tuple[str, ...]:
    """The sentences of a line, verbatim. Of a line that was cut, the broken-off last one is left out."""
    found = [piece.strip() for piece in _SENTENCE.findall(text) if piece.strip()]
    return tuple(piece for piece in found if not (cut and piece.endswith("—")))


@lru_cache(maxsize=4096)
def shows(kind: str, sentence: str) -> bool:
    """Whether the sentence does a deed of this kind, by its form alone."""
    pattern = _FOUND.get(kind)
    if pattern is None or (sentence.endswith("?") and kind not in _QUESTION_MAY):
        return False
    denied = _DENIED.get(kind)
    return bool(pattern.search(sentence)) and not (denied and denied.search(sentence))


def assents(sentence: str, after_proposal: bool) -> bool:
    """Agreement to what was proposed. Mild words count only right behind a proposal."""
    if sentence.endswith("?") or _NOT_ASSENT.search(sentence):
        return False
    return bool(ASSENT.search(sentence)) or (after_proposal and bool(MILD_ASSENT.search(sentence)))


@lru_cache(maxsize=4096)
def content_words(text: str) -> frozenset[str]:
    """The words that carry the sense, in their base form."""
    words = re.findall(r"[^\W\d_]+", text.lower().replace("’", "'"))
    return frozenset(_stem(word) for word in words if word not in _STOP and len(word) > 2)


def _stem(word: str) -> str:
    if word.endswith("ing") and len(word) > 5:
        return base_of_gerund(word)
    if word.endswith("ly") and len(word) > 4:
        return word[:-2]
    past = base_of_past(word) if word.endswith("ed") or len(word) > 3 else word
    if past != word and (word.endswith("ed") or not word.endswith("s")) and len(past) > 1 and _is_known_past(word):
        return past
    return base_of_third(word) if word.endswith("s") and len(word) > 3 else word


def _is_known_past(word: str) -> bool:
    from dramaturg.kernel.models.rehearsal.verbs import is_past

    return is_past(word)


def overlap(wanted: frozenset[str], text: str) -> float:
    """The share of the wanted words that the text holds; 0 where nothing is wanted."""
    return len(wanted & content_words(text)) / len(wanted) if wanted else 0.0
