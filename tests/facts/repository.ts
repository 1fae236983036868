/** The repository whose two commits `results/ab.json.gz` was measured of: made anew, it has the same hashes. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The second commit computes three times as long for each response. */
const ROUNDS = ["20_000", "60_000"];

const server = (rounds: string): string =>
  `Deno.serve({ hostname: "127.0.0.1", port: Number(Deno.env.get("PORT")) }, () => {
  let sum = 0;
  for (let i = 0; i < ${rounds}; i++) sum += Math.sqrt(i);
  return Response.json({ ok: sum > 0 });
});
`;

const EXPERIMENT = `name: ab
title: Is the new commit slower?
targets:
  server: { command: [deno, run, -A, server.js], env: { PORT: "{port}" }, ready: / }
scenarios:
  home: { get: /, expect: { status: 200 } }
load: { connections: 8, duration: 1s }
repeat: 6
`;

const WHO = {
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.org",
  GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z",
  GIT_CONFIG_GLOBAL: "/dev/null",
};

export async function makeRepository(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const git = async (...args: string[]): Promise<void> => {
    const { success, stderr } = await new Deno.Command("git", { args, cwd: folder, env: WHO })
      .output();
    if (!success) throw new Error(`git ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  };
  await git("init", "--quiet", "--initial-branch", "main");
  writeFileSync(join(folder, "experiment.yaml"), EXPERIMENT);
  for (const rounds of ROUNDS) {
    writeFileSync(join(folder, "server.js"), server(rounds));
    await git("add", "--all");
    await git("commit", "--quiet", "--message", `Compute ${rounds} square roots for each response`);
  }
}

if (import.meta.main) await makeRepository(Deno.args[0]);
