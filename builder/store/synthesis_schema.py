"""The tables of what a language model writes: runs, tasks, the ledger of calls, validations.

A part of the schema of workbench.db, on the same metadata as the others.
"""

from sqlalchemy import (
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from builder.store.schema import deed_columns, metadata

__all__ = [
    "llm_calls",
    "llm_rungs",
    "metadata",
    "syntheses",
    "synthesis_tasks",
    "synthetic_queries",
    "validation_queries",
    "validations",
]

# One run of a language model over documents; its plan is in `parameters`.
syntheses = Table(
    "syntheses",
    metadata,
    Column("synthesis_id", Integer, primary_key=True),
    *deed_columns(),
    # Made by whoever starts it: the same token again starts nothing.
    Column("token", String(64), unique=True),
    # ready: planned, nothing sent; running; stopped: why is in `reason`; done.
    Column("state", String(16), nullable=False, server_default="ready"),
    Column("reason", Text, nullable=False, server_default=""),
    CheckConstraint("state IN ('ready', 'running', 'stopped', 'done')", name="syntheses_state"),
)

# What a synthesis asks for: each task is one passage of a document and one prompt.
synthesis_tasks = Table(
    "synthesis_tasks",
    metadata,
    Column("task_id", Integer, primary_key=True),
    Column("synthesis_id", ForeignKey("syntheses.synthesis_id"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("doc_key", ForeignKey("documents.doc_key"), nullable=False),
    # The passage, in characters of the document's text: from the first, before the last.
    Column("first_character", Integer, nullable=False),
    Column("last_character", Integer, nullable=False),
    Column("prompt", String(64), nullable=False),
    Column("prompt_hash", String(64), nullable=False),
    # ISO 639-1 code in which the query is asked for.
    Column("language", String(16), nullable=False),
    # Which part of the corpus the document was chosen from.
    Column("stratum", Text, nullable=False),
    Column("seed", Integer, nullable=False),
    # [[query_id, doc_id], …] of the pairs that are shown as examples, as JSON; ["", "2"] is the
    # third example of the prompt itself.
    Column("examples", Text, nullable=False, server_default="[]"),
    # SHA-256 of all that the answer may depend on.
    Column("request_hash", String(64), nullable=False),
    # waiting: wants an answer; answered; failed: asked as often as it is worth.
    Column("state", String(16), nullable=False, server_default="waiting"),
    UniqueConstraint("synthesis_id", "position", name="synthesis_tasks_position"),
    CheckConstraint("state IN ('waiting', 'answered', 'failed')", name="synthesis_tasks_state"),
    Index("synthesis_tasks_by_state", "synthesis_id", "state", "position"),
    Index("synthesis_tasks_by_document", "doc_key"),
)

# The ledger: a row before each request goes out, its outcome after. A row without an outcome whose
# run has ended is "unknown": it may have been paid for.
llm_calls = Table(
    "llm_calls",
    metadata,
    Column("call_id", Integer, primary_key=True),
    Column("task_id", ForeignKey("synthesis_tasks.task_id"), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("sent_at", String(32), nullable=False),
    # json_schema, json_object or plain: how an answer of our form was asked for.
    Column("rung", String(16), nullable=False),
    Column("seed", Integer, nullable=False, server_default="0"),
    # What was sent, in bytes, which no count of its tokens exceeds, and how long its answer may be
    # in tokens: together what the call can take at most.
    Column("request_bytes", Integer, nullable=False, server_default="0"),
    Column("max_tokens", Integer, nullable=False, server_default="0"),
    Column("answered_at", String(32)),
    # Null while nothing is known of it.
    Column("outcome", String(24)),
    Column("message", Text, nullable=False, server_default=""),
    Column("status", Integer),
    Column("model_served", Text),
    Column("finish_reason", String(32)),
    Column("prompt_tokens", Integer),
    Column("completion_tokens", Integer),
    Column("cached_tokens", Integer),
    # In the currency of the price table; null where the price or the tokens are unknown.
    Column("cost", Float),
    Column("milliseconds", Integer),
    # What the server answered, as it stands; untrusted.
    Column("answer", Text),
    UniqueConstraint("task_id", "attempt", name="llm_calls_attempt"),
    Index("llm_calls_by_outcome", "outcome"),
)

# Every query that a model wrote, kept and rejected ones alike.
synthetic_queries = Table(
    "synthetic_queries",
    metadata,
    Column("candidate_id", Integer, primary_key=True),
    Column("call_id", ForeignKey("llm_calls.call_id"), nullable=False),
    Column("task_id", ForeignKey("synthesis_tasks.task_id"), nullable=False),
    Column("ordinal", Integer, nullable=False),
    # As the model wrote it; untrusted.
    Column("text", Text, nullable=False),
    # Null until the filters have seen it.
    Column("verdict", String(16)),
    # [{"filter", "detail"}, …] why it was rejected; the same of what only was noticed, as JSON.
    Column("reasons", Text, nullable=False, server_default="[]"),
    Column("flags", Text, nullable=False, server_default="[]"),
    # What the filters measured, such as its rank in a retriever, as a JSON object.
    Column("measured", Text, nullable=False, server_default="{}"),
    # Null until somebody reviewed it.
    Column("review", String(16)),
    Column("reviewed_at", String(32)),
    Column("reviewed_by", Text),
    # What a reviewer made of it; null where it stands as it was written.
    Column("edited_text", Text),
    # The query of the set that it became.
    Column("query_key", ForeignKey("queries.query_key")),
    UniqueConstraint("call_id", "ordinal", name="synthetic_queries_ordinal"),
    CheckConstraint("verdict IN ('kept', 'rejected')", name="synthetic_queries_verdict"),
    CheckConstraint("review IN ('accepted', 'rejected')", name="synthetic_queries_review"),
    Index("synthetic_queries_by_task", "task_id"),
    Index("synthetic_queries_by_query", "query_key"),
    Index("synthetic_queries_by_state", "verdict", "review"),
)

# Which server and model takes which form of asking for JSON.
llm_rungs = Table(
    "llm_rungs",
    metadata,
    Column("endpoint", Text, primary_key=True),
    Column("rung", String(16), nullable=False),
    Column("noted_at", String(32), nullable=False),
)

# One drawing of synthetic queries that experts grade blind.
validations = Table(
    "validations",
    metadata,
    Column("validation_id", Integer, primary_key=True),
    *deed_columns(),
)

# All synthetic queries that a validation speaks of, drawn and not drawn.
validation_queries = Table(
    "validation_queries",
    metadata,
    Column("validation_id", ForeignKey("validations.validation_id"), primary_key=True),
    Column("query_key", ForeignKey("queries.query_key"), primary_key=True),
    # The pair of the query and the document that it was written for, and the grade it came with.
    Column("pair_id", ForeignKey("pairs.pair_id"), nullable=False),
    Column("grade", Integer, nullable=False),
    # What the query said then: experts speak of this text only.
    Column("text", Text, nullable=False),
    Column("stratum", Text, nullable=False),
    # 1 where it was drawn, and the chance with which it was.
    Column("drawn", Integer, nullable=False),
    Column("inclusion_probability", Float, nullable=False),
    Index("validation_queries_by_pair", "pair_id"),
)
