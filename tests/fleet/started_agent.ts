/** An agent as a process of its own. */
import { Plateau } from "../e2e/plateau.ts";

/** Ready for work; the end of its `await using` scope kills it. */
export async function startAgent(url: string, name: string, ...args: string[]): Promise<Plateau> {
  const agent = new Plateau(["agent", "--redis", url, "--name", name, "--workers", "1", ...args]);
  await agent.prints(new RegExp(`agent ${name} is ready`));
  return agent;
}
