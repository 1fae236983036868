/** The protocol of tools, line by line, with tools of the test's own. */
import assert from "node:assert/strict";
import * as z from "zod";
import { type Tool, type ToolCall, ToolServer } from "../../cli/mcp/protocol.ts";

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

interface Sent {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A server with one tool, which ends when the test says so. */
class Served {
  readonly sent: Sent[] = [];
  readonly calls: (ToolCall & { readonly end: (text: string) => void })[] = [];
  readonly server: ToolServer;
  #heard = Promise.withResolvers<void>();

  constructor() {
    const tool: Tool = {
      name: "wait",
      title: "Wait",
      description: "Waits",
      input: z.strictObject({ forWhat: z.string() }),
      isReading: true,
      call: (_, call) =>
        new Promise((resolve, reject) => {
          const end = (text: string): void =>
            text === "fails" ? reject(new Error(text)) : resolve({
              text,
              structured: { text },
              exitCode: 0,
              isError: false,
            });
          call.signal.addEventListener("abort", () => end("cancelled"));
          this.calls.push({ ...call, end });
        }),
    };
    this.server = new ToolServer([tool], (message) => {
      this.sent.push(JSON.parse(JSON.stringify(message)));
      this.#heard.resolve();
      this.#heard = Promise.withResolvers<void>();
    });
  }

  ask(message: Readonly<Record<string, unknown>>): void {
    this.server.receive(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  async answer(id: string | number): Promise<Sent> {
    while (true) {
      const found = this.sent.find((sent) => sent.id === id);
      if (found !== undefined) return found;
      await this.#heard.promise;
    }
  }
}

function callOf(id: number, more: object = {}): Record<string, unknown> {
  const params = { _meta: { ...META, ...more }, name: "wait", arguments: { forWhat: "x" } };
  return { id, method: "tools/call", params };
}

Deno.test("a modern request says everything itself, and every result says what it is", async () => {
  const served = new Served();
  served.ask({ id: "d", method: "server/discover", params: { _meta: META } });
  const { result = {} } = await served.answer("d");
  assert.equal(result.resultType, "complete");
  assert.deepEqual(result.supportedVersions, ["2026-07-28"]);
  assert.deepEqual(result.capabilities, { tools: {} });
  assert.ok("ttlMs" in result && "cacheScope" in result);
  served.ask({ id: 1, method: "tools/list", params: { _meta: META } });
  const { result: list = {} } = await served.answer(1);
  assert.equal(list.resultType, "complete");
  assert.match(
    JSON.stringify(list._meta),
    /"io.modelcontextprotocol\/serverInfo":\{"name":"plateau"/,
  );
  served.ask(callOf(2));
  served.calls[0].end("done");
  const { result: called = {} } = await served.answer(2);
  assert.deepEqual(called.content, [{ type: "text", text: "done" }]);
  assert.deepEqual(called.structuredContent, { text: "done" });
  assert.equal(called.isError, false);
});

Deno.test("a request of another version, or without what its version asks for, is refused", async () => {
  const served = new Served();
  const [version, capabilities] = Object.keys(META);
  served.ask({
    id: 1,
    method: "tools/list",
    params: { _meta: { ...META, [version]: "1900-01-01" } },
  });
  const { error } = await served.answer(1);
  assert.equal(error?.code, -32_022);
  assert.deepEqual(error?.data, { supported: ["2026-07-28"], requested: "1900-01-01" });
  served.ask({ id: 2, method: "tools/list", params: { _meta: { [version]: "2026-07-28" } } });
  assert.equal((await served.answer(2)).error?.code, -32_602);
  assert.match((await served.answer(2)).error?.message ?? "", new RegExp(capabilities));
  served.ask({ id: 3, method: "ping", params: { _meta: META } });
  assert.equal((await served.answer(3)).error?.code, -32_601);
});

Deno.test("a handshake of an earlier version is answered in it, or in the newest of these", async () => {
  for (const [asked, answered] of [["2025-06-18", "2025-06-18"], ["2024-01-01", "2025-11-25"]]) {
    const served = new Served();
    served.ask({
      id: 0,
      method: "initialize",
      params: { protocolVersion: asked, capabilities: {} },
    });
    assert.equal((await served.answer(0)).result?.protocolVersion, answered);
    served.ask({ method: "notifications/initialized" });
    served.ask({ id: 1, method: "ping" });
    assert.deepEqual((await served.answer(1)).result, {});
    served.ask({ id: 2, method: "tools/list" });
    const { result = {} } = await served.answer(2);
    assert.deepEqual(Object.keys(result), ["tools"]);
    served.ask({ id: 3, method: "resources/list" });
    assert.equal((await served.answer(3)).error?.code, -32_601);
  }
});

Deno.test("a cancelled call ends and is not answered; others go on", async () => {
  const served = new Served();
  served.ask(callOf(1));
  served.ask(callOf(2));
  served.ask({ method: "notifications/cancelled", params: { requestId: 1 } });
  served.ask({ method: "notifications/cancelled", params: { requestId: 77 } });
  assert.deepEqual(served.calls.map(({ signal }) => signal.aborted), [true, false]);
  served.calls[1].end("done");
  await served.answer(2);
  assert.deepEqual(served.sent.map(({ id }) => id), [2]);
});

Deno.test("progress has the token of its request, grows, and ends with the call", async () => {
  const served = new Served();
  served.ask(callOf(1, { progressToken: "mine" }));
  served.ask(callOf(2));
  const [told, silent] = served.calls;
  told.onProgress(1, "one");
  told.onProgress(1, "again");
  told.onProgress(0.5, "back");
  told.onProgress(2, "two");
  silent.onProgress(1, "nobody asked");
  assert.deepEqual(served.sent.map(({ method, params }) => ({ method, ...params })), [
    { method: "notifications/progress", progressToken: "mine", progress: 1, message: "one" },
    { method: "notifications/progress", progressToken: "mine", progress: 2, message: "two" },
  ]);
  await served.server.end();
  told.onProgress(3, "late");
  assert.equal(served.sent.length, 2);
});

Deno.test("what is no message, no tool or no input of a tool is refused, each in its way", async () => {
  const served = new Served();
  served.server.receive("{");
  served.server.receive("[]");
  served.server.receive("");
  assert.deepEqual(served.sent.map(({ error }) => error?.code), [-32_700, -32_600]);
  served.ask({ id: 1, method: "tools/call", params: { _meta: META, name: "no" } });
  assert.equal((await served.answer(1)).error?.code, -32_602);
  const asked = { _meta: META, name: "wait", arguments: { forWhom: 1 } };
  served.ask({ id: 2, method: "tools/call", params: asked });
  const { result = {} } = await served.answer(2);
  assert.equal(result.isError, true);
  assert.match(JSON.stringify(result.content), /forWhat.*forWhom|forWhom.*forWhat/s);
  served.ask(callOf(3));
  served.ask(callOf(3));
  assert.equal((await served.answer(3)).error?.code, -32_600);
  served.ask(callOf(4));
  served.calls[1].end("fails");
  assert.deepEqual((await served.answer(4)).error, { code: -32_603, message: "fails" });
});
