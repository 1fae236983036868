"""Runs inside of a Python target before its program, by PYTHONPATH. Writes each run of the garbage collector that
takes long enough to matter, and the sums of all, into a file of its own beside this one. Nothing here may ever
disturb the program."""

import sys


def _observe():
    import gc
    import json
    import os
    import time

    # Shorter ones are summed up.
    shortest_ms = 0.1
    # An own record for what takes so long; others wait until so much time has passed.
    long_ms = 5
    flush_ms = 250
    most = 200
    folder = os.path.dirname(os.path.abspath(__file__))
    offset_ms = 1000 * (time.time() - time.perf_counter())
    state = {}

    def now():
        return 1000 * time.perf_counter()

    def reset():
        state.update(collections=[], more=[0, 0.0], flushed=now())

    def write(record):
        os.write(state["file"], (json.dumps(record) + "\n").encode())

    def begin():
        path = os.path.join(folder, "%d.jsonl" % os.getpid())
        state["file"] = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        state["start"] = None
        reset()
        write({"pid": os.getpid(), "runtime": "python %d.%d.%d" % sys.version_info[:3]})

    def flush(at):
        write({
            "at": offset_ms + at,
            "forMs": at - state["flushed"],
            "collections": state["collections"],
            "more": state["more"],
            "stalls": [],
            "delay": None,
            "utilization": None,
            "heap": None,
        })
        reset()

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

    def after_fork():
        try:
            os.close(state["file"])
            begin()
        except Exception:
            pass

    begin()
    gc.callbacks.append(on_collection)
    os.register_at_fork(after_in_child=after_fork)


def _import_theirs():
    """The sitecustomize of the system or of the program, which this one hides."""
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
