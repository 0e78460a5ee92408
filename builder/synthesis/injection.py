"""Text of documents that looks like instructions to a model, and how it is kept from being one.

What is found is told to people, and decides nothing by itself: a manual may well say "ignore the
instructions above". What could end our delimiters or pass for a role is another matter: a chat
server that turns text into tokens may take "<|im_start|>" of a document for the real thing.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

TAGS: Final = ("document", "title", "example", "excerpt")
"""Our delimiters, as <document> and </document>; documents never hold them."""
MOST_FOUND = 20
"""Of one text."""
_QUOTED = 80
"""Characters of what was found that are told."""

_UNSEEN = "\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
_HIDDEN = re.compile("[\U000e0000-\U000e007f]+")
_REVERSED = re.compile("[\u202d\u202e]")
_NOT_SHOWN = re.compile(f"[{_UNSEEN}\U000e0000-\U000e007f]+")

# Letters that look like these, fullwidth ones too, are taken for them.
_ALIKE: Final = {"c": "\u0441", "e": "\u0435", "o": "\u043e", "p": "\u0440", "x": "\u0445"}
_OPENERS = r"(?:[<\uff1c\ufe64]|&lt;|&#0*60;|&#x0*3c;)"


def _spelt(word: str) -> str:
    """A pattern for a word however its letters look, and whatever unseen stands between them."""
    letters = (f"[{c}{chr(ord(c) + 0xFEE0)}{_ALIKE.get(c, '')}]" for c in word)
    return f"[{_UNSEEN}]*".join(letters)


def _own(*tags: str) -> str:
    return rf"{_OPENERS}[\s/\uff0f\\{_UNSEEN}]*(?:{'|'.join(map(_spelt, tags))})"


_OWN = re.compile(_own(*TAGS), re.IGNORECASE)
_OPENER = re.compile(_OPENERS, re.IGNORECASE)
# A page of HTML has a title, too.
_FORGED = re.compile(_own(*(tag for tag in TAGS if tag != "title")) + r"\b", re.IGNORECASE)
_ROLE = r"<[|\uff5c][^|\uff5c<>\n]{1,40}[|\uff5c]>|<</?SYS>>|</?(?:start|end)_of_turn>"
_FORGED_ROLE = re.compile(_ROLE, re.IGNORECASE)
# Some of these are HTML as well, so that they tell nothing.
_ANGLED = re.compile(
    rf"{_ROLE}|</?s>|<(?:bos|eos|pad|unk)>|</?(?:think|tool_call|tool_response)>", re.IGNORECASE
)
_BRACKETED = re.compile(
    r"\[(/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|gMASK))\]", re.IGNORECASE
)
_TO_GUILLEMETS = str.maketrans("<>", "\u2039\u203a")

_ALL = r"(?:all|any|every|each|your|the|these|those|of|and|previous|prior|above|earlier|preceding)"
_ORDERS = r"(?:instructions?|prompts?|rules?|directions?|guidelines?|commands?|orders?|directives?)"
_ANWEISUNGEN = r"(?:anweisung|instruktion|befehl|regel|vorgabe|prompt|aufforderung|anleitung)\w*"
_IGNORIERE = r"(?:ignorier\w*|vergiss|vergessen|missacht\w*|übergeh\w*|verwirf\w*)"
_FRUEHERE = r"(?:alle[nrs]?|sämtliche\w*|\w*vorherig\w*|bisherig\w*|obig\w*|vorig\w*|deine)"
_IGNOREZ = (
    r"(?:ignor(?:e[rz]?|ez|ons)|oubli(?:e[rz]?|ons)|négligez?|ne\s+\w+\s+(?:pas|aucun)\s+compte"
    r"|fai(?:s|tes)\s+abstraction)"
)
_CONSIGNES = r"(?:instructions?|consignes?|directives?|ordres?|règles?)"
_IGNORA = (
    r"(?:ignor\w+|olvid\w+|descart\w+|omit\w+|hag?\w*\s+caso\s+omiso|dimentic\w+|desconsider\w+"
    r"|esque[cç]\w+|negeer|vergeet)"
)
_INDICACIONES = (
    r"(?:instrucci\w+|indicaci\w+|órdenes|reglas|directrices|istruzioni|regole|instruç\w+"
    r"|regras|instructies|opdrachten)"
)

# What is found; parts of words without which it is not there, as a look for them is cheap; and how
# it reads. Every gap is bounded: the time is linear in the length of the text.
_PATTERNS: Final = tuple(
    (what, tuple(needed.split()), re.compile(pattern, re.IGNORECASE))
    for what, needed, pattern in (
        (
            "tells to ignore instructions",
            "ignor disregard forget override bypass follow",
            rf"\b(?:ignor(?:e|ing)|disregard|forget|override|bypass|do\s+not\s+follow|don't\s+follow)"
            rf"(?:\s+{_ALL},?){{1,8}}\s+{_ORDERS}\b"
            r"|\b(?:ignore|disregard|forget)\s+(?:everything|anything|all|what)\b.{0,20}"
            r"\b(?:above|before|previous\w*|earlier|so\s+far|told)\b",
        ),
        (
            "tells to ignore instructions",
            "ignorier vergiss vergessen missacht übergeh verwirf",
            rf"\b{_IGNORIERE}\b.{{0,40}}\b{_FRUEHERE}.{{0,40}}\b{_ANWEISUNGEN}"
            rf"|\b{_FRUEHERE}.{{0,40}}\b{_ANWEISUNGEN}.{{0,30}}\b{_IGNORIERE}",
        ),
        (
            "tells to ignore instructions",
            "ignor oubli néglig compte abstraction",
            rf"\b{_IGNOREZ}\b.{{0,40}}\b{_CONSIGNES}\b.{{0,20}}"
            r"\b(?:précédent\w*|antérieur\w*|ci-dessus|qui\s+précèdent)"
            rf"|\b{_IGNOREZ}\b.{{0,10}}\b(?:toutes|tous|tes|vos|ces)\b.{{0,20}}\b{_CONSIGNES}\b",
        ),
        (
            "tells to ignore instructions",
            "ignor olvid descart omit caso dimentic desconsider esque negeer vergeet",
            rf"\b{_IGNORA}\b.{{0,40}}\b{_INDICACIONES}\b",
        ),
        (
            "tells to ignore instructions",
            "игнор забуд",
            r"\b(?:игнорир|проигнор|забуд)\w*.{0,40}(?:инструкц|указан|команд|правил)",
        ),
        (
            "tells to ignore instructions",
            "無視 忘れ 従わ",
            # Japanese: former, all … / orders, prompt, rules … / ignore, forget, do not obey.
            "(?:以前|これまで|上記|すべて|全て|先ほど|今まで|前).{0,12}(?:指示|命令|プロンプト|ルール|指令).{0,10}(?:無視|忘れ|従わ)",
        ),
        (
            "tells to ignore instructions",
            "忽略 忽视 忽視 无视 無視 忘记 忘記 忘掉 理会",
            # Chinese: ignore, forget … / former, all … / orders, prompts, rules.
            "(?:忽略|忽视|忽視|无视|無視|忘记|忘記|忘掉|不要理会).{0,12}(?:之前|以前|上面|以上|先前|前面|所有|全部).{0,10}(?:指令|指示|提示|命令|规则|規則|要求)",
        ),
        (
            "tells to ignore instructions",
            "무시 잊",
            # Korean: former, all … / orders, prompt, rules … / ignore, forget.
            "(?:이전|위의|앞의|모든|지금까지).{0,12}(?:지시|명령|프롬프트|규칙|지침)"
            ".{0,10}(?:무시|잊)",
        ),
        (
            "asks for the prompt",
            "prompt instructions",
            r"\b(?:reveal|print|repeat|show|output|leak|display|tell\s+me)\b.{0,30}"
            r"\b(?:system\s+prompt|your\s+(?:\w+\s+)?(?:instructions|prompt)|hidden\s+prompt)",
        ),
        (
            "gives a model a role",
            "you du tu ahora act pretend mode",
            r"\byou\s+are\s+now\s+(?:an?|in|the|my|no\s+longer)\b|\bfrom\s+now\s+on,?\s+you\b"
            r"|\bact\s+as\s+(?:if\s+you\b|an?\s+(?:\w+\s+)?(?:ai|assistant|chatbot|model)\b)"
            r"|\bpretend\s+(?:to\s+be|that\s+you|you)\b|\bdu\s+bist\s+(?:jetzt|nun|ab\s+jetzt)\s"
            r"|\btu\s+es\s+(?:maintenant|désormais)\b|\bahora\s+eres\b"
            r"|\b(?:developer|jailbreak|dan)\s+mode\b",
        ),
        (
            "speaks to a model",
            "ai llm assistant chat claude gemini model",
            r"\b(?:dear|attention|hey|hello|note\s+to|message\s+to|instructions?\s+(?:to|for))"
            r"(?:\s+(?:the|all|any|an|every))?[\s:,]+(?:ai|llms?|ai\s+\w+|assistants?|chatbots?"
            r"|chatgpt|claude|gemini|(?:large\s+)?language\s+models?)\b"
            r"|\bif\s+you\s+are\s+(?:an?\s+)?(?:ai|llm|(?:large\s+)?language\s+model|chatbot)\b"
            r"|\bas\s+an\s+ai\s+(?:language\s+)?model\b",
        ),
        (
            "gives new instructions",
            "instruc prompt override message anweisung consigne 指示 指令",
            r"\b(?:new|updated|real|actual|important)\s+(?:system\s+)?instructions?\s*:"
            r"|\bsystem\s+(?:prompt|override|message)\s*:|\bneue\s+anweisung(?:en)?\s*:"
            r"|\bnouvelles?\s+(?:instructions?|consignes?)\s*:|\bnuevas?\s+instrucci\w+\s*:"
            "|新しい指示|新的?指令",
        ),
        (
            "dictates the answer",
            "respond reply answer write say output antworte schreib",
            r"\b(?:respond|reply|answer|write|say|output)\s+(?:only|just|exactly|nothing\s+but)\s+"
            r"(?:with\s+)?(?:the\s+(?:word|text|phrase|sentence)\b|[\"'\u201c\u2018])"
            r"|\b(?:antworte|schreibe?)\s+(?:nur|ausschließlich)\s+(?:mit|das\s+wort)\b",
        ),
        (
            "plays a part in the conversation",
            "",
            r"(?:^|\n)[ \t]{0,8}(?:\#{2,4}[ \t]{0,4}(?:system|instructions?|assistant|response|user"
            r"|human|input)\b[ \t]{0,4}:?[ \t]{0,4}(?:\n|$)|(?:system|assistant|human)[ \t]{0,4}:)",
        ),
    )
)


def suspicious(text: str) -> list[str]:
    """What in a text looks like instructions to a model, each in a few words; [] where nothing.

    The time is linear in the length of the text; at most `MOST_FOUND` are told, each once.

    Args:
        text: Of a document; the found words are quoted, so that what comes back is untrusted.
    """
    found = dict.fromkeys(_hidden(text))
    plain = text
    if not text.isascii():
        plain = _NOT_SHOWN.sub("", unicodedata.normalize("NFKC", text))
    lower = plain.lower()
    for what, needed, pattern in _PATTERNS:
        if not needed or any(part in lower for part in needed):
            matches = pattern.finditer(plain)
            found |= dict.fromkeys(f"{what}: {_quote(match[0])}" for match in matches)
    return list(found)[:MOST_FOUND]


def neutralised(text: str) -> str:
    """The text in which nothing can pass for our delimiters or for a chat template's tags.

    Their brackets become others; characters that nobody sees and that can hold text are left out.
    All else stays as it is.

    Args:
        text: Of a document.
    """
    text = _HIDDEN.sub("", text)
    text = _OWN.sub(lambda match: _OPENER.sub("\u2039", match[0], count=1), text)
    text = _ANGLED.sub(lambda match: match[0].translate(_TO_GUILLEMETS), text)
    return _BRACKETED.sub(r"(\1)", text)


def _hidden(text: str) -> Iterator[str]:
    """Forged delimiters, tags of roles, and text that nobody sees."""
    for what, pattern in (
        ("forges our delimiters", _FORGED),
        ("forges a role", _FORGED_ROLE),
        ("forges a role", _BRACKETED),
    ):
        yield from (f"{what}: {_quote(match[0])}" for match in pattern.finditer(text))
    if match := _HIDDEN.search(text):
        unseen = "".join(chr(ord(c) - 0xE0000) for c in match[0] if ord(c) >= 0xE0020)
        yield f"holds text that nobody sees: {_quote(unseen)}"
    if _REVERSED.search(text):
        yield "holds text that is shown in another order than it is read"


def _quote(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _QUOTED else f"{words[:_QUOTED]} \u2026"
