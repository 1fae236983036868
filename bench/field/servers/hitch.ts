/**
 * hitch, which terminates TLS, in front of Varnish, which speaks HTTP/1.1 and HTTP/2 and forwards requests to the
 * origin.
 */
import { join } from "node:path";
import type { FieldServer } from "../server.ts";

export const hitch: FieldServer = {
  name: "hitch-varnish",
  needs: ["hitch", "varnishd", "varnishncsa"],
  install: "apt-get install hitch varnish",
  version: ["varnishd", "-V"],
  ways: { http1: "http1", h2c: "http1", "tls1.2": "tls12", "tls1.3": "tls", h2: "tls" },
  prepare: ({ folder, ports, origin, cert, key }) => {
    const pem = join(folder, "both.pem");
    Deno.writeTextFileSync(pem, Deno.readTextFileSync(key) + Deno.readTextFileSync(cert));
    const common = `backend = "[127.0.0.1]:${ports.inner}"
pem-file = "${pem}"
write-proxy-v2 = on
user = "nobody"
group = "nogroup"
daemon = off
workers = 1
`;
    const config = (port: number, protocol: string, alpn: string): string =>
      `frontend = "[127.0.0.1]:${port}"\ntls-protos = ${protocol}\nalpn-protos = "${alpn}"\n${common}`;
    Deno.writeTextFileSync(
      join(folder, "hitch.conf"),
      config(ports.tls, "TLSv1.3", "h2, http/1.1"),
    );
    Deno.writeTextFileSync(
      join(folder, "hitch12.conf"),
      config(ports.tls12, "TLSv1.2", "http/1.1"),
    );
    Deno.writeTextFileSync(
      join(folder, "field.vcl"),
      `vcl 4.1;
backend origin { .host = "127.0.0.1"; .port = "${origin}"; }
sub vcl_recv {
  if (req.url ~ "^/limited") { return (synth(413)); }
  return (pass);
}
`,
    );
  },
  commands: ({ folder, ports, log }) => [
    [
      ...["varnishd", "-F", "-n", `${folder}/varnish`, "-f", `${folder}/field.vcl`],
      ...["-a", `127.0.0.1:${ports.http1}`, "-a", `127.0.0.1:${ports.inner},PROXY`],
      ...["-p", "feature=+http2", "-p", "h2_max_concurrent_streams=8", "-p", "timeout_idle=3"],
      ...["-s", "malloc,64m", "-p", "thread_pool_min=20"],
    ],
    ["sh", "-c", `until varnishncsa -n ${folder}/varnish -F '%r' >> ${log}; do sleep 0.2; done`],
    ["hitch", "--config", join(folder, "hitch.conf")],
    ["hitch", "--config", join(folder, "hitch12.conf")],
  ],
};
