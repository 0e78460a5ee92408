"""A query that speaks of "the document" is no query; one about documents is."""

import pytest

from builder.synthesis.filters.refers_to_document import refers_to_document

GEARBOX = (
    "Change the oil of the gearbox every 40,000 kilometres. Der Ölwechsel steht im Wartungsplan."
)


@pytest.mark.parametrize(
    "text",
    [
        "What does the document say about gearbox oil?",
        "according to the text, how often is the oil changed",
        "how often is the oil changed in this passage",
        "What is the main topic of the article?",
        "gearbox oil as described in the above text",
        "what is the answer to this question",
        "Based on the passage, when is oil changed?",
        "What does the author recommend for the gearbox?",
        "which oil is mentioned in the text",
        "what is the document about",
        "What information is given in the following text?",
        "Was steht im Text über das Getriebeöl?",
        "Worum geht es in diesem Dokument?",
        "laut Artikel wie oft Öl wechseln",
        "Welche Ölsorte nennt dieser Abschnitt?",
        "Quel est le sujet de ce texte ?",
        "d\u2019après le document, quand vidanger la boîte",
        "¿Qué dice este artículo sobre el aceite?",
        "según el texto cuándo se cambia el aceite",
        "Secondo il testo, quando si cambia l'olio?",
        "de acordo com o texto quando trocar o óleo",
        "volgens de tekst wanneer olie verversen",
        "enligt texten när byter man olja",
        "o czym jest ten tekst",
        "bu metinde yağ ne zaman değişir",
        "\u043e чём говорится в этом тексте",
        "ما موضوع هذا النص",
        "この文書では何が説明されていますか",
        "本文によると交換時期はいつですか",
        "这篇文章讲了什么",
        "根据本文何时换油",
        "이 문서에서 설명하는 내용은",
    ],
)
def test_pointing_at_the_text_is_found(text: str) -> None:
    found = refers_to_document(text, GEARBOX)

    assert found is not None
    assert found.filter == "refers_to_document"


@pytest.mark.parametrize(
    "text",
    [
        "text editor",
        "document management software",
        "document.getElementById null",
        "which documents do I need for a passport",
        "I cannot open this document",
        "translate this text into Danish",
        "passage of time in physics",
        "article 5 gdpr",
        "plain text to pdf",
        "how often is gearbox oil changed",
        "Textbearbeitung Programm",
        "Dokument scannen Handy",
        "Artikelnummer finden",
        "traitement de texte gratuit",
        "gestión de documentos",
        "文書管理システム 比較",
        "日本文学 入門",
        "文档管理软件",
        "문서 편집기 추천",
        "text",
    ],
)
def test_asking_for_documents_is_no_reference(text: str) -> None:
    assert refers_to_document(text, GEARBOX) is None


@pytest.mark.parametrize(
    ("text", "passage"),
    [
        ("how do I sign the document", "Open the document, choose Sign, and confirm by PIN."),
        ("wie setze ich eine fussnote im text", "Eine Fussnote steht unter dem Text der Seite."),
        ("dans le document word, où est la règle", "La règle d'un document Word se règle ici."),
        ("文書内の検索", "文書を開いて検索キーを押します。"),
    ],
)
def test_a_passage_about_documents_explains_the_word(text: str, passage: str) -> None:
    assert refers_to_document(text, passage) is None
    assert refers_to_document(text, GEARBOX) is not None


def test_what_points_whatever_the_subject_is_found_in_a_passage_about_documents() -> None:
    passage = "Open the document, choose Sign, and confirm by PIN."

    assert refers_to_document("according to the document, how is it signed", passage) is not None
