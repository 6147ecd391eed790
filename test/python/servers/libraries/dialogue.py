"""What a library is asked to do: the calls, by their names, and the command of the server. A library prints one object: the names of its
`tools`, its `results`, and what the edit answered to a person who says yes (`form`) and a call after one that was cancelled while
its form stood open (`cancelled`), where it has these."""

import json
import os

SERVER, CALLS = json.loads(os.environ["SERVER"]), json.loads(os.environ["CALLS"])
READING = [CALLS["page"], CALLS["error"]]


def say(**values: object) -> None:
    print(json.dumps(values))
