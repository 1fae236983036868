/** Apache httpd with mod_http2. It serves files itself and forwards all other requests to the origin. */
import { join } from "node:path";
import type { FieldServer } from "../server.ts";

const MODULES = [
  ...["mpm_event", "authz_core", "log_config", "http2", "ssl", "socache_shmcb", "proxy"],
  ...["proxy_http", "alias", "filter", "deflate", "unixd"],
];

/** The directives that load a module, unless the package has compiled it in. */
function loaded(name: string): string {
  return `<IfModule !${name}_module>
  LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so
</IfModule>`;
}

export const apache: FieldServer = {
  name: "apache",
  needs: ["apache2"],
  install: "apt-get install apache2",
  version: ["apache2", "-v"],
  ways: { http1: "http1", h2c: "http1", "tls1.2": "tls12", "tls1.3": "tls", h2: "tls" },
  prepare: ({ folder, ports, origin, cert, key, log }) =>
    Deno.writeTextFileSync(
      join(folder, "httpd.conf"),
      `ServerRoot ${folder}
${MODULES.map(loaded).join("\n")}
PidFile ${folder}/pid
User www-data
Group www-data
Mutex pthread
ServerName localhost
ErrorLog /dev/stderr
CustomLog ${log} "%U%q"
Listen 127.0.0.1:${ports.http1}
Listen 127.0.0.1:${ports.tls} https
Listen 127.0.0.1:${ports.tls12} https
Protocols h2 h2c http/1.1
H2MaxSessionStreams 8
H2Direct on
MaxKeepAliveRequests 100
KeepAliveTimeout 3
DocumentRoot ${folder}/www
SSLCertificateFile ${cert}
SSLCertificateKeyFile ${key}
Redirect 413 /limited
ProxyPass /limited !
ProxyPass /small !
ProxyPass /big !
ProxyPass / http://127.0.0.1:${origin}/
<VirtualHost 127.0.0.1:${ports.tls}>
  SSLEngine on
  SSLProtocol TLSv1.3
</VirtualHost>
<VirtualHost 127.0.0.1:${ports.tls12}>
  SSLEngine on
  SSLProtocol TLSv1.2
</VirtualHost>
`,
    ),
  commands: ({ folder }) => [["apache2", "-d", folder, "-f", "httpd.conf", "-D", "FOREGROUND"]],
  reload: ({ folder }) => ["apache2", "-d", folder, "-f", "httpd.conf", "-k", "graceful"],
  differs: {
    crash: {
      how: "writes a request that fails over HTTP/2 into its log twice, also one of curl's",
      ways: ["h2c", "h2"],
    },
  },
};
