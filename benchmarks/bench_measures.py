"""Measures against bare pytrec_eval, the same measures, in one run.

10,000 queries with 100 retrieved and 6 judged documents each. `score` adds to what pytrec_eval
gives: MRR@k, judged@k, means with intervals, and missing queries. Bar: at most 2 x.
"""

import gc
import random
import time
from collections.abc import Callable

import pytrec_eval

from evals.measures import CUTOFFS, score

QUERIES = 10_000
RETRIEVED = 100
JUDGED = 6
REPEATS = 7
BAR = 2.0


def collection() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    chance = random.Random(7)
    docs = [f"document-{number:04}" for number in range(1000)]
    qrels = {
        f"q{number}": {doc: chance.randrange(4) for doc in chance.sample(docs, JUDGED)}
        for number in range(QUERIES)
    }
    run = {
        query: {doc: chance.random() for doc in chance.sample(docs, RETRIEVED)} for query in qrels
    }
    return qrels, run


def bare(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> object:
    depths = ",".join(map(str, CUTOFFS))
    wanted = {f"{name}.{depths}" for name in ("ndcg_cut", "recall", "P", "map_cut")}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, wanted | {"map", "recip_rank", "bpref"})
    return evaluator.evaluate(run)


def seconds(function: Callable[[], object]) -> float:
    gc.collect()
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def main() -> None:
    qrels, run = collection()
    score(qrels, {})  # imports are not measured
    # Alternating, so that a busy machine slows both alike; the best of each counts.
    pairs = [
        (seconds(lambda: bare(qrels, run)), seconds(lambda: score(qrels, run)))
        for _ in range(REPEATS)
    ]
    peer, ours = (min(column) for column in zip(*pairs, strict=True))
    print(f"measures, {QUERIES:,} queries x {RETRIEVED} documents")
    print(f"  pytrec_eval  {peer:6.3f} s")
    print(f"  score        {ours:6.3f} s   {ours / peer:.2f} x (bar {BAR} x)")


if __name__ == "__main__":
    main()
