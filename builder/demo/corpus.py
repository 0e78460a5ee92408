"""The corpus of the demo: the documentation of the Python that runs it.

Nothing of it is kept in the repository. Ids are dotted names, so that a grade given under one
version of Python holds under another that has the same name.
"""

from builder.demo import module_choice
from builder.demo.native_docs import read_native
from builder.demo.source_docs import read_sources
from evals.records import Document

LARGEST = 4_000
"""So many documents are wanted at most: two cores encode them in a minute or two."""


def build_corpus() -> list[Document]:
    """Documents sorted by id, 3,000 to 4,000; the same list on every run of one Python.

    The id is the dotted name as a programmer writes it, the title is the name with its
    signature, the text the docstring; metadata says the module and the kind (module, class,
    function, method, property). Python sources come first, C adds what they lack.

    Raises:
        BuilderError: This Python came without the sources of its standard library.
    """
    documents: dict[str, Document] = {}
    for document in (*read_sources(), *read_native()):
        if document.text.strip():
            documents.setdefault(document.doc_id, document)
    chosen = _fit(_without_repetitions(list(documents.values())))
    return sorted(chosen, key=lambda document: document.doc_id)


def _without_repetitions(documents: list[Document]) -> list[Document]:
    """The documents without those that say word by word what a better known namesake says.

    A namesake has the same last name and lies in the same top-level module: `socket.SocketType`
    repeats `socket.socket`; `lzma.LZMAFile.tell` stays beside `bz2.BZ2File.tell`.
    """
    best: dict[tuple[str, str, str], Document] = {}
    for document in sorted(documents, key=_renown):
        top_level = str(document.metadata["module"]).split(".")[0]
        name = document.doc_id.rpartition(".")[2]
        best.setdefault((document.text, name, top_level), document)
    return list(best.values())


def _renown(document: Document) -> tuple[bool, int, str]:
    """A key that sorts better known namesakes first; the shorter name wins by default."""
    known = document.doc_id.startswith(module_choice.BETTER_KNOWN)
    return not known, len(document.doc_id), document.doc_id


def _fit(documents: list[Document]) -> list[Document]:
    """The documents without those of less used modules, as many of these as must go."""
    for module in module_choice.LESS_USED:
        if len(documents) <= LARGEST:
            break
        documents = [each for each in documents if not _is_within(each, module)]
    return documents


def _is_within(document: Document, module: str) -> bool:
    """Whether a document belongs to a module or to a module inside it."""
    owner = str(document.metadata["module"])
    return owner == module or owner.startswith(f"{module}.")
