"""Runs inside of a Python target before its program, by PYTHONPATH. Writes each garbage collection that takes long
enough to matter, the sums of all others, and what blocks an event loop of asyncio, into a file of its own beside
this one. Nothing here may ever disturb the program."""

import sys


def _observe():
    import gc
    import json
    import os
    import time

    # Shorter collections are only summed up.
    shortest_ms = 0.1
    # A collection that takes this long is written at once; others wait until this much time has passed.
    long_ms = 5
    flush_ms = 250
    most = 200
    # A turn of an event loop that takes this long is a stall, which blocks everything that comes meanwhile.
    stall_ms = 10
    # The shortest time between two readings of a thread's CPU time, because a reading takes longer than many turns.
    cpu_each_ms = 1
    folder = os.path.dirname(os.path.abspath(__file__))
    offset_ms = 1000 * (time.time() - time.perf_counter())
    state = {}

    def now():
        return 1000 * time.perf_counter()

    def reset():
        state.update(collections=[], stalls=[], more=[0, 0.0], flushed=now())

    def write(record):
        os.write(state["file"], (json.dumps(record) + "\n").encode())

    def begin():
        path = os.path.join(folder, "%d.jsonl" % os.getpid())
        state["file"] = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        state["start"] = None
        reset()
        write({"pid": os.getpid(), "runtime": "python %d.%d.%d" % sys.version_info[:3]})

    def flush(at):
        # Another thread may flush while this one writes.
        done = dict(state)
        reset()
        write({
            "at": offset_ms + at,
            "forMs": max(0, at - done["flushed"]),
            "collections": done["collections"],
            "more": done["more"],
            "stalls": done["stalls"],
            "delay": None,
            "utilization": None,
            "heap": None,
        })

    def on_collection(phase, info):
        try:
            at = now()
            if phase == "start":
                state["start"] = at
                return
            start, state["start"] = state["start"], None
            if start is None:
                return
            ms = at - start
            if ms >= shortest_ms and len(state["collections"]) < most:
                kind = "major" if info["generation"] == 2 else "minor"
                state["collections"].append([offset_ms + start, ms, kind, 0])
            else:
                state["more"][0] += 1
                state["more"][1] += ms
            if ms >= long_ms or at - state["flushed"] >= flush_ms:
                flush(at)
        except Exception:
            gc.callbacks.remove(on_collection)

    def watch_turns():
        from asyncio.base_events import BaseEventLoop
        from selectors import DefaultSelector
        from threading import local

        run_once = BaseEventLoop._run_once
        select = DefaultSelector.select
        clock = time.perf_counter

        class Turn(local):
            # One for each thread, because each has its own CPU time and may have its own event loop.
            start = None
            at = 0.0
            cpu = 0.0

        turn = Turn()

        def watched_select(selector, timeout=None):
            found = select(selector, timeout)
            # A turn begins once there is something to do.
            turn.start = start = 1000 * clock()
            if start - turn.at >= cpu_each_ms:
                turn.at = start
                turn.cpu = 1000 * time.thread_time()
            return found

        def watched_run_once(loop):
            turn.start = None
            try:
                return run_once(loop)
            finally:
                start, at = turn.start, 1000 * clock()
                if start is None:
                    pass  # this loop uses another selector
                elif at - start >= stall_ms or at - state["flushed"] >= flush_ms:
                    # After a fork, a thread's CPU time starts again from 0, so the difference may be negative.
                    turned(start, at, max(0, 1000 * time.thread_time() - turn.cpu))

        def turned(start, at, cpu_ms):
            try:
                ms = at - start
                if ms >= stall_ms and len(state["stalls"]) < most:
                    state["stalls"].append([offset_ms + start, ms, min(ms, cpu_ms)])
                flush(at)
            except Exception:
                DefaultSelector.select = select
                BaseEventLoop._run_once = run_once

        DefaultSelector.select = watched_select
        BaseEventLoop._run_once = watched_run_once

    class AsyncioFinder:
        """Finds no module, but is asked for asyncio.runners, which is imported after the module of the event loops."""

        @staticmethod
        def find_spec(name, path=None, target=None):
            if name == "asyncio.runners":
                sys.meta_path.remove(AsyncioFinder)
                try:
                    watch_turns()
                except Exception:
                    pass

    def after_fork():
        try:
            os.close(state["file"])
            begin()
        except Exception:
            pass

    begin()
    gc.callbacks.append(on_collection)
    sys.meta_path.insert(0, AsyncioFinder)
    os.register_at_fork(after_in_child=after_fork)


def _import_theirs():
    """Imports the sitecustomize of the system or of the program, which this one hides."""
    import importlib.machinery
    import importlib.util
    import os

    own = os.path.dirname(os.path.abspath(__file__))
    folders = [folder for folder in sys.path if os.path.abspath(folder) != own]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", folders)
    if spec is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


try:
    _observe()
except Exception:
    pass
_import_theirs()
