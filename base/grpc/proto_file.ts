/** Reads a `.proto` file and its imports: their services, and their types as plain data. */
import protobuf from "protobufjs";
import descriptor from "protobufjs/google/protobuf/descriptor.json" with { type: "json" };
import { dirname, join } from "node:path";
import { type FileDigest, fileDigest } from "../files.ts";
import { messageOf } from "../errors.ts";
import { beyond, isWithin } from "../limits.ts";
import type { Conflict } from "../problems.ts";
import { didYouMean } from "../suggest.ts";
import { encodeMessage, MessageProblem, wireTypeOf } from "./encode_message.ts";
import { LENGTH } from "./wire.ts";
import { inEnvelopes } from "./envelope.ts";
import {
  type FieldType,
  messageCountProblem,
  type MethodType,
  type ProtoTypes,
  type RootType,
  type ScalarKind,
  SCALARS,
  type WrittenCall,
} from "./message_types.ts";

/**
 * A parsed `.proto` file. As JSON, it is only the file's path and digest, which is what results record of each file
 * that the experiment names.
 */
export class ProtoFile implements ProtoTypes {
  readonly #root: protobuf.Root;
  readonly #digest: FileDigest;
  readonly #methods = new Map<string, MethodType>();

  constructor(path: string, root: protobuf.Root, text: string) {
    this.#root = root;
    this.#digest = fileDigest(path, text);
  }

  toJSON(): FileDigest {
    return this.#digest;
  }

  method(name: string): MethodType {
    const known = this.#methods.get(name);
    if (known !== undefined) return known;
    const found = methodTypeIn(this.#root, name);
    this.#methods.set(name, found);
    return found;
  }

  conflicts(call: WrittenCall): Conflict[] {
    let method: MethodType;
    try {
      method = this.method(call.grpc);
    } catch (error) {
      return [{ path: ["grpc"], message: messageOf(error) }];
    }
    return callConflicts(method, call);
  }
}

function callConflicts(
  method: MethodType,
  { message, messages }: WrittenCall,
): Conflict[] {
  const problem = messageCountProblem(method, messages?.length ?? 1);
  if (problem !== null) return [{ path: ["messages"], message: problem }];
  const written = messages === undefined
    ? [{ json: message ?? {}, path: ["message"] }]
    : messages.map((json, at) => ({ json, path: ["messages", at] }));
  return written.flatMap(({ json, path }) => {
    try {
      inEnvelopes([encodeMessage(method.input, json, { hasNames: true })], false);
      return [];
    } catch (error) {
      const at = error instanceof MessageProblem ? error.path : [];
      return [{ path: [...path, ...at], message: messageOf(error) }];
    }
  });
}

type Read = (path: string) => string;

/**
 * Reads a `.proto` file and its imports. Throws with the reason if one of them can't be read.
 * @param read Reads a file; throws with the reason if it can't be read.
 */
export function readProtoFile(path: string, read: Read): ProtoFile {
  const root = new protobuf.Root();
  const texts: string[] = [];
  addFile(path, { root, read, texts, folder: dirname(path), added: new Set() });
  root.resolveAll();
  return new ProtoFile(path, root, texts.join("\n"));
}

interface Reading {
  readonly root: protobuf.Root;
  readonly read: Read;
  readonly texts: string[];
  /**
   * Folder of the file that was read first. An import that is not beside the importing file is looked for in this
   * folder.
   */
  readonly folder: string;
  readonly added: Set<string>;
}

function addFile(path: string, reading: Reading): void {
  const { root, read, texts, added } = reading;
  if (added.has(path)) return;
  added.add(path);
  if (!isWithin("protoFiles", added.size)) throw new Error(beyond("protoFiles", added.size));
  const text = read(path);
  texts.push(text);
  const { imports = [], weakImports = [] } = parsed(path, text, root);
  for (const name of [...imports, ...weakImports]) addImport(name, path, reading);
}

function parsed(path: string, text: string, root: protobuf.Root): protobuf.IParserResult {
  try {
    return protobuf.parse(text, root, { keepCase: true });
  } catch (error) {
    throw new Error(`${path} is no .proto file: ${messageOf(error)}`);
  }
}

/**
 * The file that custom options extend, for example those of google/api/annotations.proto. protobuf.js ships it
 * separately from the other standard files.
 */
const DESCRIPTOR = "google/protobuf/descriptor.proto";

/**
 * Adds an imported file, which is looked for beside the importing file and in the first file's folder. Protobuf's own
 * files are built in.
 */
function addImport(name: string, from: string, reading: Reading): void {
  const own = name === DESCRIPTOR ? descriptor.nested : protobuf.common.get(name)?.nested;
  if (own !== undefined) {
    if (!reading.added.has(name)) reading.root.addJSON(own);
    reading.added.add(name);
    return;
  }
  if (name.split("/").includes("..")) {
    throw new Error(`it imports ${name}: .. is not allowed in the name of an import`);
  }
  const places = [...new Set([join(dirname(from), name), join(reading.folder, name)])];
  const problems = places.map((path) => {
    try {
      reading.read(path);
      return null;
    } catch (error) {
      return error;
    }
  });
  const at = problems.indexOf(null);
  if (at < 0) throw new Error(`it imports ${name}: ${messageOf(problems[0])}`);
  addFile(places[at], reading);
}

function methodTypeIn(root: protobuf.Root, name: string): MethodType {
  const [serviceName, methodName] = name.split("/");
  const services = servicesIn(root);
  const service = services.find(({ fullName }) => fullName === `.${serviceName}`);
  if (service === undefined) {
    const names = services.map(({ fullName }) => fullName.slice(1));
    const fix = didYouMean(serviceName, names) ??
      (names.length === 0 ? "no service is defined" : `the services are ${names.join(", ")}`);
    throw new Error(`Cannot find the service ${serviceName}: ${fix}`);
  }
  const methods = Object.keys(service.methods);
  if (!Object.hasOwn(service.methods, methodName)) {
    const fix = didYouMean(methodName, methods) ?? `its methods are ${methods.join(", ")}`;
    throw new Error(`Cannot find the method ${methodName} of ${serviceName}: ${fix}`);
  }
  const method = service.methods[methodName];
  method.resolve();
  const { resolvedRequestType, resolvedResponseType } = method;
  if (resolvedRequestType === null || resolvedResponseType === null) {
    throw new Error(`Cannot use ${name}: the server's reflection did not send its message types`);
  }
  return {
    input: rootTypeOf(resolvedRequestType),
    output: rootTypeOf(resolvedResponseType),
    clientStreams: method.requestStream === true,
    serverStreams: method.responseStream === true,
  };
}

function servicesIn(namespace: protobuf.NamespaceBase): protobuf.Service[] {
  return namespace.nestedArray.flatMap((one) => {
    if (one instanceof protobuf.Service) return [one];
    return one instanceof protobuf.Namespace ? servicesIn(one) : [];
  });
}

/** A message type with all types that it needs, directly or indirectly. */
function rootTypeOf(type: protobuf.Type): RootType {
  const messages: Record<string, FieldType[]> = {};
  const enums: Record<string, Record<string, number>> = {};
  const waiting = [type];
  for (const message of waiting) {
    const name = nameOf(message);
    if (Object.hasOwn(messages, name)) continue;
    // protobuf.js lists extensions among the fields, so filter them out.
    const fields = message.fieldsArray.filter(({ declaringField }) => declaringField === null);
    messages[name] = fields.map(fieldTypeOf);
    for (const { resolvedType } of fields) {
      if (resolvedType instanceof protobuf.Type) waiting.push(resolvedType);
      else if (resolvedType !== null) enums[nameOf(resolvedType)] = { ...resolvedType.values };
    }
  }
  return { name: nameOf(type), types: { messages, enums } };
}

function nameOf({ fullName }: protobuf.ReflectionObject): string {
  return fullName.slice(1);
}

function fieldTypeOf(field: protobuf.Field): FieldType {
  const { name, id, resolvedType, repeated, partOf } = field.resolve();
  if (field.delimited) throw new Error(`Cannot use ${nameOf(field)}: groups are not supported`);
  const kind = resolvedType === null
    ? scalarOf(field)
    : resolvedType instanceof protobuf.Type
    ? "message"
    : "enum";
  const isMap = field instanceof protobuf.MapField;
  return {
    name,
    json: jsonNameOf(field),
    id,
    kind,
    ...resolvedType !== null && { of: nameOf(resolvedType) },
    ...isMap && { many: "map", key: scalarNamed(field.keyType) },
    ...repeated && { many: field.packed && wireTypeOf(kind) !== LENGTH ? "packed" : "list" },
    // protobuf.js puts a proto3 `optional` field into a oneof of its own, so a oneof with a single
    // field is left out.
    ...partOf !== null && partOf.oneof.length > 1 && { oneof: partOf.name },
    ...field.required && { required: true },
  };
}

function scalarOf({ type }: protobuf.Field): ScalarKind {
  return scalarNamed(type);
}

function scalarNamed(type: string): ScalarKind {
  const kind = SCALARS.find((scalar) => scalar === type);
  if (kind === undefined) throw new Error(`Cannot find the type ${type}`);
  return kind;
}

/** The option json_name, or else the name in camel case (https://protobuf.dev/programming-guides/json). */
function jsonNameOf({ name, options }: protobuf.Field): string {
  const own: unknown = options?.json_name;
  if (typeof own === "string") return own;
  return name.replace(/_+(.)?/g, (_, letter: string = "") => letter.toUpperCase());
}
