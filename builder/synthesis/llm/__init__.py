"""A language model behind an OpenAI-compatible server: one request, one typed reply."""

from builder.synthesis.llm.client import LLMClient
from builder.synthesis.llm.endpoints import Endpoint, endpoint_of, key_from
from builder.synthesis.llm.limiter import Limiter
from builder.synthesis.llm.prices import Price, price_of
from builder.synthesis.llm.records import OUTCOMES, RUNGS, Reply, Request, next_rung
from builder.synthesis.llm.rungs import remember_rung, remembered_rung

__all__ = [
    "OUTCOMES",
    "RUNGS",
    "Endpoint",
    "LLMClient",
    "Limiter",
    "Price",
    "Reply",
    "Request",
    "endpoint_of",
    "key_from",
    "next_rung",
    "price_of",
    "remember_rung",
    "remembered_rung",
]
