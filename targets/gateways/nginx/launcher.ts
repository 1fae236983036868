/**
 * Launches the nginx that is on PATH, in a temporary folder. nginx either serves files, or forwards requests to another
 * target or a URL.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { TemporaryFolder } from "../../../base/system/temporary_folder.ts";
import { fileOf, isUrl, type NginxTarget } from "../../../base/target/gateway_shape.ts";
import {
  cannotStart,
  type LaunchContext,
  type Launcher,
  type RunningTarget,
  startOfNeed,
} from "../../launch/launcher.ts";
import { cleanEnv, findProgram, freePort, locateFolder } from "../../launch/environment.ts";
import { bringUp } from "../../launch/bring_up.ts";
import { startSupervised } from "../../launch/child.ts";
import { runtimeOf } from "../../launch/runtime.ts";
import { plainOrigin, startComposite } from "../composite.ts";
import { isServable, type NginxConfig, nginxConfig } from "./config.ts";

export const nginxLauncher: Launcher<NginxTarget> = {
  start({ nginx: { root, files, proxy, workers, timeout } }, context): Promise<RunningTarget> {
    if (files !== undefined) {
      return startNginx({ workers, serves: { texts: files }, readyPath: "/" }, context);
    }
    if (proxy === undefined) {
      const folder = locateFolder(root ?? ".", context);
      return startNginx({ workers, serves: { folder }, readyPath: "/" }, context);
    }
    return startComposite({ gateway: "nginx", behind: proxy }, async (composite) => {
      const origin = isUrl(proxy) ? null : composite.take(await context.startOther(proxy));
      const server = { origin: origin ? plainOrigin(origin, context) : proxy, late: false };
      const serves = {
        servers: [server],
        policy: "round-robin",
        timeoutMs: timeout ?? null,
      } as const;
      const readyPath = origin?.readyPath ?? "/";
      return composite.behind(await startNginx({ workers, serves, readyPath }, context));
    });
  },
};

export const NO_NGINX = "No nginx on PATH: install it (apt-get install nginx)";

export function findNginx(): string | null {
  return findProgram("nginx", { path: cleanEnv().PATH ?? "", cwd: Deno.cwd() });
}

/** Subfolder for the files that this module writes. */
const FILES = "files";

interface NginxOptions extends Pick<NginxConfig, "workers"> {
  /** What to serve: texts by path, a folder, or the responses of other servers. */
  readonly serves: { readonly texts: Readonly<Record<string, string>> } | NginxConfig["serves"];
  /** A path that responds with a status below 500 once nginx is ready. */
  readonly readyPath: string;
}

/** Starts nginx. Throws a TargetError, or the signal's reason if the user interrupts; in both cases it cleans up. */
export async function startNginx(
  { workers, serves, readyPath }: NginxOptions,
  context: LaunchContext,
): Promise<RunningTarget> {
  const program = findNginx();
  if (program === null) throw cannotStart(context, NO_NGINX);
  if ("folder" in serves && !isServable(serves.folder)) {
    throw cannotStart(
      context,
      `nginx can't serve "${serves.folder}", because its path contains a $`,
    );
  }
  const env = cleanEnv();
  const runtime = await runtimeOf([program], { env, cwd: Deno.cwd() });
  const folder = TemporaryFolder.make("nginx");
  try {
    const port = context.listen?.port ?? freePort({ host: context.host });
    const file = join(folder.path, "nginx.conf");
    if ("texts" in serves) writeFiles(join(folder.path, FILES), serves.texts);
    const options = { host: context.host, port, workers, user: workersUser() };
    const served = "texts" in serves ? { folder: FILES } : serves;
    Deno.writeTextFileSync(file, nginxConfig({ ...options, serves: served }), {
      mode: 0o600,
    });
    const command = [program, "-p", folder.path, "-c", file];
    const own = { cwd: folder.path, folder: folder.path };
    return await startOfNeed("nginx", async () => {
      const child = startSupervised(command, { env, ...own });
      return await bringUp({ child, runtime, path: readyPath, port }, context);
    });
  } catch (error) {
    folder[Symbol.dispose]();
    throw error;
  }
}

/**
 * The user for nginx's workers. If root starts nginx, it is root, because nginx's default user may not be allowed to
 * read the files. Otherwise it is null, because the workers keep the user who starts nginx.
 */
function workersUser(): string | null {
  const { uid, username } = userInfo();
  return uid === 0 ? username : null;
}

function writeFiles(folder: string, texts: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(texts)) {
    const file = join(folder, fileOf(path));
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, text, { mode: 0o600 });
  }
}
