/** Agents as processes, on this machine or on those of a network. */
import { Plateau } from "../plateau.ts";

export interface AgentSettings {
  readonly redis: string;
  /** Hosts that it may load; its own default when absent. */
  readonly allow?: string;
  readonly args?: readonly string[];
  readonly through?: readonly string[];
}

export interface Agent extends AsyncDisposable {
  readonly name: string;
  readonly program: Plateau;
}

/** Starts one and waits until it says that it is ready; leaving the scope kills it. */
export async function startAgent(name: string, settings: AgentSettings): Promise<Agent> {
  const { redis, allow, args = [], through } = settings;
  const program = new Plateau([
    ...["agent", "--redis", redis, "--name", name, "--workers", "1"],
    ...(allow ? ["--allow", allow] : []),
    ...args,
  ], { through });
  try {
    await program.prints(/is ready/);
  } catch (error) {
    await program[Symbol.asyncDispose]();
    throw error;
  }
  return { name, program, [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() };
}
