import os

LOGGING = os.environ.get("LOGGING") == "on"

bind = f"{os.environ.get('HOST', '127.0.0.1')}:{os.environ['PORT']}"
worker_class = "gevent"  # as in the study
accesslog = "-" if LOGGING else None
loglevel = "info" if LOGGING else "warning"
graceful_timeout = 0  # TERM ends it at once, whatever connections are kept open
