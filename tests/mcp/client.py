"""The official client of the Model Context Protocol calls every tool of the server that its arguments start.

client.py MODE URL FILE RESULTS COMMAND...: prints what it saw as JSON. The client checks each message by the
protocol's own schema.
"""

import json
import sys

import anyio
from mcp import Client, StdioServerParameters


async def main(mode, url, file, results, command):
    progress = []

    async def on_progress(value, _total, message):
        progress.append([value, message])

    server = StdioServerParameters(command=command[0], args=command[1:])
    async with Client(server, mode=mode) as client:
        listed = await client.list_tools()
        calls = {
            "check": {"experiment": file},
            "bench": {"url": url, "duration": "3s", "connections": 2},
            "run": {"experiment": file, "out": results},
            "compare": {"base": results, "new": results},
            "explain": {"about": results},
        }
        seen = {}
        for name, arguments in calls.items():
            on = on_progress if name == "bench" else None
            answer = await client.call_tool(name, arguments, progress_callback=on)
            seen[name] = {
                "text": "".join(part.text for part in answer.content),
                "figures": answer.structured_content,
                "isError": answer.is_error,
            }
        refused = await client.call_tool("bench", {"url": "http://192.0.2.1/"})
        wrong = await client.call_tool("check", {"file": file})
        json.dump(
            {
                "version": client.protocol_version,
                "name": client.server_info.name,
                "tools": [tool.name for tool in listed.tools],
                "schemas": [tool.input_schema for tool in listed.tools],
                "seen": seen,
                "progress": progress,
                "refused": [refused.is_error, refused.content[0].text],
                "wrong": [wrong.is_error, wrong.content[0].text],
            },
            sys.stdout,
        )


anyio.run(main, *sys.argv[1:5], sys.argv[5:])
