"""Text of documents that looks like instructions to a model, and how it is kept from being one."""


def suspicious(text: str) -> list[str]:
    """What in a text looks like instructions to a model, each in a few words; [] where nothing.

    Args:
        text: Of a document; the found words are quoted, so that what comes back is untrusted.
    """
    raise NotImplementedError


def neutralised(text: str) -> str:
    """The text in which nothing can pass for our delimiters or for a chat template's tags.

    Args:
        text: Of a document.
    """
    raise NotImplementedError
