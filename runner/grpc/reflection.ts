/**
 * Reads the types of methods from a server by gRPC server reflection, version 1 or the earlier v1alpha
 * (https://github.com/grpc/grpc/blob/master/doc/server-reflection.md).
 */
import { messageOf, TargetError } from "../../base/errors.ts";
import { describedFiles, fileNameIn, importsOf } from "../../base/grpc/described_files.ts";
import { encodeMessage } from "../../base/grpc/encode_message.ts";
import type { FieldType, MethodType, RootType } from "../../base/grpc/message_types.ts";
import { callOnce, type CallServer } from "../../base/grpc/one_call.ts";
import { beyond, isWithin } from "../../base/limits.ts";
import { whyNoResponse } from "../../base/net/dial_error.ts";
import type { Json } from "../../base/yaml/json_text.ts";
import { wholeResponseProblem } from "./whole_response.ts";

interface Asked extends CallServer {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const VERSIONS = ["grpc.reflection.v1", "grpc.reflection.v1alpha"];

const field = (name: string, id: number, kind: FieldType["kind"], more = {}): FieldType => ({
  ...{ name, json: name, id, kind },
  ...more,
});

/** The parts of the reflection messages that are used here. */
const REQUEST: RootType = {
  name: "Request",
  types: {
    messages: { Request: [field("file", 3, "string"), field("symbol", 4, "string")] },
    enums: {},
  },
};
const RESPONSE: RootType = {
  name: "Response",
  types: {
    messages: {
      Response: [
        field("found", 4, "message", { of: "Files" }),
        field("error", 7, "message", { of: "Problem" }),
      ],
      Files: [field("files", 1, "bytes", { many: "list" })],
      Problem: [field("code", 1, "int32"), field("message", 2, "string")],
    },
    enums: {},
  },
};

/** The types of the methods. Throws a TargetError if the server does not answer, or has no such method. */
export async function reflectedMethods(
  methods: readonly string[],
  server: Asked,
): Promise<ReadonlyMap<string, MethodType>> {
  const files = new Map<string, string>();
  const services = new Set(methods.map((method) => method.split("/")[0]));
  // Grows while the loop below visits its entries, so that imports of imports are read, too.
  const imports = new Set<string>();
  let octets = 0;
  const take = (described: readonly string[]): void => {
    for (const file of described) {
      const name = valid(() => fileNameIn(file));
      if (files.has(name)) continue;
      files.set(name, file);
      octets += Math.ceil(file.length * 3 / 4);
      for (const one of valid(() => importsOf(file))) imports.add(one);
      checkBound("protoFiles", Math.max(files.size, imports.size));
      checkBound("namedFiles", octets);
    }
  };
  for (const symbol of services) take(await described({ symbol }, server));
  for (const file of imports) {
    if (!files.has(file)) take(await described({ file }, server));
  }
  const proto = valid(() => describedFiles([...files.values()]));
  return new Map(methods.map((method) => {
    try {
      return [method, proto.method(method)];
    } catch (error) {
      throw new TargetError(messageOf(error));
    }
  }));
}

/** The result of `read`, which parses files from the server. Throws a TargetError if they are not valid. */
function valid<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new TargetError(
      `Cannot use the server's reflection, because its files are not valid: ${messageOf(error)}; ` +
        "name the method's .proto file (proto, or --proto)",
    );
  }
}

function checkBound(limit: "protoFiles" | "namedFiles", found: number): void {
  if (isWithin(limit, found)) return;
  throw new TargetError(`Cannot use the server's reflection: ${beyond(limit, found)}`);
}

/** The descriptor files, in base64, that the server sends for a request. Tries each version of reflection in turn. */
async function described(request: Json, server: Asked): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const version of VERSIONS) {
    const response = await asked(version, request, server);
    if (typeof response !== "string") return response;
    problems.push(response);
  }
  // Prefers the problem reported by a version that the server has, because a missing version says
  // nothing about the types.
  const problem = problems.find((text) => !text.includes("(UNIMPLEMENTED)")) ?? problems[0];
  throw new TargetError(
    `Cannot read the gRPC types of ${server.origin}: ${problem}; name the method's .proto file (proto, or --proto)`,
  );
}

/** The descriptor files, or, as text, the reason why there are none. */
async function asked(
  version: string,
  request: Json,
  { origin, endpoint, timeoutMs, signal }: Asked,
): Promise<readonly string[] | string> {
  const path = `/${version}.ServerReflection/ServerReflectionInfo`;
  const call = { path, message: encodeMessage(REQUEST, request) };
  const ended = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    const { kept } = await callOnce({ origin, endpoint }, call, ended);
    if (kept === null) throw new Error("A response was not kept");
    const spec = { isUnary: true, statuses: [0], output: RESPONSE };
    const problem = wholeResponseProblem(spec, kept);
    if (problem !== null) return problem;
    const { found, error } = JSON.parse(new TextDecoder().decode(kept.body()));
    return found?.files ?? `the server's reflection responded: ${error?.message ?? "nothing"}`;
  } catch (error) {
    signal.throwIfAborted();
    const tls = "path" in endpoint ? undefined : endpoint.tls;
    throw new TargetError(
      `Cannot read the gRPC types of ${origin}: ${whyNoResponse(error, tls)}`,
    );
  }
}
