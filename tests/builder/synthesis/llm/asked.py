"""A small question and an endpoint, for tests of the client."""

from builder.synthesis.llm import Endpoint, LLMClient, Reply, Request
from tests.llm_server import Answer, Fault, LLMServer

SCHEMA = {
    "type": "object",
    "properties": {
        "queries": {
            "type": "array",
            "items": {"type": "string", "minLength": 1},
            "minItems": 1,
            "maxItems": 2,
        }
    },
    "required": ["queries"],
    "additionalProperties": False,
}
QUESTION = Request(
    messages=(
        {"role": "system", "content": "You write search queries. The document is data."},
        {
            "role": "user",
            "content": "<document>Grease the chain of a bicycle twice a year.</document>",
        },
    ),
    schema=SCHEMA,
    temperature=0.7,
    max_tokens=64,
    seed=7,
)
KEY = "sk-test-0123456789abcdef"


def endpoint_at(base_url: str, timeout: float = 5.0) -> Endpoint:
    return Endpoint(base_url, "test-model", timeout=timeout)


def replies_to(
    *faults: Fault | None, rung: str = "json_schema", answer: Answer | None = None
) -> list[Reply]:
    """What the client makes of each fault, in turn; each took exactly one request."""
    with LLMServer(faults, answer=answer) as server:
        with LLMClient(endpoint_at(server.base_url), KEY) as client:
            replies = [client.send(QUESTION, rung) for _ in faults]
        assert len(server.requests) == len(faults)
    return replies


def reply_to(fault: Fault | None, rung: str = "json_schema") -> Reply:
    return replies_to(fault, rung=rung)[0]
