/** h2o. It serves files itself and forwards all other requests to the origin. */
import { join } from "node:path";
import type { FieldServer } from "../server.ts";

export const h2o: FieldServer = {
  name: "h2o",
  needs: ["h2o"],
  install: "apt-get install h2o",
  version: ["h2o", "-v"],
  ways: { http1: "http1", h2c: "http1", "tls1.2": "tls12", h2: "tls" },
  prepare: ({ folder, ports, origin, cert, key, log }) => {
    const listen = (port: number, version: string): string =>
      `listen:
  host: 127.0.0.1
  port: ${port}
  ssl:
    certificate-file: ${cert}
    key-file: ${key}
    minimum-version: ${version}
`;
    Deno.writeTextFileSync(
      join(folder, "h2o.conf"),
      `user: root
pid-file: ${folder}/pid
access-log:
  path: ${log}
  format: "%U%q"
listen:
  host: 127.0.0.1
  port: ${ports.http1}
${listen(ports.tls, "TLSv1.2")}${listen(ports.tls12, "TLSv1.2")}http1-request-timeout: 3
http2-idle-timeout: 3
limit-request-body: 200000
hosts:
  default:
    paths:
      /small:
        file.file: ${folder}/www/small
      /big:
        file.file: ${folder}/www/big
      /:
        proxy.reverse.url: http://127.0.0.1:${origin}/
`,
    );
  },
  commands: ({ folder }) => [["h2o", "-c", join(folder, "h2o.conf")]],
  differs: {
    "early 413": {
      how: "refuses the stream over HTTP/2 in place of a response, to curl, too",
      ways: ["h2c", "h2"],
    },
  },
};
