/** The specification of a WebSocket: the messages on it, and how long it stays open. Posted to workers. */
import type { MessageExpectation } from "../../../../scenarios/request/websocket.ts";
import type { ResponseExpectation } from "../response_check.ts";

export interface SocketSpec {
  /** The messages to send; absent: none. */
  readonly send?: SocketSend;
  /** How the server's messages are matched to sent ones; `push`: they are not, because the server sends on its own. */
  readonly answer: MessageExpectation;
  /** How long a virtual user keeps the socket open; absent: until the load ends. */
  readonly holdUs?: number;
  /** Subprotocols of which the server may choose one. */
  readonly subprotocols: readonly string[];
  /** Whether compression is offered. */
  readonly deflate: boolean;
  /** The expectation that at least one message must meet; absent: none. */
  readonly expect?: Pick<ResponseExpectation, "contains" | "json" | "matches">;
}

interface SocketSend {
  /** Time between messages; absent: a single message is sent as soon as the socket is open. */
  readonly everyUs?: number;
  readonly isText: boolean;
}

/** A request to open a WebSocket. */
export interface SocketRequest {
  /**
   * The specification, one object shared by all sockets that differ only in the values filled into their requests and
   * messages.
   */
  readonly spec: SocketSpec;
  /**
   * Template of the messages, in which `{{ n }}` stands for the message's number and `{{ socket }}` for the socket's
   * name.
   */
  readonly payload: Uint8Array<ArrayBuffer>;
}
