/** What is done on a WebSocket, and for how long: as posted to a worker. */
import type { MessageExpectation } from "../../../../scenarios/request/websocket.ts";
import type { ResponseExpectation } from "../response_check.ts";

export interface SocketSpec {
  /** What is sent; absent: nothing. */
  readonly send?: SocketSend;
  /** Which message of the server responds to one that was sent; push: none does, as they come by themselves. */
  readonly answer: MessageExpectation;
  /** How long a virtual user holds it, since it was open; absent: until the load ends. */
  readonly holdUs?: number;
  /** The server may choose one of these. */
  readonly subprotocols: readonly string[];
  /** Whether compression is offered. */
  readonly deflate: boolean;
  /** What one message at least must hold; absent: nothing. */
  readonly expect?: Pick<ResponseExpectation, "contains" | "json" | "matches">;
}

interface SocketSend {
  /** Between two messages; absent: one is sent, as soon as it is open. */
  readonly everyUs?: number;
  readonly isText: boolean;
}

/** One socket that is to be opened. */
export interface SocketRequest {
  /** One object for all that differ in their values alone. */
  readonly spec: SocketSpec;
  /** What each message holds, in which `{{ n }}` and `{{ socket }}` stand for numbers. */
  readonly payload: Uint8Array<ArrayBuffer>;
}
