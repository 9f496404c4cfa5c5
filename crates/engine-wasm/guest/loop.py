"""The event loop of a guest: asyncio without a selector.

Nothing in a guest can become ready by itself except timers. Everything else is
a host call, and the host says when one has been answered. So the loop never
blocks: `run_ready` runs what can run, and whoever called it asks the host next.
"""

import asyncio
import heapq
import sys
from asyncio import base_events
from time import monotonic

from _tidegate.calls import ToolCall

_enter_task = asyncio.tasks._enter_task
_leave_task = asyncio.tasks._leave_task
_set_running_loop = asyncio._set_running_loop
_get_running_loop = asyncio._get_running_loop

# Ten years, in seconds: longer than any program may rest. Whoever waits for ever is asked again then.
_FAR = 10 * 365 * 86400.0


class Loop(base_events.BaseEventLoop):
    """One per guest; it lives as long as the session does."""

    def __init__(self):
        super().__init__()
        # What finishes a nested wait; see `run_until_complete`. Set by the runtime.
        self.hold = None

    def time(self):
        return monotonic()

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass

    def enter(self):
        """Makes this the running loop. It stays that between steps too."""
        if _get_running_loop() is not self:
            _set_running_loop(self)
            sys.set_asyncgen_hooks(firstiter=self._asyncgen_firstiter_hook, finalizer=self._asyncgen_finalizer_hook)

    def run_ready(self):
        """Runs callbacks until none is ready and no timer is due."""
        ready = self._ready
        while True:
            if self._scheduled:
                self._move_due()
            if not ready:
                return
            for _ in range(len(ready)):
                handle = ready.popleft()
                if not handle._cancelled:
                    handle._run()

    def _move_due(self):
        scheduled = self._scheduled
        now = monotonic()
        while scheduled:
            first = scheduled[0]
            if first._cancelled:
                heapq.heappop(scheduled)
                first._scheduled = False
                self._timer_cancelled_count -= 1
            elif first._when <= now:
                heapq.heappop(scheduled)
                first._scheduled = False
                self._ready.append(first)
            else:
                return

    def wake_in(self):
        """Seconds until the next timer, or None. Never infinite, which JSON cannot say."""
        scheduled = self._scheduled
        while scheduled and scheduled[0]._cancelled:
            heapq.heappop(scheduled)._scheduled = False
            self._timer_cancelled_count -= 1
        return min(max(0.0, scheduled[0]._when - monotonic()), _FAR) if scheduled else None

    def run_until_complete(self, future):
        """Waits inside a plain function, as `asyncio.run` there asks for.

        The step cannot end while Python frames are on the stack, so this holds
        the guest where it is; the host is told so.
        """
        future = asyncio.ensure_future(future, loop=self)
        self.wait_here(future)
        return future.result()

    def wait_here(self, future):
        """Lets everything else go on until `future` is done."""
        current = asyncio.current_task(self)
        if current is not None:
            _leave_task(self, current)
        try:
            self.hold(future)
        finally:
            if current is not None:
                _enter_task(self, current)

    def create_task(self, coro, **options):
        """As usual; a tool call gets a coroutine of its own for every task."""
        if type(coro) is ToolCall:
            coro = _awaiting(coro)
        return super().create_task(coro, **options)

    def run_forever(self):
        raise RuntimeError("the sandbox runs its own event loop; await what you need instead")

    def run_in_executor(self, executor, func, *args):
        """There are no threads, so the work is done here and now."""
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:
            future.set_exception(error)
        return future

    def is_running(self):
        return True

    def call_exception_handler(self, context):
        """Says in one line what nobody asked about, without frames of ours."""
        error = context.get("exception")
        if error is None or issubclass(type(error), asyncio.CancelledError):
            return
        try:
            print(f"a task failed and nobody awaited it: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
        except BaseException:
            pass

    def close(self):
        pass

    def stop(self):
        pass


async def _awaiting(call):
    return await call


def _waiting_for_calls(wait):
    """`asyncio.wait` takes tasks only; a tool call is as good as one."""

    def wait_for_all(fs, **options):
        if not isinstance(fs, (asyncio.Future, ToolCall)):
            fs = [asyncio.ensure_future(one) if type(one) is ToolCall else one for one in fs]
        return wait(fs, **options)

    return wait_for_all


_wait = _waiting_for_calls(asyncio.wait)


def install(loop):
    """Makes `asyncio.run` and friends use the guest's one loop."""
    asyncio.wait = asyncio.tasks.wait = _wait

    def run(main, *, debug=None, loop_factory=None):
        if not asyncio.iscoroutine(main) and not hasattr(main, "__await__"):
            raise ValueError(f"a coroutine was expected, got {main!r}")
        return loop.run_until_complete(main)

    class Runner:
        """Runs coroutines one after another, all on the guest's one loop."""

        def __init__(self, *, debug=None, loop_factory=None):
            self._closed = False

        def __enter__(self):
            self.get_loop()
            return self

        def __exit__(self, *error):
            self.close()

        def get_loop(self):
            if self._closed:
                raise RuntimeError("Runner is closed")
            return loop

        def run(self, coro, *, context=None):
            self.get_loop()
            return run(coro) if context is None else context.run(run, coro)

        def close(self):
            self._closed = True

    asyncio.run = asyncio.runners.run = run
    asyncio.Runner = asyncio.runners.Runner = Runner
    for name in ("get_event_loop", "new_event_loop"):
        setattr(asyncio, name, lambda: loop)
        setattr(asyncio.events, name, lambda: loop)
    asyncio.set_event_loop = asyncio.events.set_event_loop = lambda loop: None
