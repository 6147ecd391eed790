"""A model that follows a script, for programs that ask one over HTTP on 127.0.0.1.

It speaks four forms of the same question: Anthropic's messages, OpenAI's responses and chat completions, and Google's
generateContent. The answer to a question is the next call of the script, by the results that the question carries.
"""

from __future__ import annotations

import http.server
import json
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any

Call = tuple[str, dict[str, Any]]
Values = dict[str, Any]
# Results so far -> the next call; None where the script is over.
Script = Callable[[list[str]], Call | None]
LAST_WORDS = "That is all."
# By these tools a model of Claude Code and of Codex waits for servers that have not answered yet when it is first asked.
WAITS: list[Call] = [
    ("WaitForMcpServers", {}),
    ("list_mcp_resources", {"server": "redline"}),
]


class ScriptedModel:
    """Serves a script of calls; `tools` and `results` are what the program has shown its model."""

    def __init__(self, script: Script, is_strict: bool = False) -> None:
        self.script = script
        # Whether each required argument is given, as by a model in strict mode: with an empty value where the script has none.
        self.is_strict = is_strict
        # Name in the program -> the tool as the program tells it.
        self.tools: dict[str, Values] = {}
        # The results of the calls, as the model reads them.
        self.results: list[str] = []
        # How often it has waited for the server; the first results are those of its waits.
        self.waited = 0
        self.instructions = ""
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self) -> ScriptedModel:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                self.answer(
                    "application/json", json.dumps({"object": "list", "data": [], "models": []})
                )

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                path = self.path.partition("?")[0]
                asked = json.loads(body) if body[:1] == b"{" else {}
                for form in FORMS:
                    if path.endswith(form.path) or form.path in path and form is Google:
                        kind, text = form(
                            model, asked, "stream" in path.lower() or asked.get("stream")
                        ).answer()
                        return self.answer(kind, text)
                self.answer("application/json", "{}")

            def answer(self, kind: str, text: str) -> None:
                sent = text.encode()
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(sent)))
                self.end_headers()
                self.wfile.write(sent)

        return Handler

    def next(self, tools: dict[str, Values], results: list[str], instructions: str) -> Call | None:
        """Returns the call to make, by the program's own name of the tool; None where nothing is left or the tool is not offered."""
        if not tools:
            # A question beside the conversation, such as one for its title.
            return None
        self.tools |= tools
        results = results[self.waited :]
        self.results = max(self.results, results, key=len)
        self.instructions = max(self.instructions, instructions, key=len)
        call = self.script(results)
        if call is None:
            return None
        tool, arguments = call
        names = [name for name in tools if re.fullmatch(rf"(.*[_-])?{tool}", name)]
        if not names:
            waits = [wait for wait in WAITS if wait[0] in tools and not results]
            self.waited += len(waits[:1])
            return waits[0] if waits and self.waited < 9 else None
        name = min(names, key=len)
        return name, strict(tools[name]["parameters"]) | arguments if self.is_strict else arguments


def strict(schema: Values) -> Values:
    """Returns an empty value for each argument that is required."""
    empty = {"string": "", "array": [], "object": {}, "integer": 0, "number": 0, "boolean": False}
    kinds = {name: schema["properties"][name] for name in schema.get("required", [])}
    return {name: kind.get("default", empty.get(kind.get("type"))) for name, kind in kinds.items()}


def calls(*each: Call) -> Script:
    """Returns the script of these calls."""
    return lambda results: each[len(results)] if len(results) < len(each) else None


def as_text(content: object) -> str:
    """Returns the text of a content that is a text, or a list of parts with texts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(map(as_text, content))
    if isinstance(content, dict):
        return as_text(content.get("text", content.get("content", content.get("output", ""))))
    return ""


def events(each: Iterator[Values], named: bool = True) -> str:
    """Returns server-sent events."""
    lines = []
    for event in each:
        if named:
            lines.append(f"event: {event['type']}\n")
        lines.append(f"data: {json.dumps(event)}\n\n")
    return "".join(lines)


class Form:
    """A form of the question."""

    path = ""

    def __init__(self, model: ScriptedModel, asked: Values, is_stream: object) -> None:
        self.asked, self.is_stream = asked, bool(is_stream)
        self.tools = {tool["name"]: tool for tool in self.offered()}
        self.step = len(self.seen())
        self.call = model.next(self.tools, self.seen(), self.told())

    def offered(self) -> list[Values]:
        raise NotImplementedError

    def seen(self) -> list[str]:
        raise NotImplementedError

    def told(self) -> str:
        raise NotImplementedError

    def answer(self) -> tuple[str, str]:
        raise NotImplementedError


class Anthropic(Form):
    path = "/v1/messages"

    def offered(self) -> list[Values]:
        return [tool for tool in self.asked.get("tools", []) if "name" in tool]

    def seen(self) -> list[str]:
        parts = [
            part
            for message in self.asked.get("messages", [])
            if isinstance(message["content"], list)
            for part in message["content"]
        ]
        return [as_text(part) for part in parts if part.get("type") == "tool_result"]

    def told(self) -> str:
        return as_text(self.asked.get("system", ""))

    def answer(self) -> tuple[str, str]:
        if self.call:
            block: Values = {
                "type": "tool_use",
                "id": f"call_{self.step}",
                "name": self.call[0],
                "input": self.call[1],
            }
            delta: Values = {"type": "input_json_delta", "partial_json": json.dumps(self.call[1])}
        else:
            block = {"type": "text", "text": LAST_WORDS}
            delta = {"type": "text_delta", "text": LAST_WORDS}
        usage = {"input_tokens": 1, "output_tokens": 1}
        message: Values = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "scripted",
            "stop_sequence": None,
            "usage": usage,
        }
        stop = "tool_use" if self.call else "end_turn"
        if not self.is_stream:
            return "application/json", json.dumps(
                message | {"content": [block], "stop_reason": stop}
            )
        empty = block | ({"input": {}} if self.call else {"text": ""})
        return "text/event-stream", events(
            iter(
                [
                    {
                        "type": "message_start",
                        "message": message | {"content": [], "stop_reason": None},
                    },
                    {"type": "content_block_start", "index": 0, "content_block": empty},
                    {"type": "content_block_delta", "index": 0, "delta": delta},
                    {"type": "content_block_stop", "index": 0},
                    {
                        "type": "message_delta",
                        "delta": {"stop_reason": stop, "stop_sequence": None},
                        "usage": usage,
                    },
                    {"type": "message_stop"},
                ]
            )
        )


class Responses(Form):
    path = "/responses"

    def offered(self) -> list[Values]:
        found = []
        for tool in self.asked.get("tools", []):
            if tool.get("type") == "namespace":
                found += [one | {"namespace": tool["name"]} for one in tool.get("tools", [])]
            elif "name" in tool:
                found.append(tool)
        return found

    def seen(self) -> list[str]:
        return [
            as_text(item["output"])
            for item in self.asked.get("input", [])
            if isinstance(item, dict) and item.get("type") == "function_call_output"
        ]

    def told(self) -> str:
        return as_text(self.asked.get("instructions") or "")

    def answer(self) -> tuple[str, str]:
        if self.call:
            item: Values = {
                "type": "function_call",
                "id": f"fc_{self.step}",
                "call_id": f"call_{self.step}",
                "name": self.call[0],
                "arguments": json.dumps(self.call[1]),
                "status": "completed",
            }
            namespace = self.tools[self.call[0]].get("namespace")
            if namespace:
                item["namespace"] = namespace
        else:
            text = {"type": "output_text", "text": LAST_WORDS, "annotations": []}
            item = {
                "type": "message",
                "id": f"msg_{self.step}",
                "role": "assistant",
                "status": "completed",
                "content": [text],
            }
        usage = {
            "input_tokens": 1,
            "output_tokens": 1,
            "total_tokens": 2,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        }
        response: Values = {
            "id": f"resp_{self.step}",
            "object": "response",
            "created_at": 0,
            "model": "scripted",
            "status": "completed",
            "output": [item],
            "usage": usage,
            "parallel_tool_calls": False,
            "tool_choice": "auto",
            "tools": [],
        }
        if not self.is_stream:
            return "application/json", json.dumps(response)
        each: list[Values] = [
            {
                "type": "response.created",
                "response": response | {"status": "in_progress", "output": []},
            },
            {
                "type": "response.output_item.added",
                "output_index": 0,
                "item": item | {"status": "in_progress"},
            },
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": response},
        ]
        return "text/event-stream", events(
            event | {"sequence_number": at} for at, event in enumerate(each)
        )


class Chat(Form):
    path = "/chat/completions"

    def offered(self) -> list[Values]:
        return [tool["function"] for tool in self.asked.get("tools", []) if "function" in tool]

    def seen(self) -> list[str]:
        return [
            as_text(message["content"])
            for message in self.asked.get("messages", [])
            if message["role"] == "tool"
        ]

    def told(self) -> str:
        return "".join(
            as_text(message["content"])
            for message in self.asked.get("messages", [])
            if message["role"] in ("system", "developer")
        )

    def answer(self) -> tuple[str, str]:
        message: Values = {"role": "assistant", "content": None if self.call else LAST_WORDS}
        if self.call:
            function = {"name": self.call[0], "arguments": json.dumps(self.call[1])}
            message["tool_calls"] = [
                {"index": 0, "id": f"call_{self.step}", "type": "function", "function": function}
            ]
        stop = "tool_calls" if self.call else "stop"
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        kind = "chat.completion.chunk" if self.is_stream else "chat.completion"
        whole: Values = {
            "id": f"chat_{self.step}",
            "object": kind,
            "created": 0,
            "model": "scripted",
            "usage": usage,
        }
        if not self.is_stream:
            return "application/json", json.dumps(
                whole | {"choices": [{"index": 0, "message": message, "finish_reason": stop}]}
            )
        chunks = [
            whole | {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            whole | {"choices": [{"index": 0, "delta": {}, "finish_reason": stop}]},
        ]
        return "text/event-stream", events(iter(chunks), named=False) + "data: [DONE]\n\n"


class Google(Form):
    path = "enerateContent"

    def offered(self) -> list[Values]:
        return [
            one
            for tool in self.asked.get("tools", [])
            for one in tool.get("functionDeclarations", [])
        ]

    def seen(self) -> list[str]:
        parts = [
            part for content in self.asked.get("contents", []) for part in content.get("parts", [])
        ]
        return [
            json.dumps(part["functionResponse"]["response"], ensure_ascii=False)
            for part in parts
            if "functionResponse" in part
        ]

    def told(self) -> str:
        return as_text(self.asked.get("systemInstruction", {}).get("parts", ""))

    def answer(self) -> tuple[str, str]:
        part: Values = (
            {"functionCall": {"name": self.call[0], "args": self.call[1]}}
            if self.call
            else {"text": LAST_WORDS}
        )
        candidate = {
            "content": {"role": "model", "parts": [part]},
            "finishReason": "STOP",
            "index": 0,
        }
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        whole = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}
        if not self.is_stream:
            return "application/json", json.dumps(whole)
        return "text/event-stream", f"data: {json.dumps(whole)}\n\n"


FORMS: list[type[Form]] = [Anthropic, Responses, Chat, Google]
