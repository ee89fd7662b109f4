"""Many questions at once: a fixed set of workers draws from the queue, results stand where their questions stood."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from ..schemas.errors import Exam2BenchError
from .asking import Asker
from .call_order import CallQueue
from .outcome import Outcome
from .request import Question

OnDone = Callable[[int, Outcome], None]


async def run_live(
    asker: Asker,
    questions: Sequence[Question],
    workers: int,
    on_done: OnDone,
    *,
    repeat_major: bool = False,
    lead: bool = True,
) -> None:
    """Ask all questions, at most `workers` at once; `on_done(index, outcome)` is called as each ends.

    Where the run cannot go on (budget, key), calls in flight are finished, since they are paid for; then the error
    is raised.
    """
    queue = CallQueue(questions, lead=lead, repeat_major=repeat_major)
    changed = asyncio.Condition()
    stop: list[Exam2BenchError] = []

    async def work() -> None:
        while not stop:
            index = queue.take()
            if index is None:
                if not queue.waiting:
                    return
                async with changed:
                    # a leader may have ended between the look and the lock
                    await changed.wait_for(lambda: queue.ready or not queue.waiting or bool(stop))
                continue
            try:
                on_done(index, await asker.ask(questions[index]))
            except Exam2BenchError as error:
                stop.append(error)
            queue.done(index)
            async with changed:
                changed.notify_all()

    async with asyncio.TaskGroup() as group:
        for _ in range(min(workers, len(questions))):
            group.create_task(work())
    if stop:
        raise stop[0]
