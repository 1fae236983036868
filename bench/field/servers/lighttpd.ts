/** lighttpd. It serves files itself and forwards all other requests to the origin. */
import { join } from "node:path";
import type { FieldServer } from "../server.ts";

export const lighttpd: FieldServer = {
  name: "lighttpd",
  needs: ["lighttpd"],
  install: "apt-get install lighttpd",
  version: ["lighttpd", "-v"],
  ways: { http1: "http1", h2c: "http1", "tls1.2": "tls12", "tls1.3": "tls", h2: "tls" },
  prepare: ({ folder, ports, origin, cert, key, log }) => {
    const secure = `ssl.engine = "enable"\n  ssl.pemfile = "${cert}"\n  ssl.privkey = "${key}"`;
    const protocol = (least: string, most: string): string =>
      `ssl.openssl.ssl-conf-cmd = ("MinProtocol" => "${least}", "MaxProtocol" => "${most}")`;
    Deno.writeTextFileSync(
      join(folder, "lighttpd.conf"),
      `server.modules = ("mod_openssl", "mod_proxy", "mod_accesslog")
server.document-root = "${folder}/www"
server.bind = "127.0.0.1"
server.port = ${ports.http1}
server.errorlog = "${folder}/error.log"
server.feature-flags += ("server.h2proto" => "enable", "server.h2c" => "enable")
server.max-keep-alive-requests = 100
server.max-keep-alive-idle = 2
server.max-request-size = 200
accesslog.filename = "${log}"
accesslog.format = "%r"
$SERVER["socket"] == "127.0.0.1:${ports.tls}" {
  ${secure}
  ${protocol("TLSv1.3", "TLSv1.3")}
}
$SERVER["socket"] == "127.0.0.1:${ports.tls12}" {
  ${secure}
  ${protocol("TLSv1.2", "TLSv1.2")}
}
$HTTP["url"] !~ "^/(small|big)" {
  proxy.server = ("" => (("host" => "127.0.0.1", "port" => ${origin})))
}
`,
    );
  },
  commands: ({ folder }) => [["lighttpd", "-D", "-f", `${folder}/lighttpd.conf`]],
  reload: "SIGUSR1",
};
