"""dramaturg on a machine of another name, or with a clock that is off:

python -m tests.faults.machine NAME SECONDS serve --port 0
"""

from __future__ import annotations

import runpy
import socket
import sys
import time

name, off, right = sys.argv[1], float(sys.argv[2]), time.time
socket.gethostname = lambda: name
time.time = lambda: right() + off
sys.argv[1:3] = []
runpy.run_module("dramaturg", run_name="__main__")
