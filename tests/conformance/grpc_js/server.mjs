/**
 * The service of `echo.proto` by grpc-js, bundled for Node: `node server.mjs [CERT KEY]`. It prints its port,
 * ends with its standard input, and then prints as JSON what it has seen. It says its types by reflection. Its packages are
 * its own, as the program has none of them.
 */
import { Server, ServerCredentials, status } from "@grpc/grpc-js";
import { readFileSync } from "node:fs";
import process from "node:process";
import protobuf from "protobufjs";
import { FileDescriptorSet } from "protobufjs/ext/descriptor.js";

const GAP_MS = 10;
const MOST_BYTES = 20_000_000;

const seen = {
  calls: 0,
  received: 0,
  sent: 0,
  cancelled: 0,
  deadlines: 0,
  metadata: "",
};

const root = new protobuf.Root();
const scope = root.define("conformance");
const echoMessage = new protobuf.Type("EchoMessage").add(
  new protobuf.Field("text", 1, "string"),
)
  .add(new protobuf.Field("n", 2, "int64")).add(
    new protobuf.Field("load", 3, "bytes"),
  );
const KINDS = {
  One: [false, false],
  Many: [false, true],
  Sum: [true, false],
  Chat: [true, true],
};
const service = new protobuf.Service("Echo");
for (const [name, [requests, responses]] of Object.entries(KINDS)) {
  service.add(
    new protobuf.Method(
      name,
      "rpc",
      "EchoMessage",
      "EchoMessage",
      requests,
      responses,
    ),
  );
}
scope.add(echoMessage).add(service);
root.resolveAll();

const serialize = (message) => Buffer.from(echoMessage.encode(message).finish());
const deserialize = (octets) => {
  seen.received++;
  return echoMessage.toObject(echoMessage.decode(octets), { longs: Number });
};

const noteCall = (call) => {
  seen.calls++;
  if (call.getDeadline() !== Infinity) seen.deadlines++;
  seen.metadata ||= String(call.metadata.get("x-user")[0] ?? "");
  // Whoever has ended is told so, too.
  call.on("cancelled", () => {
    if (!ended.has(call)) seen.cancelled++;
  });
};

const ended = new WeakSet();

const ends = (call) => {
  ended.add(call);
  return call;
};

const one = (call, respond) => {
  noteCall(call);
  const { text, n = 0 } = call.request;
  if (text === "slow") return;
  ends(call);
  if (text === "fail") {
    return respond({ code: status.NOT_FOUND, details: "no such näme" });
  }
  seen.sent++;
  respond(null, text === "big" ? { load: new Uint8Array(n) } : call.request);
};

const many = (call) => {
  noteCall(call);
  const { text, n = 0 } = call.request;
  let left = text === "endless" ? Infinity : n;
  const next = () => {
    if (call.cancelled) return;
    if (left-- > 0) {
      seen.sent++;
      call.write(call.request);
      setTimeout(next, GAP_MS);
    } else if (text === "fail") {
      ends(call).emit("error", { code: status.ABORTED, details: "enough" });
    } else ends(call).end();
  };
  next();
};

const sum = (call, respond) => {
  noteCall(call);
  let n = 0;
  call.on("data", (message) => n += message.n ?? 0);
  call.on("end", () => {
    seen.sent++;
    ends(call);
    respond(null, { n });
  });
};

const chat = (call) => {
  noteCall(call);
  call.on("data", (message) => {
    seen.sent++;
    call.write(message);
  });
  call.on("end", () => ends(call).end());
};

// Reflection: of each request a file, whatever it wants.

const found = FileDescriptorSet.encode(root.toDescriptor("proto3")).finish();
// A set of files on the wire is what a response has in its field 4.
const reflection = protobuf.parse('syntax = "proto3"; message Response { bytes found = 4; }')
  .root;
const described = reflection.lookupType("Response").encode({ found }).finish();

const reflect = (call) => {
  call.on("data", () => call.write(described));
  call.on("end", () => call.end());
};

const [cert, key] = process.argv.slice(2);
const server = new Server({
  "grpc.max_receive_message_length": MOST_BYTES,
  "grpc.max_send_message_length": MOST_BYTES,
});
const echo = {
  requestSerialize: serialize,
  requestDeserialize: deserialize,
  responseSerialize: serialize,
  responseDeserialize: deserialize,
};
const definition = (name) => ({
  path: `/conformance.Echo/${name}`,
  requestStream: KINDS[name][0],
  responseStream: KINDS[name][1],
  ...echo,
});
server.addService(
  {
    One: definition("One"),
    Many: definition("Many"),
    Sum: definition("Sum"),
    Chat: definition("Chat"),
  },
  { One: one, Many: many, Sum: sum, Chat: chat },
);
const asIs = (octets) => Buffer.from(octets);
server.addService({
  Info: {
    path: "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
    requestStream: true,
    responseStream: true,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  },
}, { Info: reflect });

const credentials = cert === undefined
  ? ServerCredentials.createInsecure()
  : ServerCredentials.createSsl(null, [{
    private_key: readFileSync(key),
    cert_chain: readFileSync(cert),
  }]);
server.bindAsync("127.0.0.1:0", credentials, (error, port) => {
  if (error !== null) throw error;
  process.stdout.write(`${port}\n`);
});
process.stdin.on("end", () => {
  process.stdout.write(JSON.stringify(seen), () => process.exit(0));
}).resume();
