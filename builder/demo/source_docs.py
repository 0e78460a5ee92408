"""Documents out of Python sources, which are parsed with `ast` and never imported."""

import ast
import sysconfig
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from builder.demo import module_choice
from builder.errors import BuilderError
from evals.records import Document

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef


@dataclass(slots=True)
class PublicModule:
    """A module as its users see it: what its own file and its parts define.

    Attributes:
        name: How it is imported.
        docstring: Its docstring, "" where it has none.
        listed: What the module's own `__all__` lists, as far as it is literal.
        definitions: Every function and class at the top level, hidden ones too.
        exported: The names that users may write, in the order of the sources.
        borrowed_docstrings: Function -> the function whose docstring it is given.
    """

    name: str
    docstring: str = ""
    listed: set[str] = field(default_factory=set)
    definitions: dict[str, Definition] = field(default_factory=dict)
    exported: list[str] = field(default_factory=list)
    borrowed_docstrings: dict[str, str] = field(default_factory=dict)

    def add_source(self, tree: ast.Module) -> None:
        """Take in the definitions of one file; what an earlier file defined stays."""
        listed = self.listed or _names_in_all(tree)
        for node in _statements(tree.body):
            if isinstance(node, Definition):
                self._define(node.name, node, listed)
            elif isinstance(node, ast.Assign):
                self._assign(ast.unparse(node.targets[0]), ast.unparse(node.value), listed)

    def _define(self, name: str, node: Definition, listed: set[str]) -> None:
        """Keep a definition, and whether users may write its name; the first one counts."""
        if name not in self.definitions:
            self.definitions[name] = node
            if not name.startswith("_") and (not listed or name in listed):
                self.exported.append(name)

    def _assign(self, name: str, value: str, listed: set[str]) -> None:
        """Keep `public = hidden_function` and `function.__doc__ = other.__doc__`."""
        function = self.definitions.get(value)
        if isinstance(function, Function) and name in listed and value not in self.exported:
            self._define(name, function, listed)
        elif name.endswith(".__doc__") and value.endswith(".__doc__"):
            lender = value.removesuffix(".__doc__").rpartition(".")[2]
            self.borrowed_docstrings[name.removesuffix(".__doc__")] = lender

    def docstring_of(self, name: str, node: Definition) -> str:
        """The docstring of a definition, its own or a borrowed one; "" where it has none."""
        lender = self.definitions.get(self.borrowed_docstrings.get(name, ""))
        return ast.get_docstring(node) or (ast.get_docstring(lender) if lender else None) or ""


def read_sources() -> Iterator[Document]:
    """One document per documented module, class, function, method and property in Python.

    Raises:
        BuilderError: This Python came without its sources.
    """
    root = Path(sysconfig.get_paths()["stdlib"])
    if not (root / "json" / "__init__.py").is_file():
        raise BuilderError(
            "this Python came without the sources of its standard library",
            where=str(root),
            hint="run the demo with a Python that has them, for example from python.org",
        )
    for name in _public_modules(root):
        yield from _documents(_read_module(root, name))


def _public_modules(root: Path) -> Iterator[str]:
    """Names of all modules whose sources are searched, in alphabetical order."""
    parts = {part for parts in module_choice.PARTS_OF.values() for part in parts}
    names = set(module_choice.PARTS_OF)
    for top in module_choice.modules_to_search():
        for path in [root / f"{top}.py", *(root / top).rglob("*.py")]:
            if path.is_file():
                names.add(_module_name(root, path))
    yield from sorted(n for n in names - parts if not module_choice.is_internal(n))


def _module_name(root: Path, path: Path) -> str:
    """The dotted name of the module in a file."""
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def _read_module(root: Path, name: str) -> PublicModule:
    """A module with its parts, as far as this Python has them."""
    module = PublicModule(name)
    for source in (name, *module_choice.PARTS_OF.get(name, ())):
        tree = _parse(root, source)
        if tree is not None:
            module.docstring = module.docstring or ast.get_docstring(tree) or ""
            if source == name:
                module.listed = _names_in_all(tree)
            module.add_source(tree)
    return module


def _parse(root: Path, name: str) -> ast.Module | None:
    """The syntax tree of a module, None where this Python has no such file."""
    stem = root.joinpath(*name.split("."))
    for path in (stem / "__init__.py", stem.with_suffix(".py")):
        if path.is_file():
            with warnings.catch_warnings():
                # A doubtful escape in a source of Python's own is not the user's concern.
                warnings.simplefilter("ignore")
                return ast.parse(path.read_bytes())
    return None


def _documents(module: PublicModule) -> Iterator[Document]:
    """The documents of one module: itself, then its definitions in the order of the sources."""
    if module.docstring:
        yield _document(module, module.name, module.name, module.docstring, "module")
    if module.name in module_choice.ONLY_NATIVE:
        return
    for name in module.exported:
        node = module.definitions[name]
        if module_choice.is_platform_dependent(module.name, name):
            continue
        if isinstance(node, ast.ClassDef):
            yield from _class_documents(module, node)
        else:
            yield from _function_documents(module, f"{module.name}.{name}", node)


def _class_documents(module: PublicModule, node: ast.ClassDef) -> Iterator[Document]:
    """The documents of a class and of its public members."""
    name = f"{module.name}.{node.name}"
    doc_id = module_choice.WRITTEN_AS.get(name, name)
    members = _members(module, node)
    makers = [members[name] for name in ("__init__", "__new__") if name in members]
    docstrings = [ast.get_docstring(each) for each in (node, *makers[:1])]
    title = f"{doc_id}({_arguments(makers[0], bound=True)})" if makers else doc_id
    text = "\n\n".join(docstring for docstring in docstrings if docstring)
    if text:
        yield _document(module, doc_id, title, text, "class")
    owner = module_choice.METHODS_WRITTEN_UNDER.get(name, doc_id)
    for member in members.values():
        if not member.name.startswith("_"):
            yield from _function_documents(module, f"{owner}.{member.name}", member, bound=True)


def _members(module: PublicModule, node: ast.ClassDef) -> dict[str, Function]:
    """The methods of a class, with those of bases that users never name.

    `argparse.ArgumentParser.add_argument` is defined in a hidden base; people know it by the
    class that they use.
    """
    members: dict[str, Function] = {}
    for statement in _statements(node.body):
        if isinstance(statement, Function):
            members.setdefault(statement.name, statement)
    for base in node.bases:
        hidden = module.definitions.get(base.id) if isinstance(base, ast.Name) else None
        if isinstance(hidden, ast.ClassDef) and hidden.name not in module.exported:
            for name, member in _members(module, hidden).items():
                members.setdefault(name, member)
    return members


def _function_documents(
    module: PublicModule, doc_id: str, node: Function, *, bound: bool = False
) -> Iterator[Document]:
    """The document of a function, method or property; nothing where it has no docstring."""
    docstring = module.docstring_of(doc_id.removeprefix(f"{module.name}."), node)
    if not docstring:
        return
    decorators = {ast.unparse(decorator).split("(")[0] for decorator in node.decorator_list}
    if any(name.endswith(("property", "SpecialForm")) for name in decorators):
        kind = "property" if bound else "class"
        yield _document(module, doc_id, doc_id, docstring, kind)
        return
    in_a_class = doc_id.rpartition(".")[0] != module.name
    title = f"{doc_id}({_arguments(node, bound=bound and 'staticmethod' not in decorators)})"
    yield _document(module, doc_id, title, docstring, "method" if in_a_class else "function")


def _arguments(node: Function, *, bound: bool) -> str:
    """The arguments as one writes them, without self or cls where the function is bound."""
    arguments = node.args
    if bound and (arguments.posonlyargs or arguments.args):
        unbound = arguments.posonlyargs or arguments.args
        first = unbound[0].arg
        # ast.unparse pairs defaults with the last arguments, so the first may simply go.
        kept = [each for each in unbound if each.arg != first]
        positional = bool(arguments.posonlyargs)
        arguments = ast.arguments(
            posonlyargs=kept if positional else [],
            args=arguments.args if positional else kept,
            vararg=arguments.vararg,
            kwonlyargs=arguments.kwonlyargs,
            kw_defaults=arguments.kw_defaults,
            kwarg=arguments.kwarg,
            defaults=arguments.defaults,
        )
    return ast.unparse(arguments)


def _document(module: PublicModule, doc_id: str, title: str, docstring: str, kind: str) -> Document:
    """A document of what a Python source defines."""
    return Document(doc_id, title, docstring, {"module": module.name, "kind": kind})


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a body, those under `if` and `try` too, without what is Windows only."""
    for node in body:
        if isinstance(node, ast.If):
            test = ast.unparse(node.test)
            windows = "win32" in test or "'nt'" in test or test == "_mswindows"
            yield from _statements(node.orelse if windows else [*node.body, *node.orelse])
        elif isinstance(node, ast.Try):
            branches = [node.body, node.orelse, *(handler.body for handler in node.handlers)]
            for branch in branches:
                yield from _statements(branch)
        else:
            yield node


def _names_in_all(tree: ast.Module) -> set[str]:
    """The names that `__all__` lists, piece by piece; none where it is computed as a whole."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and "__all__" in map(ast.unparse, node.targets):
            if not isinstance(node.value, ast.List | ast.Tuple):
                return set()
            names |= _literal_names(node.value)
        elif isinstance(node, ast.AugAssign) and ast.unparse(node.target) == "__all__":
            names |= _literal_names(node.value)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).startswith("__all__."):
            names |= {name for argument in node.args for name in _literal_names(argument)}
    return names


def _literal_names(node: ast.expr) -> set[str]:
    """The public names that are written out in an expression."""
    constants = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant))
    return {name for name in constants if isinstance(name, str) and not name.startswith("_")}
