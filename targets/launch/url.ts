/**
 * The launcher of a server that already runs: it starts and stops nothing. Before every load, the preflight checks that
 * the server responds, over the same connection path as the load.
 */
import { resolve } from "node:path";
import type { UrlTarget } from "../../base/target/target_shape.ts";
import type { Launcher, RunningTarget } from "./launcher.ts";

export const urlLauncher: Launcher<UrlTarget> = {
  start(
    { url, insecure, cacert, cert, key, resolve: resolved, httpProxy, unix },
    { baseDir },
  ): Promise<RunningTarget> {
    return Promise.resolve({
      origin: new URL(url).origin,
      access: {
        insecure,
        caCerts: cacert === undefined ? [] : [cacert.pem],
        unixPath: unix === undefined ? undefined : resolve(baseDir, unix),
        ...cert && key && { clientCertificate: { cert: cert.pem, key: key.pem } },
        ...resolved && { addresses: resolved.addresses },
        ...httpProxy !== undefined && { proxy: httpProxy },
      },
      pid: null,
      supervised: false,
      startUpMs: null,
      runtime: null,
      readyPath: null,
      exited: new Promise(() => {}),
      lastLines: () => [],
      stop: () => Promise.resolve(),
    });
  },
};
