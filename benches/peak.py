"""Runs a command and writes its largest memory to a file: a process counts as its own what the one had that started it,
so a command is started by one that has little.

    python -SE peak.py FILE COMMAND...
"""

import resource
import subprocess
import sys

code = subprocess.call(sys.argv[2:])
with open(sys.argv[1], "w") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)
