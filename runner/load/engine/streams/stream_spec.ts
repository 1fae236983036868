/** The specification of a streamed response: how it is read, and for how long. Posted to workers. */
import type { RootType } from "../../../../base/grpc/message_types.ts";
import type { BodySource } from "../../../../scenarios/request/values.ts";
import type { StreamKind } from "../../../../scenarios/request/request.ts";
import type { ResponseExpectation } from "../response_check.ts";

/** The expected response to a gRPC call. */
export interface CallSpec {
  /** Whether the response is a single message; if not, any number may come, and each is counted and timed. */
  readonly isUnary: boolean;
  /** The deadline that the server is told, as the time since the call was sent; absent: none. */
  readonly deadlineUs?: number;
  /** Accepted statuses. */
  readonly statuses: readonly number[];
  /** Type of the response's messages; absent if nothing reads them. */
  readonly output?: RootType;
  /** The message is kept as JSON, in place of the response's body. */
  readonly keeps?: true;
}

export interface StreamSpec {
  readonly kind: StreamKind | "grpc";
  /** Only for gRPC. */
  readonly call?: CallSpec;
  /** The data of the message that ends the stream; absent: the end of the response ends it. */
  readonly until?: string;
  /** How long a virtual user keeps the stream open after its head; absent: until it ends. */
  readonly holdUs?: number;
  /**
   * How long to wait before requesting the stream again after its response ends or is cut, unless the server names
   * another time; absent: the stream is then over.
   */
  readonly reconnectUs?: number;
  /** Where a message has its token; an empty token does not count. Absent: tokens are not counted. */
  readonly token?: BodySource;
  /** The expectation that at least one message must meet; absent: none. */
  readonly expect?: Pick<ResponseExpectation, "contains" | "json" | "matches">;
}
