import os
import signal

LOGGING = os.environ.get("LOGGING") == "on"

HOST = os.environ.get("HOST", "127.0.0.1")

bind = f"{f'[{HOST}]' if ':' in HOST else HOST}:{os.environ['PORT']}"
worker_class = "gevent"  # as in the study
accesslog = "-" if LOGGING else None
loglevel = "info" if LOGGING else "warning"
graceful_timeout = 1  # seconds after TERM until KILL, which gunicorn would call an error


def post_worker_init(worker):
    # TERM ends a worker at once, whatever connections are kept open.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
