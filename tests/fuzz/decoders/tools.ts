/** A message to `plateau mcp`, up to the command line that it makes. */
import { type Tool, ToolServer } from "../../../cli/mcp/protocol.ts";
import { TOOLS } from "../../../cli/mcp/tools.ts";
import type { Decoder } from "../decoder.ts";

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  progressToken: 1,
};

const CALLS = {
  bench: {
    url: "http://127.0.0.1:1/",
    headers: { a: "b" },
    thresholds: ["p99 < 1s"],
    rate: "10/s",
  },
  run: { experiment: "quick", set: { a: "b" }, only: "target=a" },
  compare: { base: "a", new: "b", sessions: ["c"] },
};

const tools: Tool[] = TOOLS.map(({ isMeasuring, line, ...tool }) => ({
  ...tool,
  isReading: !isMeasuring,
  call: (input, { onProgress }) => {
    onProgress(1, "under way");
    const { command, flags, operands } = line(input);
    return Promise.resolve({ text: [command, ...flags, ...operands].join(" "), isError: false });
  },
}));

export const toolMessage: Decoder = {
  seeds: {
    samples: [
      ...Object.entries(CALLS).map(([name, input]) => ({
        id: 1,
        method: "tools/call",
        params: { _meta: META, name, arguments: input },
      })),
      { id: "a", method: "server/discover", params: { _meta: META } },
      { id: 0, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {} } },
      { method: "notifications/cancelled", params: { requestId: 1 } },
    ].map((message) => JSON.stringify({ jsonrpc: "2.0", ...message })),
    words: ["null", "{}", "-32600", "__proto__"],
    isJson: true,
  },
  decode: async (input) => {
    const server = new ToolServer(tools, (message) => void JSON.stringify(message));
    for (const line of input.split("\n")) server.receive(line);
    await server.end();
  },
};
