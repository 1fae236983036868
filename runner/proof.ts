/**
 * Before a target is measured it must answer right: the scenario's request is asked once, over the same
 * codec as the load, and the answer is checked.
 */
import type { Scenario } from "../scenarios/request.ts";
import { wireRequest, wrongAnswer } from "../scenarios/request.ts";
import { TargetError } from "../scenarios/errors.ts";
import { encodeRequest } from "./http/request.ts";
import { BROKEN, NEED_MORE, ResponseReader } from "./http/response.ts";
import { endpointOf } from "./measure.ts";

export interface ProofRequest {
  /** Name of the target, for the message. */
  readonly target: string;
  readonly origin: string;
  readonly scenario: Scenario;
  readonly timeoutMs: number;
}

/** Throws a TargetError that shows the wrong answer beside the right one. */
export async function prove(request: ProofRequest): Promise<void> {
  const wire = wireRequest(request.scenario);
  const asked = `${wire.method} ${wire.path}`;
  const answer = await askOnce(request).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new TargetError(
      `Cannot measure target ${request.target}: ${asked} got no answer: ${why}`,
    );
  });
  const wrong = wrongAnswer(request.scenario.expect, answer);
  if (wrong !== null) {
    throw new TargetError(
      `Cannot measure target ${request.target}: ${asked} is answered wrong: ${wrong}`,
    );
  }
}

async function askOnce(
  { origin, scenario, timeoutMs }: ProofRequest,
): Promise<{ status: number; body: string }> {
  const wire = wireRequest(scenario);
  const reader = new ResponseReader({ retain: true });
  reader.begin(wire.method === "HEAD");
  using conn = await Deno.connect(endpointOf(origin));
  const late = setTimeout(() => conn.close(), timeoutMs);
  try {
    const bytes = encodeRequest(wire, { host: new URL(origin).host, keepAlive: false });
    for (let at = 0; at < bytes.length;) at += await conn.write(bytes.subarray(at));
    await readAnswer(conn, reader);
    return { status: reader.status, body: new TextDecoder().decode(reader.kept?.body()) };
  } finally {
    clearTimeout(late);
  }
}

async function readAnswer(conn: Deno.TcpConn, reader: ResponseReader): Promise<void> {
  const buffer = new Uint8Array(64 * 1024);
  while (reader.state === NEED_MORE) {
    const length = await conn.read(buffer);
    if (length === null) reader.end();
    else reader.read(buffer, 0, length);
  }
  if (reader.state === BROKEN) throw new Error(reader.reason);
}
