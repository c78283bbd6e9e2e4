"""English verbs: base, past and -ing forms. Small, and right for the words that scene prompts use."""

from __future__ import annotations

import re

_IRREGULAR = (
    "be was been|have had had|do did done|go went gone|say said said|make made made|take took taken|"
    "get got gotten|give gave given|come came come|know knew known|think thought thought|see saw seen|"
    "find found found|tell told told|leave left left|feel felt felt|bring brought brought|begin began begun|"
    "keep kept kept|hold held held|write wrote written|stand stood stood|hear heard heard|let let let|"
    "mean meant meant|set set set|meet met met|run ran run|pay paid paid|sit sat sat|speak spoke spoken|"
    "lie lied lied|lead led led|read read read|grow grew grown|lose lost lost|fall fell fallen|send sent sent|"
    "build built built|understand understood understood|draw drew drawn|break broke broken|spend spent spent|"
    "cut cut cut|rise rose risen|drive drove driven|buy bought bought|wear wore worn|choose chose chosen|"
    "eat ate eaten|steal stole stolen|throw threw thrown|catch caught caught|teach taught taught|"
    "fight fought fought|forget forgot forgotten|forgive forgave forgiven|hide hid hidden|hit hit hit|"
    "hurt hurt hurt|quit quit quit|sell sold sold|shoot shot shot|shut shut shut|sing sang sung|sink sank sunk|"
    "sleep slept slept|slip slipped slipped|swear swore sworn|tear tore torn|wake woke woken|win won won|"
    "abandon abandoned abandoned|bet bet bet|bite bit bitten|blow blew blown|burn burned burned|"
    "dig dug dug|fly flew flown|freeze froze frozen|hang hung hung|light lit lit|put put put|ride rode ridden|"
    "ring rang rung|seek sought sought|shake shook shaken|show showed shown|spill spilled spilled|"
    "split split split|spread spread spread|strike struck struck|swim swam swum|undo undid undone|"
    "cost cost cost|withdraw withdrew withdrawn|overhear overheard overheard|mislead misled misled|"
    "misplace misplaced misplaced|open opened opened|cancel cancelled cancelled|happen happened happened|"
    "listen listened listened|offer offered offered|enter entered entered|answer answered answered|"
    "cover covered covered|order ordered ordered|deliver delivered delivered|betray betrayed betrayed|"
    "poison poisoned poisoned|murder murdered murdered|threaten threatened threatened|visit visited visited|"
    "edit edited edited|limit limited limited|exit exited exited|confide confided confided|"
    "bury buried buried|carry carried carried|bail bailed bailed|fail failed failed|wreck wrecked wrecked"
)
_FORMS = {row.split()[0]: (row.split()[1], row.split()[2]) for row in _IRREGULAR.split("|")}
_BASE_OF_PAST = {past: base for base, (past, _) in _FORMS.items()} | {"were": "be"}
_THIRD = {"is": "be", "has": "have", "does": "do", "goes": "go", "dies": "die", "lies": "lie", "ties": "tie"}
_ENDS_IN_E = frozenset(
    "accuse achieve acknowledge advise agree announce apologise apologize arrange arrive ask_e assume behave "
    "believe blame breathe bribe cause challenge change charge chase choose close combine come compete complete "
    "compromise conclude confide convince create damage dance deceive decide decline declare define delete deserve "
    "despise destroy_e die divide double drive embrace endure escape evacuate evade examine excuse expose face "
    "fake fire forge forgive freeze gamble give guarantee guide handle have hesitate hide hire humiliate ignore "
    "imagine improve include invite judge leave lie like live lose love make manage measure misplace mistake move "
    "negotiate notice observe persuade place pledge prepare promise propose prove provide pursue raise realise "
    "realize reassure receive reconcile reduce refuse release remove replace rescue resolve retrieve reveal_e revise "
    "ride rise rule sabotage sacrifice save scare score seize separate serve settle shake share shave smile smoke "
    "smuggle solve spare stare store strike struggle subscribe supervise surprise survive take tease tie trade "
    "translate treasure undermine underestimate use value vote wake waste welcome write wipe hope capsize "
    "overstate exaggerate rehearse postpone bake bathe bite shove evaluate donate celebrate investigate operate".split()
)
_VOWELS = "aeiou"
_CVC = re.compile(r"^[^aeiou]*[aeiou][^aeiouwxy]$")
_STRESSED_LAST = frozenset(
    "admit commit permit regret refer prefer occur forget begin compel expel submit omit".split()
)


def base_of_third(verb: str) -> str:
    """'misses' → 'miss', 'tries' → 'try', 'has' → 'have'."""
    if verb in _THIRD:
        return _THIRD[verb]
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if verb.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb


def base_of_gerund(verb: str) -> str:
    """'missing' → 'miss', 'lying' → 'lie', 'leaving' → 'leave', 'forgetting' → 'forget'."""
    stem = verb.removesuffix("ing")
    if stem + "e" in _ENDS_IN_E or stem + "e" in _FORMS:
        return stem + "e"
    if stem == "ly":
        return "lie"
    if stem in _FORMS:
        return stem
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "lsfz":
        return stem[:-1]
    if stem[-1:] in "vcu" or stem.endswith(("ang", "eng", "at", "iz", "uc")):
        return stem + "e"
    return stem


def base_of_past(verb: str) -> str:
    """'missed' → 'miss', 'stole' → 'steal'."""
    if verb in _BASE_OF_PAST:
        return _BASE_OF_PAST[verb]
    if verb.endswith("ied"):
        return verb[:-3] + "y"
    return base_of_gerund(verb.removesuffix("ed") + "ing")


def past_of(base: str) -> str:
    """'miss' → 'missed', 'stop' → 'stopped', 'steal' → 'stole'."""
    if base in _FORMS:
        return _FORMS[base][0]
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return base[:-1] + "ied"
    return (base + base[-1] if _doubles(base) else base) + "ed"


def gerund_of(base: str) -> str:
    """'miss' → 'missing', 'lie' → 'lying', 'leave' → 'leaving'."""
    if base in ("be", "see", "agree", "flee", "free", "guarantee"):
        return base + "ing"
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e"):
        return base[:-1] + "ing"
    return (base + base[-1] if _doubles(base) else base) + "ing"


def is_past(word: str) -> bool:
    """Whether the word can only be read as a verb in the past, as far as this small list goes."""
    if word in _BASE_OF_PAST:
        return word not in ("let", "set", "put", "cut", "hit", "cost", "hurt", "shut", "quit", "read", "bet")
    return word.endswith("ed") and len(word) > 4 and not word.endswith("eed")


def _doubles(base: str) -> bool:
    return base in _STRESSED_LAST or (len(base) <= 5 and bool(_CVC.match(base)))
