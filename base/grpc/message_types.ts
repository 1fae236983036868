/**
 * Types of protobuf messages as plain data, which can be sent to workers and agents. They come from `.proto` files or
 * from server reflection. `encode_message.ts` and `decode_message.ts` use them without a protobuf library, so workers
 * need not load one.
 */
import * as z from "zod";
import type { Conflict } from "../problems.ts";
import type { Json } from "../yaml/json_text.ts";

/** Scalar types (https://protobuf.dev/programming-guides/proto3/#scalar). */
export const SCALARS = [
  ...["double", "float", "int32", "int64", "uint32", "uint64", "sint32", "sint64"] as const,
  ...["fixed32", "fixed64", "sfixed32", "sfixed64", "bool", "string", "bytes"] as const,
] as const;

const MOST_NAME = 1_000;
const name = z.string().min(1).max(MOST_NAME);
/** Field numbers have 29 bits. */
const fieldNumber = z.int().min(1).max(2 ** 29 - 1);

const fieldType = z.strictObject({
  /** Name in the `.proto` file. */
  name,
  /** Name in JSON. */
  json: name,
  id: fieldNumber,
  kind: z.enum([...SCALARS, "message", "enum"]),
  /** Full name of the message or enum. */
  of: name.optional(),
  /** Absent if the field has at most one value. */
  many: z.enum(["list", "packed", "map"]).optional(),
  /** Type of the keys, if the field is a map. */
  key: z.enum(SCALARS).optional(),
  /** Name of the oneof: only one field of a oneof may be set. */
  oneof: name.optional(),
  /** Only proto2 has required fields. */
  required: z.literal(true).optional(),
});

const MOST_TYPES = 10_000;
const MOST_FIELDS = 10_000;

function hasAtMost(most: number): (named: Readonly<Record<string, unknown>>) => boolean {
  return (named) => Object.keys(named).length <= most;
}

export const messageTypes = z.strictObject({
  /** The fields of each message, keyed by the message's full name. */
  messages: z.record(name, z.array(fieldType).max(MOST_FIELDS)).refine(hasAtMost(MOST_TYPES)),
  /** For each enum, keyed by its full name, the numbers of its values, keyed by value name. */
  enums: z.record(name, z.record(name, z.int())).refine(hasAtMost(MOST_TYPES)),
});

/** A message's full name, and all types that the message needs. */
export const rootType = z.strictObject({ name, types: messageTypes });

export type FieldType = z.output<typeof fieldType>;
export type FieldKind = FieldType["kind"];
export type ScalarKind = typeof SCALARS[number];
export type MessageTypes = z.output<typeof messageTypes>;
export type RootType = z.output<typeof rootType>;

/** A gRPC call as written in an experiment or on a command line. */
export interface WrittenCall {
  readonly grpc: string;
  readonly message?: Json;
  readonly messages?: readonly Json[];
}

export interface ProtoTypes {
  /**
   * The types of a method. Throws with the reason if there is no such method.
   * @param name `package.Service/Method`.
   */
  method(name: string): MethodType;
  /**
   * The reasons why the call does not fit its method: the method is unknown, takes only one message, or has a message
   * of another type. Values that contain placeholders are not checked.
   */
  conflicts(call: WrittenCall): Conflict[];
}

export interface MethodType {
  readonly input: RootType;
  readonly output: RootType;
  readonly clientStreams: boolean;
  readonly serverStreams: boolean;
}

/** Why this many messages can't be sent to a method; null if they can. */
export function messageCountProblem({ clientStreams }: MethodType, count: number): string | null {
  return clientStreams || count === 1
    ? null
    : `Cannot send ${count} messages to a method that takes one: give a single message`;
}
