"""The query speaks of "the document": who searches does not know that there is one.

Two kinds of phrases. The firm ones point at a text whatever it is about: "according to the text",
"this passage", "laut Artikel". The loose ones, "in the document" or "im Text", are what people
search for where documents and texts are the subject ("sign the document", "Fussnote im Text"), so
they count only where the passage does not use the word itself.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from builder.store.synthetic_queries import Finding

_DONE_TO = re.compile(
    r"\b(?:access|close|convert|copy|create|delete|download|edit|encrypt|export|find|forward|import"
    r"|lock|merge|open|paste|print|protect|read|remove|rename|replace|save|scan|send|share|sign"
    r"|store|submit|translate|unlock|upload)\s*$",
    re.IGNORECASE,
)
"""What people do to a document that is theirs: "I cannot open this document"."""

_APOSTROPHES = {0x2019: "'", 0x2BC: "'"}

_EN = "(?:document|passage|text|article|excerpt|paragraph|snippet|context)"
_POINTED = "(?:above|following|given|provided|attached|present|preceding|aforementioned)"
_SAYS = "(?:sa(?:y|id)|mention|describe|state|explain|discuss|recommend|suggest|talk)(?:e?s|e?d)?"
_NORSE = "(?:te(?:x|ks)t(?:en)?|dokument(?:et)?|arti[ck]\\w+)"

FIRM: Final[Sequence[str]] = (
    # English
    rf"\b(?:according to|as (?:\w+ )?in) (?:the|this|that)(?: {_POINTED})? {_EN}\b",
    r"\bbased on (?:the|this|that) (?:document|passage|article|excerpt|paragraph|snippet)\b",
    rf"\b(?:the|this) {_POINTED} (?:{_EN}|information|section|question|statement)\b",
    r"\b(?:this|that|the) (?:excerpt|snippet)\b|\b(?:this|that) (?:passage|paragraph)\b",
    r"\bthis (?:document|article|text)\b(?! (?:editor|box|field|file|string|type)\b)",
    r"\bthe passage\b(?! (?:of|through|from|between|to)\b)",
    rf"\b(?:the|this) {_EN} {_SAYS}\b",
    rf"\b(?:the|this) (?:author|writer) (?:of (?:the|this) {_EN}|{_SAYS})\b",
    rf"\b(?:do|does|did) (?:the|this) (?:author|writer|passage) {_SAYS}\b",
    r"\banswer (?:to )?(?:the|this|your) question\b",
    rf"\b(?:mentioned|described|stated|discussed|explained) in (?:the|this) {_EN}\b",
    rf"\b(?:topic|idea|point|gist|summary|theme) of (?:the|this) {_EN}\b",
    # German
    r"\b(?:laut|gem(?:ä|ae)(?:ß|ss)) (?:dem |diesem )?(?:text|dokument|artikel|auszug)\b",
    r"\bdiese[rsmn]? (?:textes?|dokument(?:s|es)?|artikels?|auszugs?|abschnitts?|passage)\b",
    r"\b(?:im|des|der|dem|das) (?:vorliegende|obige|gegebene|folgende)[nrsm]? "
    r"(?:text|dokument|artikel|auszug|abschnitt)e?s?\b",
    # French
    r"\b(?:selon|d'après) (?:l[ea] |cet? |l')(?:texte|document|passage|article|extrait)\b",
    r"\bcet? (?:texte|document|passage|article|extrait|paragraphe)\b",
    r"\b(?:texte|document|passage|extrait) (?:ci-dessus|ci-dessous|suivant|fourni)\b",
    # Spanish
    r"\b(?:según|de acuerdo con) (?:el|este|ese) (?:texto|documento|pasaje|artículo|fragmento)\b",
    r"\b(?:este|dicho) (?:texto|documento|pasaje|artículo|fragmento|párrafo)\b",
    # Italian
    r"\b(?:secondo|in base a)l? (?:il |questo |l')?(?:testo|documento|brano|articolo)\b",
    r"\bquest[o'] ?(?:testo|documento|brano|articolo|passaggio|paragrafo)\b",
    # Portuguese
    r"\b(?:segundo|conforme|de acordo com) (?:o|este|esse) (?:texto|documento|artigo|trecho)\b",
    r"\b[nd]?es[ts]e (?:texto|documento|artigo|trecho|parágrafo)\b",
    # Dutch
    r"\bvolgens (?:de|het|deze|dit) (?:tekst|document|artikel|passage)\b",
    r"\b(?:deze|dit) (?:tekst|document|artikel|passage|alinea)\b",
    # Danish, Norwegian, Swedish
    rf"\b(?:enligt|(?:i )?følge|ifølge|den här|denn[ae]|dett[ae]) {_NORSE}\b",
    # Polish, Czech
    r"\b(?:według|zgodnie z|ten|tym|tego) (?:tego )?(?:tekst|tekści|dokumen[tc]|artykuł)\w*",
    r"\b(?:podle|v tomto|tento) (?:text|dokument|člán)\w*",
    # Turkish
    r"\bbu (?:metin|metne|makale)\w*|\b(?:metne|makaleye) göre\b",
    # Russian
    r"\b(?:согласно|по) (?:этому |данному )?(?:тексту|документу|отрывку)\b",
    r"\b(?:этот|этом|этого|данный|данном|данного) (?:текст|документ|отрыв)\w*",
    # Arabic
    r"(?:هذا|هذه|بهذا|لهذا) (?:النص|المستند|المقال|الوثيقة|الفقرة)",
    r"وفق[اًا]+ ل(?:ل|هذا ال)(?:نص|مستند)",
    # Japanese
    r"(?:この|(?<!日)本|上記の?|次の|以下の|与えられた)(?:文書|文章|ドキュメント|テキスト|記事|段落|資料)",
    r"(?:文書|文章|ドキュメント|テキスト|記事|本文|資料)(?:によると|によれば|に基づ|で述べ|に書かれ|に記載)",
    # Chinese
    r"(?:[这這该該此]|上述|以上|下列)[篇个個份段]?(?:文章|文档|文檔|文本|段落|短文)",
    r"(?:根据|根據|按照)(?:本文|上文|原文|文中|文档|文檔|文本|文章)",
    # Korean
    r"(?<!\w)(?:이|위|다음|해당|주어진) ?(?:문서|글|텍스트|기사|지문|본문)[에은는의를을가이]",
    r"(?:문서|텍스트|기사|지문|본문)에 (?:따르면|의하면|나온|언급)",
)
"""Always a reference."""

LOOSE: Final[Sequence[tuple[str, str]]] = (
    (r"\bthe (?:document|article)\b", "document|article"),
    (r"\b(?:in|from|of|by|on) the (?:text|paragraph|context)\b", r"\btext|\bparagraph|\bcontext"),
    (
        r"\b(?:im|aus dem|in dem|das|der) (?:text|dokument|artikel|abschnitt)\b",
        "text|dokument|artikel|abschnitt",
    ),
    (r"\b(?:du|le|l') ?(?:texte|document|passage|extrait)\b", "text|document|passage|extrait"),
    (r"\b(?:del|el) (?:texto|documento|pasaje)\b", "text|document|pasaje"),
    (r"\b(?:nel|del|il) (?:testo|documento|brano)\b", "test[oi]|document|brano"),
    (r"\b(?:no|do|o) (?:texto|documento|trecho)\b", "text|document|trecho"),
    (r"\b(?:in|uit) (?:de|het) (?:tekst|document)\b", "tekst|document"),
    (r"\bi (?:texten|teksten|dokumentet)\b", "te(?:x|ks)t|dokument"),
    (r"\bw (?:tekście|dokumencie)\b", "tekst|dokument"),
    (r"\bв (?:тексте|документе|отрывке)\b", "текст|документ|отрыв"),
    ("(?:文書|文章|本文)(?:中|内|では|には)", "文書|文章|本文"),
    ("(?<!日)本文(?!学|化)|文[档檔]中|(?:^|在)文中(?:的|提|所|$)", "文中|本文|文[档檔]"),
)
"""A phrase, and the words by which a passage shows that such things are its subject."""

_FIRM = re.compile("|".join(FIRM), re.IGNORECASE)
_LOOSE = [
    (re.compile(phrase, re.IGNORECASE), re.compile(subject, re.IGNORECASE))
    for phrase, subject in LOOSE
]


def refers_to_document(text: str, passage: str = "") -> Finding | None:
    """Whether the query points at the text that it was written for.

    Args:
        text: The query.
        passage: What the model saw of the document.
    """
    said = unicodedata.normalize("NFC", text).translate(_APOSTROPHES)
    for found in _FIRM.finditer(said):
        if not _DONE_TO.search(said[: found.start()]):
            return _finding(found.group())
    for phrase, subject in _LOOSE:
        loosely = phrase.search(said)
        if loosely and not subject.search(passage):
            return _finding(loosely.group())
    return None


def _finding(phrase: str) -> Finding:
    return Finding("refers_to_document", f"it speaks of {phrase.strip()!r}")
