/** What a streamed response is to be read as, and for how long: as posted to a worker. */
import type { RootType } from "../../../../base/grpc/message_types.ts";
import type { BodySource } from "../../../../scenarios/request/values.ts";
import type { StreamKind } from "../../../../scenarios/request/request.ts";
import type { ResponseExpectation } from "../response_check.ts";

/** What the response to a call of gRPC is to be. */
export interface CallSpec {
  /** The response is one message; if not, as many as come, and each is counted and timed. */
  readonly isUnary: boolean;
  /** The call's deadline, counted from the send, which the server is told; absent: it has none. */
  readonly deadlineUs?: number;
  /** Statuses that are right. */
  readonly statuses: readonly number[];
  /** Type of its messages, if something looks into them. */
  readonly output?: RootType;
  /** Its message is kept, as JSON, as its body. */
  readonly keeps?: true;
}

export interface StreamSpec {
  readonly kind: StreamKind | "grpc";
  /** Only for gRPC. */
  readonly call?: CallSpec;
  /** The data of the message that ends the stream; absent: the end of the response does. */
  readonly until?: string;
  /** How long a virtual user holds the stream, since its head came; absent: until it ends. */
  readonly holdUs?: number;
  /**
   * How long to wait before it is requested again where its response ends or is cut, unless the server names another time;
   * absent: it is over then.
   */
  readonly reconnectUs?: number;
  /** Where in a message a token stands: a message without it, or with an empty one, is none. Absent: nothing is counted. */
  readonly token?: BodySource;
  /** What one message at least must hold; absent: nothing. */
  readonly expect?: Pick<ResponseExpectation, "contains" | "json" | "matches">;
}
