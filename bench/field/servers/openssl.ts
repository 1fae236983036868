/** `openssl s_server -WWW`, which serves files over HTTP/1.0, with a new connection for each request. */
import type { FieldServer } from "../server.ts";

export const openssl: FieldServer = {
  name: "openssl-s_server",
  needs: ["openssl"],
  install: "apt-get install openssl",
  version: ["openssl", "version"],
  ways: { "tls1.2": "tls12", "tls1.3": "tls" },
  commands: ({ folder, ports, cert, key }) => {
    const listen = (port: number, version: string): string[] => [
      ...["sh", "-c", 'cd "$0/www" && shift && exec "$@"', folder, "--"],
      ...["openssl", "s_server", "-WWW", "-quiet", version, "-cert", cert, "-key", key],
      ...["-accept", `127.0.0.1:${port}`],
    ];
    return [listen(ports.tls, "-tls1_3"), listen(ports.tls12, "-tls1_2")];
  },
  only: ["small", "recycled"],
  hasNoLog: true,
};
