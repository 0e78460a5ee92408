"""One session of a run: asks the model for what waits, in several threads, until it must stop."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from builder.errors import BuilderError
from builder.store import Connection
from builder.store.llm_calls import UNREACHABLE, Answer, Intent, add_call, finish_call
from builder.store.syntheses import note_task, shorten_task
from builder.store.synthetic_queries import add_candidates
from builder.synthesis.budget import CAP_CALLS, CAPS, Budget, Tokens, least_of, most_of, told_by
from builder.synthesis.ledger import Ledger
from builder.synthesis.llm import Limiter, LLMClient, Reply, Request, remember_rung
from builder.synthesis.plan import MOST_SEED
from builder.synthesis.prompts import response_schema
from builder.synthesis.reactions import (
    BAD_ANSWERS,
    LONGEST_WAIT_SECONDS,
    Failures,
    Ladder,
    Step,
    pause_before,
    step_after,
)
from builder.synthesis.tasks import TaskSpec, Writer
from builder.synthesis.waiting import Task, WaitingTasks
from builder.workspace import Workspace
from evals.records import Progress

CANCELLED, FAILURES, TOO_LONG = "cancelled", "failures", "rate_limited"
ERROR = "error"
_LOOK_SECONDS = 0.1
_WORTH_TELLING_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Manner:
    """How a run asks, the same for all of its calls.

    Attributes:
        per_call: How many queries a call is asked for.
        temperature: 0 to 2.
        max_tokens: How long an answer may be.
        concurrency: How many calls may be on their way at once.
    """

    per_call: int
    temperature: float
    max_tokens: int
    concurrency: int


class Asking:
    """A session: `ask()` once.

    Attributes:
        stopped: Why it stopped, a word of ours; None where it asked for all that waited.
        unaskable: Why tasks could not be asked for at all, a sentence each.
        left: Tasks that the server did not answer, as often as they were asked for.
        sent: Calls that were made, or tried.
        passed_over: Tasks whose call might have passed a limit.
        needed: The least that one of these can take at most; None where there is none.
    """

    def __init__(  # noqa: PLR0913 - a session is all of that
        self,
        workspace: Workspace,
        tasks: list[Task],
        manner: Manner,
        *,
        client: LLMClient,
        writer: Writer,
        budget: Budget,
        rung: str,
    ) -> None:
        self.stopped: str | None = None
        self.unaskable: list[str] = []
        self.left = self.sent = self.passed_over = 0
        self.needed: Tokens | None = None
        self._manner = manner
        self._client, self._writer, self._budget = client, writer, budget
        self._waiting = WaitingTasks(tasks)
        self._total, self._ended = len(tasks), 0
        self._ladder, self._remembered = Ladder(rung), rung
        self._limiter = Limiter(manner.concurrency)
        self._failures = Failures(manner.concurrency)
        self._schema = response_schema(manner.per_call)
        self._least = least_of(self._schema, manner.max_tokens)
        self._ledger = Ledger(workspace.store)
        self._stop = threading.Event()
        self._leaving = threading.Semaphore(0)
        self._lock = threading.Lock()
        self._on_their_way = 0
        self._full: str | None = None
        self._error: BaseException | None = None

    def ask(
        self, progress: Progress | None = None, waiting_for: Callable[[int], None] | None = None
    ) -> Self:
        """Ask for everything that waits, and return when all that came is on the disk.

        Args:
            progress: Hears how far it is; what it raises stops the sending, and goes on when what
                was on its way has been recorded. So does a KeyboardInterrupt.
            waiting_for: Hears at a KeyboardInterrupt how many answers on their way are waited for,
                if any; another one leaves them.

        Raises:
            BuilderError: The answers could not be written.
        """
        threads = [
            threading.Thread(target=self._work, name=f"asking-{n}", daemon=True)
            for n in range(min(self._manner.concurrency, self._total))
        ]
        with self._ledger:
            try:
                for thread in threads:
                    thread.start()
                self._watch(len(threads), progress)
            except BaseException as stop:
                self._halt(CANCELLED)
                if isinstance(stop, KeyboardInterrupt) and waiting_for and self._on_their_way:
                    waiting_for(self._on_their_way)
                raise
            finally:
                self._stop.set()
                for thread in threads:
                    thread.join()
        if self._error is not None:
            raise self._error
        if self.stopped is None:
            self.stopped = self._full or (FAILURES if self.left else None)
        return self

    def _watch(self, workers: int, progress: Progress | None) -> None:
        # Not by join(timeout): Ctrl-C within it has Python 3.11 take a living thread for a dead
        # one (bpo-45274), and what is on its way would be waited for no more.
        for _ in range(workers):
            while not self._leaving.acquire(timeout=_LOOK_SECONDS):
                self._report(progress)
        self._report(progress)

    def _report(self, progress: Progress | None) -> None:
        if progress is None:
            return
        pause = self._limiter.pause_left
        waits = f"waiting {pause:.0f} s, as the server wants" if pause else ""
        told = waits if pause > _WORTH_TELLING_SECONDS else "asking the model"
        progress(told, self._ended, self._total)

    def _halt(self, reason: str) -> None:
        """Let nothing more be sent; the first reason stands."""
        with self._lock:
            self.stopped = self.stopped or reason
        self._stop.set()

    # In the threads

    def _work(self) -> None:
        try:
            while (task := self._waiting.take(self._stop)) is not None:
                self._ask_for(task)
        except BaseException as error:  # noqa: BLE001 - raised again by who waits for the threads
            self._error = self._error or error
            self._halt(ERROR)
        finally:
            self._leaving.release()

    def _ask_for(self, task: Task) -> None:
        with self._limiter.slot(self._stop) as is_held:
            request = self._request(task) if is_held else None
            sent = None if request is None else self._send(task, request)
        if sent is None:
            self._waiting.done()
        else:
            self._react(task, *sent)

    def _request(self, task: Task) -> Request | None:
        """What is sent for a task; None where it cannot be asked for any more."""
        try:
            messages = self._writer.messages_of(task.spec)
        except BuilderError as error:
            self._give_up(task, error.message)
            return None
        return Request(
            messages=messages,
            schema=self._schema,
            temperature=self._manner.temperature,
            max_tokens=self._manner.max_tokens,
            seed=(task.spec.seed + task.answered_badly) % (MOST_SEED + 1),
        )

    def _send(self, task: Task, request: Request) -> tuple[int, str, Reply] | None:
        """Reserve, write the intent, send; the call's key, its rung and what came of it."""
        most = most_of(request)
        refused = self._budget.reserve(most, self._stop)
        if refused is not None:
            self._pass_over(most, refused)
            return None
        rung = self._ladder.rung
        task.attempts += 1
        intent = Intent(
            task.task_id, task.attempts, rung, request.seed or 0, most.prompt, most.completion
        )
        call_id = self._ledger.write(lambda connection: self._intend(connection, intent))
        if call_id is None:
            self._budget.release(most)
            return None
        self._count_sent(1)
        try:
            reply = self._client.send(request, rung)
        finally:
            self._count_sent(-1)
        if reply.outcome == UNREACHABLE:
            self._budget.release(most)
        else:
            self._budget.settle(most, *told_by(reply))
        # While the slot is held: nobody takes it before all have been slowed down.
        self._pace(reply)
        return call_id, rung, reply

    def _count_sent(self, change: int) -> None:
        with self._lock:
            self._on_their_way += change
            self.sent += change > 0

    def _pass_over(self, most: Tokens, refused: str) -> None:
        """A call does not fit beside what is spent: others may, until none can."""
        if refused not in CAPS:
            return self._halt(CANCELLED)
        with self._lock:
            self._full = self._full or refused
            self.passed_over += 1
            if self.needed is None or most.total < self.needed.total:
                self.needed = most
        if refused == CAP_CALLS or not self._budget.fits(self._least):
            self._halt(refused)
        return None

    def _intend(self, connection: Connection, intent: Intent) -> int | None:
        """Write an intent, unless the run has stopped meanwhile.

        A limit that another call would pass is no reason: this one was reserved within it.
        """
        is_over = self._stop.is_set() and self.stopped not in CAPS
        return None if is_over else add_call(connection, intent)

    def _react(self, task: Task, call_id: int, rung: str, reply: Reply) -> None:
        """Have the outcome written, then let the task go where it belongs."""
        step = self._step(task, rung, reply)
        shorter = self._shorter(task) if step == "shorter" else None
        if step == "shorter" and shorter is None:
            step = "failed"
        self._record(task, call_id, reply, step, shorter)
        if step in ("again", "shorter"):
            times = task.outcomes[reply.outcome]
            task.spec = shorter or task.spec
            self._waiting.put_back(task, pause_before(reply.outcome, times))
        else:
            self._waiting.done()
            with self._lock:
                self._ended += step != "stop"
                self.left += step == "left"
        if reply.outcome not in ("unsupported", UNREACHABLE):
            self._waiting.open_up()

    def _step(self, task: Task, rung: str, reply: Reply) -> Step:
        outcome = reply.outcome
        task.outcomes[outcome] += 1
        task.answered_badly += outcome in BAD_ANSWERS
        if outcome == "unsupported":
            return self._leave_rung(rung)
        self._learn(rung, outcome)
        step = step_after(outcome, task.outcomes[outcome])
        if step == "stop":
            self._halt(outcome)
        elif why := self._failures.stop_for(outcome):
            self._halt(why)
        return step

    def _leave_rung(self, rung: str) -> Step:
        with self._lock:
            is_another = self._ladder.step_down(rung)
        if is_another:
            return "again"
        self._halt("rejected")
        return "stop"

    def _learn(self, rung: str, outcome: str) -> None:
        """What an answer says of the rung by which it was asked for."""
        with self._lock:
            if outcome == "bad_json":
                self._ladder.note_bad(rung)
            is_news = outcome == "ok" and self._ladder.note_good(rung)
        if is_news and rung != self._remembered:
            self._remembered = rung
            self._ledger.write_later(
                lambda connection: remember_rung(connection, self._client.endpoint, rung)
            )

    def _pace(self, reply: Reply) -> None:
        if reply.outcome == "ok":
            self._limiter.ease()
        elif reply.outcome == UNREACHABLE:
            # All wait, not only this task: the next one would be refused as well.
            self._limiter.slow_down(pause_before(UNREACHABLE, self._failures.unreachable + 1))
        elif reply.outcome == "rate_limited" or reply.retry_after is not None:
            if (reply.retry_after or 0.0) > LONGEST_WAIT_SECONDS:
                self._halt(TOO_LONG)
            else:
                self._limiter.slow_down(reply.retry_after)

    def _shorter(self, task: Task) -> TaskSpec | None:
        try:
            return self._writer.shorter(task.spec)
        except BuilderError:
            return None

    def _give_up(self, task: Task, why: str) -> None:
        self._ledger.write_later(lambda connection: note_task(connection, task.task_id, "failed"))
        with self._lock:
            self.unaskable.append(why)
            self._ended += 1

    def _record(
        self, task: Task, call_id: int, reply: Reply, step: Step, shorter: TaskSpec | None
    ) -> None:
        """The outcome, its candidates and the state of the task, all in one transaction."""
        answer = self._answer(reply)
        texts = _texts(reply.payload) if reply.outcome == "ok" else []

        def write(connection: Connection) -> None:
            finish_call(connection, call_id, answer)
            add_candidates(connection, call_id, task.task_id, texts)
            if step in ("answered", "failed"):
                note_task(connection, task.task_id, step)
            if shorter is not None:
                shorten_task(connection, task.task_id, shorter)

        self._ledger.write_later(write)

    def _answer(self, reply: Reply) -> Answer:
        prompt, completion = told_by(reply)
        return Answer(
            outcome=reply.outcome,
            message=reply.message,
            status=reply.status,
            model_served=reply.model_served,
            finish_reason=reply.finish_reason,
            prompt_tokens=prompt,
            completion_tokens=completion,
            cached_tokens=reply.cached_tokens,
            cost=self._budget.cost_of(prompt, completion),
            milliseconds=reply.milliseconds,
            answer=reply.text,
        )


def _texts(payload: Mapping[str, Any] | None) -> list[str]:
    return [str(text) for text in (payload or {}).get("queries", [])]
