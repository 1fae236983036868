/** What is done on a WebSocket, and for how long: as posted to a worker. */
import type { MessageExpectation } from "../../../../scenarios/request/websocket.ts";
import type { ResponseExpectation } from "../response_check.ts";

export interface SocketSpec {
  /** What is sent; absent: nothing. */
  readonly send?: SocketSend;
  /** Which message of the server responds to a sent one; push: none does, because the server sends by itself. */
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
  /** Time between two messages; absent: a single one is sent, as soon as the socket is open. */
  readonly everyUs?: number;
  readonly isText: boolean;
}

/** A WebSocket that is to be opened. */
export interface SocketRequest {
  /** One object for all sockets that differ only in their values. */
  readonly spec: SocketSpec;
  /** What each message holds, in which `{{ n }}` and `{{ socket }}` stand for numbers. */
  readonly payload: Uint8Array<ArrayBuffer>;
}
