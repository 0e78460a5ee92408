"""Documents of what is written in C: built-in functions, types, extension modules."""

import builtins
import enum
import importlib
import inspect
import re
import types
from collections.abc import Iterator
from typing import Any

from builder.demo import module_choice
from evals.records import Document

_DESCRIPTORS = (types.GetSetDescriptorType, types.MemberDescriptorType)
_BOUND_ARGUMENT = re.compile(r"^\((?:self|type|cls|\$\w+)\b(?:, /(?=[,)]))?(?:, )?")
_FEWEST_WORDS = 4
_NOT_BUILTINS = frozenset({"copyright", "credits", "exit", "license", "quit"})


def read_native() -> Iterator[Document]:
    """One document per documented public name in C, module by module."""
    for module_name in module_choice.NATIVE_MODULES:
        try:
            module = importlib.import_module(module_name)
        except ImportError:
            # A Python may be built without, say, ssl: its documents are then absent, and the
            # demo counts the graded pairs that it has to drop.
            continue
        yield from _module_documents(module)


def _module_documents(module: types.ModuleType) -> Iterator[Document]:
    """The documents of a module and of what it holds that is not written in Python."""
    if module.__doc__:
        yield _document(
            module.__name__, module.__name__, inspect.cleandoc(module.__doc__), "module"
        )
    for name in _public_names(module):
        member = _original(module, name)
        if module is not builtins and getattr(builtins, name, None) is member:
            continue  # io.open is open
        doc_id = name if module is builtins else f"{module.__name__}.{name}"
        if inspect.isclass(member) and _belongs(module, name, member):
            yield from _class_documents(module.__name__, doc_id, member)
        elif inspect.isbuiltin(member) or _is_wrapper(module, member):
            yield from _function_documents(module.__name__, doc_id, member, "function")


def _original(module: types.ModuleType, name: str) -> Any:
    """The member as Python came with it: sys.excepthook may be somebody's, not Python's."""
    if name.endswith("hook"):
        return getattr(module, f"__{name}__", getattr(module, name))
    return getattr(module, name)


def _is_wrapper(module: types.ModuleType, member: object) -> bool:
    """Whether a member is a function of the module, as signal.signal, which borrows C's words."""
    return inspect.isfunction(member) and member.__module__ == module.__name__


def _public_names(module: types.ModuleType) -> list[str]:
    """The names a module offers, sorted, without those of one operating system."""
    names = getattr(module, "__all__", None) or dir(module)
    return sorted(
        name
        for name in set(names) - _NOT_BUILTINS
        if not name.startswith("_")
        and hasattr(module, name)
        and not module_choice.is_platform_dependent(module.__name__, name)
    )


def _belongs(module: types.ModuleType, name: str, cls: type) -> bool:
    """Whether a class is the module's own: no import, no second name, no table of constants."""
    second_name = name != cls.__name__ and getattr(module, cls.__name__, None) is cls
    if second_name or issubclass(cls, enum.Enum):
        return False
    owner = cls.__module__
    if owner == "builtins":
        return module is builtins or getattr(builtins, cls.__name__, None) is not cls
    return owner in {module.__name__, "posix"} or owner.startswith("_")


def _class_documents(module: str, doc_id: str, cls: type) -> Iterator[Document]:
    """The documents of a class and of its public members that are written in C."""
    docstring = cls.__dict__.get("__doc__")
    if isinstance(docstring, str):
        title = doc_id if issubclass(cls, BaseException) else _title(doc_id, cls, docstring)
        yield _document(doc_id, title, inspect.cleandoc(docstring), "class", module)
    repeated = _members_repeated_elsewhere(doc_id)
    for name, member in sorted(_native_members(cls).items()):
        if name in repeated:
            continue
        if isinstance(member, _DESCRIPTORS):
            yield from _property_documents(module, f"{doc_id}.{name}", member)
        else:
            bound = getattr(cls, name)
            yield from _function_documents(module, f"{doc_id}.{name}", bound, "method")


def _members_repeated_elsewhere(doc_id: str) -> set[str]:
    """Names of the members that a better known class has as well."""
    better_known = module_choice.NATIVE_REPETITIONS.get(doc_id)
    if better_known is None:
        return set()
    module, _, name = better_known.rpartition(".")
    return set(dir(getattr(importlib.import_module(module or "builtins"), name)))


def _native_members(cls: type) -> dict[str, Any]:
    """Public members of a class, with those of hidden bases such as `_socket.socket`."""
    members: dict[str, Any] = {}
    for owner in cls.__mro__:
        hidden = owner.__module__.startswith("_") and owner is not cls
        if owner is cls or (hidden and owner.__name__.startswith(("_", cls.__name__))):
            for name, member in vars(owner).items():
                if not name.startswith("_") and _is_native(member):
                    members.setdefault(name, member)
    return members


def _is_native(member: object) -> bool:
    """Whether a member of a class is a documented routine or attribute written in C."""
    routines = (
        types.MethodDescriptorType,
        types.ClassMethodDescriptorType,
        types.BuiltinFunctionType,
    )
    inner = getattr(member, "__func__", member)
    return isinstance(inner, (*routines, *_DESCRIPTORS))


def _function_documents(module: str, doc_id: str, function: Any, kind: str) -> Iterator[Document]:
    """The document of a routine; nothing where it has no docstring."""
    docstring = inspect.getdoc(function)
    if docstring:
        title = _title(doc_id, function, docstring)
        yield _document(doc_id, title, docstring, kind, module)


def _property_documents(module: str, doc_id: str, member: Any) -> Iterator[Document]:
    """The document of an attribute; nothing where its docstring hardly says more than its name."""
    docstring = member.__doc__
    if docstring and len(docstring.split()) >= _FEWEST_WORDS:
        yield _document(doc_id, doc_id, inspect.cleandoc(docstring), "property", module)


def _title(doc_id: str, member: Any, docstring: str) -> str:
    """The name with its signature: as inspect sees it, or as the docstring begins."""
    try:
        signature = str(inspect.signature(member))
    except (TypeError, ValueError):
        signature = getattr(member, "__text_signature__", None) or ""
    if not signature:
        return doc_id + _written_arguments(doc_id, docstring)
    arguments = _BOUND_ARGUMENT.sub("(", " ".join(signature.split()).split(" -> ")[0])
    return doc_id + arguments.replace("=<unrepresentable>", "=...")


def _written_arguments(doc_id: str, docstring: str) -> str:
    """The arguments that the first line of a docstring shows, or empty parentheses."""
    name = re.escape(doc_id.rpartition(".")[2])
    first_line = docstring.partition("\n")[0]
    found = re.search(rf"\b{name}(\([^()]*(?:\([^()]*\)[^()]*)*\))", first_line)
    return found[1] if found else "()"


def _document(
    doc_id: str, title: str, docstring: str, kind: str, module: str | None = None
) -> Document:
    """A document of what is written in C."""
    return Document(doc_id, title, docstring, {"module": module or doc_id, "kind": kind})
