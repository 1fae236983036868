/**
 * The Model Context Protocol (MCP), as far as tools need it: lines of JSON-RPC 2.0 in and out. It supports both eras of
 * the protocol. Since version 2026-07-28, every request carries its own version and capabilities; in earlier versions,
 * a handshake came first (modelcontextprotocol.io/specification/2026-07-28/basic/versioning, "Dual-era"). No I/O.
 */
import * as z from "zod";
import { messageOf } from "../../base/errors.ts";
import { VERSION } from "../../base/version.ts";

/** The result of a call: `structured` has the figures for programs, `text` is for people and models. */
export interface ToolResult {
  readonly text: string;
  readonly structured?: unknown;
  /** Exit code of the command behind the tool. */
  readonly exitCode?: number;
  readonly isError: boolean;
}

/** How a call learns that it is cancelled, and reports its progress. */
export interface ToolCall {
  readonly signal: AbortSignal;
  /** Receives the seconds since the start of the call, and what it is doing now. */
  readonly onProgress: (seconds: number, message: string) => void;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** Whether the tool only reads: it changes nothing and generates no load. */
  readonly isReading: boolean;
  /** @param input The input, as parsed by the schema `input`. */
  readonly call: (input: Readonly<Record<string, unknown>>, call: ToolCall) => Promise<ToolResult>;
}

/** Protocol versions in which each request states its version, client and capabilities. */
const MODERN = ["2026-07-28"];
/**
 * Earlier protocol versions, newest first, in which a handshake states the version, the client and its capabilities
 * once.
 */
const LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const PREFIX = "io.modelcontextprotocol/";
const SERVER = { name: "plateau", title: "Plateau", version: VERSION };
const CAPABILITIES = { tools: {} };
/** Clients may cache the list of tools, because it stays the same while the program runs. */
const CACHED = { ttlMs: 3_600_000, cacheScope: "public" };

const INSTRUCTIONS =
  "Plateau measures HTTP services. Check an experiment file before you run it. Read the trust of a " +
  "result before its figures: an invalid run says nothing about the target. Two single results never " +
  "prove a difference; measure both sides in one experiment.";

const id = z.union([z.string(), z.int()]);
const meta = z.looseObject({
  progressToken: id.optional(),
  [`${PREFIX}protocolVersion`]: z.string().optional(),
  [`${PREFIX}clientCapabilities`]: z.looseObject({}).optional(),
});
const message = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: id.optional(),
  method: z.string(),
  params: z.looseObject({ _meta: meta.optional() }).optional(),
});

type Message = z.output<typeof message>;
type Id = z.output<typeof id>;

const called = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).default({}),
});

class ProtocolError extends Error {
  constructor(readonly code: number, text: string, readonly data?: unknown) {
    super(text);
  }
}

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const UNKNOWN_METHOD = -32_601;
const INVALID_PARAMS = -32_602;
const INTERNAL = -32_603;
const UNSUPPORTED_VERSION = -32_022;

export class ToolServer {
  readonly #tools: ReadonlyMap<string, Tool>;
  /** Requests in progress, by their ids. Each is cancelled by aborting its controller. */
  readonly #calls = new Map<Id, AbortController>();
  readonly #work = new Set<Promise<void>>();

  /** @param send Sends a message as one line of JSON. */
  constructor(tools: readonly Tool[], private readonly send: (message: unknown) => void) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
  }

  /** Processes a line from the client. */
  receive(line: string): void {
    if (line.trim() === "") return;
    let data: unknown;
    try {
      data = JSON.parse(line);
    } catch (error) {
      return this.refuse(PARSE_ERROR, `Cannot read this as JSON: ${messageOf(error)}`);
    }
    const read = message.safeParse(data);
    if (!read.success) {
      const isResponse = typeof data === "object" && data !== null && !("method" in data) &&
        "id" in data;
      if (!isResponse) {
        this.refuse(INVALID_REQUEST, "Cannot read this as a message of JSON-RPC 2.0");
      }
      return;
    }
    const work = this.#take(read.data);
    this.#work.add(work);
    void work.finally(() => this.#work.delete(work));
  }

  /** Sends an error in response to a message whose id can't be read. */
  refuse(code: number, text: string): void {
    this.send({ jsonrpc: "2.0", error: { code, message: text } });
  }

  /** Aborts all calls, and resolves when they have ended. */
  async end(): Promise<void> {
    for (const call of this.#calls.values()) call.abort();
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  async #take(received: Message): Promise<void> {
    const { id } = received;
    if (id === undefined) return this.#notice(received);
    if (this.#calls.has(id)) {
      const text =
        "Cannot accept a request with the id of another request that is still in progress";
      return this.send({ jsonrpc: "2.0", id, error: { code: INVALID_REQUEST, message: text } });
    }
    const controller = new AbortController();
    this.#calls.set(id, controller);
    const answer = await this.#answer(received, controller.signal).catch(errorOf);
    this.#calls.delete(id);
    if (!controller.signal.aborted) this.send({ jsonrpc: "2.0", id, ...answer });
  }

  #notice({ method, params }: Message): void {
    if (method !== "notifications/cancelled") return;
    const cancelled = id.safeParse(params?.requestId).data;
    if (cancelled !== undefined) this.#calls.get(cancelled)?.abort();
  }

  async #answer(
    { method, params = {} }: Message,
    signal: AbortSignal,
  ): Promise<{ result: unknown }> {
    const { _meta: own = {} } = params;
    if (!isModern(own)) {
      if (method === "server/discover") {
        throw new ProtocolError(INVALID_PARAMS, lacking("protocolVersion"));
      }
      return { result: await this.#legacy(method, params, signal) };
    }
    const result = await this.#modern(method, params, signal);
    const _meta = { [`${PREFIX}serverInfo`]: SERVER, ...Object(Reflect.get(result, "_meta")) };
    return { result: { resultType: "complete", ...result, _meta } };
  }

  async #modern(
    method: string,
    params: NonNullable<Message["params"]>,
    signal: AbortSignal,
  ): Promise<object> {
    switch (method) {
      case "server/discover":
        return {
          supportedVersions: MODERN,
          capabilities: CAPABILITIES,
          serverInfo: SERVER,
          instructions: INSTRUCTIONS,
          ...CACHED,
        };
      case "tools/list":
        return { ...this.#list(), ...CACHED };
      case "tools/call":
        return await this.#call(params, signal);
      default:
        throw new ProtocolError(
          UNKNOWN_METHOD,
          `Cannot do ${method}: this server offers only tools`,
        );
    }
  }

  async #legacy(
    method: string,
    params: NonNullable<Message["params"]>,
    signal: AbortSignal,
  ): Promise<object> {
    switch (method) {
      case "initialize":
        return {
          protocolVersion: LEGACY.find((each) => each === params.protocolVersion) ?? LEGACY[0],
          capabilities: CAPABILITIES,
          serverInfo: SERVER,
          instructions: INSTRUCTIONS,
        };
      case "ping":
        return {};
      case "tools/list":
        return this.#list();
      case "tools/call":
        return await this.#call(params, signal);
      default:
        throw new ProtocolError(
          UNKNOWN_METHOD,
          `Cannot do ${method}: this server offers only tools`,
        );
    }
  }

  #list(): { readonly tools: readonly object[] } {
    const tools = [...this.#tools.values()].map((
      { name, title, description, input, isReading },
    ) => ({
      name,
      title,
      description,
      inputSchema: z.toJSONSchema(input, { io: "input" }),
      annotations: { readOnlyHint: isReading, destructiveHint: false, openWorldHint: !isReading },
    }));
    return { tools };
  }

  async #call(params: NonNullable<Message["params"]>, signal: AbortSignal): Promise<object> {
    const { data: asked } = called.safeParse(params);
    const tool = asked === undefined ? undefined : this.#tools.get(asked.name);
    if (asked === undefined || tool === undefined) {
      const known = [...this.#tools.keys()].join(", ");
      throw new ProtocolError(INVALID_PARAMS, `Cannot call this tool: the tools are ${known}`);
    }
    const input = tool.input.safeParse(asked.arguments);
    const outcome: ToolResult = input.success
      ? await tool.call(input.data, { signal, onProgress: this.#progress(params, signal) })
      : { text: z.prettifyError(input.error), isError: true };
    const { text, structured, exitCode, isError } = outcome;
    return {
      content: [{ type: "text", text }],
      ...structured !== undefined && { structuredContent: structured },
      isError,
      ...exitCode !== undefined && { _meta: { "plateau/exitCode": exitCode } },
    };
  }

  #progress(
    { _meta: { progressToken } = {} }: NonNullable<Message["params"]>,
    signal: AbortSignal,
  ): ToolCall["onProgress"] {
    let last = -1;
    return (seconds, message) => {
      if (progressToken === undefined || signal.aborted || seconds <= last) return;
      last = seconds;
      const params = { progressToken, progress: seconds, message };
      this.send({ jsonrpc: "2.0", method: "notifications/progress", params });
    };
  }
}

/**
 * Whether the request states its protocol version, as all requests do in the versions that have no handshake. Throws a
 * ProtocolError if the version is unknown, or if a field that the version requires is missing.
 */
function isModern(
  meta: z.output<typeof message>["params"] extends infer P ? NonNullable<P> : never,
): boolean {
  const version = meta[`${PREFIX}protocolVersion`];
  if (version === undefined) return false;
  if (!MODERN.some((each) => each === version)) {
    const data = { supported: MODERN, requested: version };
    throw new ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", data);
  }
  if (meta[`${PREFIX}clientCapabilities`] === undefined) {
    throw new ProtocolError(INVALID_PARAMS, lacking("clientCapabilities"));
  }
  return true;
}

function lacking(key: string): string {
  return `Cannot take a request without ${PREFIX}${key} in its _meta`;
}

function errorOf(error: unknown): { error: unknown } {
  const { code, message, data } = error instanceof ProtocolError
    ? error
    : { code: INTERNAL, message: messageOf(error), data: undefined };
  return { error: { code, message, ...data !== undefined && { data } } };
}
