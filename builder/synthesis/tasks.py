"""What is asked of a language model: one task for each passage and prompt."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b, sha256
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from builder.errors import BuilderError
from builder.store.batches import batches
from builder.store.documents import documents_by_ids
from builder.store.queries import get_query
from builder.store.syntheses import TaskFields
from builder.synthesis.documents import choose_documents
from builder.synthesis.examples import OWN, ExamplePool, excerpt_of
from builder.synthesis.injection import neutralised, suspicious
from builder.synthesis.language_names import language_name
from builder.synthesis.passages import Passage, first_half, language_of, passages_of
from builder.synthesis.prompts import Prompt, load_prompts
from builder.workspace import Workspace
from evals.records import Document, Progress

if TYPE_CHECKING:
    from builder.synthesis.plan import SynthPlan

_BATCH = 200
_TITLE = 300
"""Characters of a title that are sent."""


TaskSpec: TypeAlias = TaskFields
"""One task. Its first ones cover the corpus, too; the seed is from 0 below 2^31; in `examples`
("", "2") is the third example of the prompt itself."""


@dataclass(frozen=True, slots=True)
class Tasks:
    """What a plan comes to.

    Attributes:
        specs: The tasks, by position.
        skipped: Reason -> documents that nothing can be asked of: empty, too_short.
        strata: {"stratum", "documents" (that can be asked of), "chosen"} of each.
        warnings: Sentences.
    """

    specs: tuple[TaskSpec, ...]
    skipped: dict[str, int]
    strata: tuple[dict[str, Any], ...]
    warnings: tuple[str, ...]


def make_tasks(workspace: Workspace, plan: "SynthPlan", progress: Progress | None = None) -> Tasks:
    """What this plan asks for on the corpus as it is; the same plan and corpus, the same tasks.

    Each document has its first task before any has its second, so that a run that a limit ends has
    covered the corpus as well as it could.

    Args:
        workspace: Whose corpus, prompts and grades.
        plan: What is asked for, model and parameters settled.
        progress: Hears how far it is; may raise to stop.

    Raises:
        BuilderError: There is no document that anything can be asked of, a prompt is unknown or no
            prompt, or the plan names a field that no document has.
        EvalsError: Clusters are asked for, and their encoder cannot be loaded.
    """
    prompts = _prompts(workspace, plan)
    choice = choose_documents(workspace, plan, progress)
    making = _Making(workspace, plan, prompts)
    specs: list[TaskSpec] = []
    for batch in batches(choice.documents, _BATCH):
        specs.extend(making.tasks_of(batch))
        if progress:
            progress("planning what is asked for", making.documents, len(choice.documents))
    turns = Counter[str]()
    order = []
    for spec in specs:
        order.append((turns[spec.doc_id], spec))
        turns[spec.doc_id] += 1
    order.sort(key=lambda one: one[0])
    placed = tuple(spec._replace(position=place) for place, (_, spec) in enumerate(order))
    return Tasks(placed, choice.skipped, choice.strata, (*choice.warnings, *making.warnings()))


class Writer:
    """Writes what is sent for a task; usable from several threads.

    Args:
        workspace: Whose documents and queries.
        prompts: Name -> prompt, of `load_prompts` or as a run kept them.
        plan: Of the run: how many queries a call asks for, and what else the answer depends on.
    """

    def __init__(
        self, workspace: Workspace, prompts: Mapping[str, Prompt], plan: "SynthPlan"
    ) -> None:
        self._workspace = workspace
        self._prompts = prompts
        self._plan = plan
        self._shown: dict[tuple[str, str], tuple[str, str]] = {}

    def messages_of(self, spec: TaskSpec) -> tuple[dict[str, str], ...]:
        """What is sent: [{"role", "content"}, …], system first.

        Raises:
            BuilderError: The document, the prompt or an example is not what it was when the task
                was made; the task cannot be asked any more.
        """
        messages = self.written(spec, self._document(spec))
        if self.request_hash(spec, messages) != spec.request_hash:
            raise _changed(f"the document {spec.doc_id!r}, its title, or a query of its examples")
        return messages

    def shorter(self, spec: TaskSpec) -> TaskSpec | None:
        """The task with the first half of its passage, after a context overflow; None: too short.

        Raises:
            BuilderError: As `messages_of`.
        """
        document = self._document(spec)
        half = first_half(document.text, (spec.first_character, spec.last_character))
        if half is None:
            return None
        return self.hashed(spec._replace(first_character=half[0], last_character=half[1]), document)

    def hashed(self, spec: TaskSpec, document: Document) -> TaskSpec:
        """The task with the hash of what it now asks for."""
        messages = self.written(spec, document)
        return spec._replace(request_hash=self.request_hash(spec, messages))

    def written(self, spec: TaskSpec, document: Document) -> tuple[dict[str, str], ...]:
        """What is sent for a task of this document, whatever its hash.

        Raises:
            BuilderError: The prompt or an example is not what it was.
        """
        prompt, examples = self._prompt(spec), self._examples(spec)
        passage = document.text[spec.first_character : spec.last_character]
        asked = _Asked(prompt, language_name(spec.language))
        in_text = examples if prompt.has_examples_as_text else []
        system, user = asked.of(passage, document.title, self._plan.per_call, in_text)
        turns = [] if prompt.has_examples_as_text else examples
        earlier = (message for query, excerpt in turns for message in asked.turn(query, excerpt))
        return (_message("system", system), *earlier, _message("user", user))

    def request_hash(self, spec: TaskSpec, messages: Sequence[Mapping[str, str]]) -> str:
        """SHA-256 of messages, seed, model, server and parameters."""
        plan = self._plan
        asked = {
            "messages": [dict(message) for message in messages],
            "seed": spec.seed,
            "per_call": plan.per_call,
            "model": plan.model,
            "base_url": plan.base_url,
            "temperature": plan.temperature,
            "max_tokens": plan.max_tokens,
        }
        return sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()

    def _document(self, spec: TaskSpec) -> Document:
        with self._workspace.store.read() as connection:
            found = documents_by_ids(connection, [spec.doc_id]).get(spec.doc_id)
        if found is None:
            raise _changed(f"the document {spec.doc_id!r}")
        return found

    def _prompt(self, spec: TaskSpec) -> Prompt:
        prompt = self._prompts.get(spec.prompt)
        if prompt is None or prompt.hash != spec.prompt_hash:
            raise _changed(f"the prompt {spec.prompt!r}")
        return prompt

    def _examples(self, spec: TaskSpec) -> list[tuple[str, str]]:
        """(query, excerpt) of each example."""
        own = self._prompt(spec).examples
        shown = []
        for query_id, name in spec.examples:
            if query_id == OWN:
                shown.append((own[int(name)].query, own[int(name)].document.strip()))
            else:
                shown.append(self._of_team(query_id, name))
        return shown

    def _of_team(self, query_id: str, doc_id: str) -> tuple[str, str]:
        if (query_id, doc_id) not in self._shown:
            with self._workspace.store.read() as connection:
                query = get_query(connection, query_id)
                document = documents_by_ids(connection, [doc_id]).get(doc_id)
            if query is None or document is None:
                raise _changed(f"the example {query_id!r}")
            self._shown[query_id, doc_id] = (query.text, excerpt_of(document.text))
        return self._shown[query_id, doc_id]


class _Making:
    """Makes the tasks of documents, one after the other."""

    def __init__(
        self, workspace: Workspace, plan: "SynthPlan", prompts: Mapping[str, Prompt]
    ) -> None:
        self.documents = 0
        self._workspace, self._plan, self._prompts = workspace, plan, prompts
        self._writer = Writer(workspace, prompts, plan)
        self._pool = ExamplePool(workspace, plan.seed)
        self._frequency = Counter(dict.fromkeys(plan.types, 0))
        self._suspects = 0

    def tasks_of(self, chosen: Sequence[tuple[str, str]]) -> list[TaskSpec]:
        """The tasks of these (doc_id, stratum), in their order; their positions are still 0."""
        with self._workspace.store.read() as connection:
            known = documents_by_ids(connection, [doc_id for doc_id, _ in chosen])
        specs: list[TaskSpec] = []
        for doc_id, stratum in chosen:
            if document := known.get(doc_id):
                specs.extend(self._of_document(document, stratum))
            self.documents += 1
        return specs

    def warnings(self) -> Iterator[str]:
        """What the tasks so far have told."""
        if self._suspects:
            hold = "document holds" if self._suspects == 1 else "documents hold"
            yield (
                f"{self._suspects:,} {hold} what looks like instructions to a model. It is sent as "
                "text between delimiters; look at what comes of it."
            )

    def _of_document(self, document: Document, stratum: str) -> Iterator[TaskSpec]:
        passages = self._passages(document)
        suspect = False
        # Without passages it was emptied in this moment.
        for turn, name in enumerate(self._types(document.doc_id) if passages else ()):
            passage = passages[self._turn(turn, len(passages)) % len(passages)]
            spec = self._task(document, passage, name, turn, stratum)
            suspect = suspect or bool(suspicious(f"{document.title}\n{_text(document, passage)}"))
            yield self._writer.hashed(spec, document)
        self._suspects += suspect

    def _passages(self, document: Document) -> list[Passage]:
        """In an order of chance, so that the first ones are from all over the text."""
        seed, doc_id = self._plan.seed, document.doc_id
        found = passages_of(document.text)
        return sorted(found, key=lambda passage: _number(seed, doc_id, f"at {passage[0]}"))

    def _turn(self, turn: int, passages: int) -> int:
        """Where there are too few passages each type has its turn with each, before any again."""
        if passages >= self._plan.per_document:
            return turn
        return turn % len(self._plan.types) + turn // len(self._plan.types)

    def _task(
        self, document: Document, passage: Passage, name: str, turn: int, stratum: str
    ) -> TaskSpec:
        language = language_of(_text(document, passage), self._workspace.settings.language)
        seed = _number(self._plan.seed, document.doc_id, f"{name} {turn}")
        prompt, wanted = self._prompts[name], self._plan.examples
        return TaskSpec(
            position=0,
            doc_id=document.doc_id,
            first_character=passage[0],
            last_character=passage[1],
            prompt=name,
            prompt_hash=prompt.hash,
            language=language,
            stratum=stratum,
            seed=seed,
            examples=self._pool.choose(prompt, document.doc_id, language, wanted, seed),
            request_hash="",
        )

    def _types(self, doc_id: str) -> list[str]:
        """One type for each task of a document: those that were asked for least, by chance."""
        all_of_them, some = divmod(self._plan.per_document, len(self._plan.types))
        least = sorted(
            self._plan.types,
            key=lambda name: (self._frequency[name], _number(self._plan.seed, doc_id, name)),
        )
        types = [*least * all_of_them, *least[:some]]
        self._frequency.update(types)
        return types


def _prompts(workspace: Workspace, plan: "SynthPlan") -> dict[str, Prompt]:
    prompts = load_prompts(workspace)
    for name in plan.types:
        if name not in prompts:
            raise BuilderError(
                f"there is no prompt {name!r}", hint=f"Prompts are {', '.join(sorted(prompts))}."
            )
    return prompts


class _Asked(NamedTuple):
    """What a prompt asks for in a language."""

    prompt: Prompt
    language: str

    def of(
        self, text: str, title: str, n: int, examples: Iterable[tuple[str, str]] = ()
    ) -> tuple[str, str]:
        """What system and user say of a document."""
        values = {
            "document": f"<document>\n{neutralised(text)}\n</document>",
            "title": f"<title>{neutralised(' '.join(title.split())[:_TITLE])}</title>",
            "language": self.language,
            "n": str(n),
            "examples": "\n\n".join(_as_text(*example) for example in examples),
        }
        return self.prompt.filled(values)

    def turn(self, query: str, excerpt: str) -> Iterator[dict[str, str]]:
        """An example as a turn of the conversation: what was asked, and a good answer."""
        yield _message("user", self.of(excerpt, "", 1)[1])
        yield _message("assistant", _answer(query))


def _message(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def _as_text(query: str, excerpt: str) -> str:
    shown = f"<excerpt>{neutralised(excerpt)}</excerpt>\n{_answer(query)}"
    return f"<example>\n{shown}\n</example>"


def _answer(query: str) -> str:
    return neutralised(json.dumps({"queries": [query]}, ensure_ascii=False))


def _text(document: Document, passage: Passage) -> str:
    return document.text[passage[0] : passage[1]]


def _number(seed: int, *names: str) -> int:
    """From 0 below 2^31, by seed and names alone."""
    named = "\0".join((str(seed), *names)).encode()
    return int.from_bytes(blake2b(named, digest_size=4).digest()) >> 1


def _changed(what: str) -> BuilderError:
    return BuilderError(
        f"{what} has changed since the run was planned",
        hint="What has been answered stays; ask for the rest in a new run.",
    )
