/** A slow DNS server on loopback, and a mount namespace in which the system's resolver queries it. */
import { join } from "node:path";
import { messageOf, TargetError } from "../../base/errors.ts";
import type { Command } from "../stage/programs.ts";

const ADDRESS = "127.0.0.1";
/** The system's resolver cannot be told to use another port (resolv.conf(5)). */
const PORT = 53;
const SLOW_MS = 30;

/**
 * Starts a DNS server that takes 30 ms to answer. Queries for IPv4 addresses get the server's own address; all other
 * queries get an empty answer.
 */
export function startNameServer(): Disposable {
  const socket = listen();
  void serve(socket).catch(() => {}); // rejects once the socket is closed
  return { [Symbol.dispose]: () => socket.close() };
}

function listen(): Deno.DatagramConn {
  try {
    return Deno.listenDatagram({ hostname: ADDRESS, port: PORT, transport: "udp" });
  } catch (error) {
    const why = `cannot be a name server at ${ADDRESS}:${PORT}: ${messageOf(error)}`;
    throw new TargetError(`Cannot measure: ${why}`);
  }
}

async function serve(socket: Deno.DatagramConn): Promise<void> {
  for await (const [question, from] of socket) {
    setTimeout(() => void socket.send(answerTo(question), from).catch(() => {}), SLOW_MS);
  }
}

/**
 * The size of the DNS header, after which the question begins (RFC 1035 §4.1). The name in the question ends with an
 * empty label.
 */
const HEADER_BYTES = 12;
const TYPE_A = 1;
const IS_ANSWER = [0x81, 0x80];
/**
 * The answer record: a pointer to the name in the question, type A, class IN, a TTL of 0 s, and the 4 bytes of
 * 127.0.0.1.
 */
const ANSWER = [0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1];

function answerTo(question: Uint8Array): Uint8Array<ArrayBuffer> {
  let end = HEADER_BYTES;
  while (question[end] !== 0) end += question[end] + 1;
  const isForAddress = question[end + 2] === TYPE_A;
  const head = [...question.slice(0, 2), ...IS_ANSWER, 0, 1, 0, Number(isForAddress), 0, 0, 0, 0];
  const asked = question.slice(HEADER_BYTES, end + 5);
  return Uint8Array.from([...head, ...asked, ...isForAddress ? ANSWER : []]);
}

/** Wraps a command so that it runs in its own mount namespace, where the system's resolver queries this slow server. */
export function askingNameServer(command: Command, folder: string): Command {
  const file = join(folder, "resolv.conf");
  Deno.writeTextFileSync(file, `nameserver ${ADDRESS}\n`);
  const within = `mount --bind '${file}' /etc/resolv.conf && exec "$0" "$@"`;
  return ["unshare", "-rm", "sh", "-c", within, ...command];
}
