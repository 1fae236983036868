/** A slow name server on loopback, and a mount namespace in which the system's resolver asks it. */
import { join } from "node:path";
import { messageOf, TargetError } from "../../base/errors.ts";
import type { Command } from "../stage/programs.ts";

const ADDRESS = "127.0.0.1";
/** The only port that the system's resolver uses (resolv.conf(5)). */
const PORT = 53;
const SLOW_MS = 30;

/**
 * Starts a server that answers every question for an IPv4 address with its own address, and other questions with
 * nothing, after 30 ms.
 */
export function startNameServer(): Disposable {
  const socket = listen();
  void serve(socket).catch(() => {}); // the socket was closed
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
 * The size of the header before the question (RFC 1035, section 4.1); the name in the question ends with an empty
 * label.
 */
const HEADER_BYTES = 12;
const TYPE_A = 1;
const IS_ANSWER = [0x81, 0x80];
/** The answer: the name of the question, type A, class IN, for 0 s, 4 bytes. */
const ANSWER = [0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1];

function answerTo(question: Uint8Array): Uint8Array<ArrayBuffer> {
  let end = HEADER_BYTES;
  while (question[end] !== 0) end += question[end] + 1;
  const isForAddress = question[end + 2] === TYPE_A;
  const head = [...question.slice(0, 2), ...IS_ANSWER, 0, 1, 0, Number(isForAddress), 0, 0, 0, 0];
  const asked = question.slice(HEADER_BYTES, end + 5);
  return Uint8Array.from([...head, ...asked, ...isForAddress ? ANSWER : []]);
}

/** The command in a mount namespace of its own, in which the system's resolver asks this slow server. */
export function askingNameServer(command: Command, folder: string): Command {
  const file = join(folder, "resolv.conf");
  Deno.writeTextFileSync(file, `nameserver ${ADDRESS}\n`);
  const within = `mount --bind '${file}' /etc/resolv.conf && exec "$0" "$@"`;
  return ["unshare", "-rm", "sh", "-c", within, ...command];
}
