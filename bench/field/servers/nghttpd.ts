/** nghttpd, the reference HTTP/2 server of nghttp2. It serves files only. */
import type { FieldServer } from "../server.ts";

export const nghttpd: FieldServer = {
  name: "nghttpd",
  needs: ["nghttpd"],
  install: "apt-get install nghttp2-server",
  version: ["nghttpd", "--version"],
  ways: { h2c: "h2c", h2: "tls" },
  commands: ({ folder, ports, cert, key, log }) => {
    const common = `-v --max-concurrent-streams=8 -a 127.0.0.1 -d ${folder}/www --echo-upload`;
    return [
      ["sh", "-c", `exec nghttpd ${common} --no-tls ${ports.h2c} >> ${log}`],
      ["sh", "-c", `exec nghttpd ${common} ${ports.tls} ${key} ${cert} >> ${log}`],
    ];
  },
  only: ["small", "big", "head", "recycled", "recycled streams", "streams", "idle", "open loop"],
};
