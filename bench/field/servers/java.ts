/** Servers in Java. Jetty, Tomcat and Undertow run the same servlet; Vert.x stands for servers on Netty. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { start } from "../../stage/programs.ts";
import type { FieldServer, Place } from "../server.ts";

const POM = fileURLToPath(new URL("java/pom.xml", import.meta.url));

async function build({ folder, cert, key }: Place): Promise<void> {
  const store = ["-out", join(folder, "store.p12"), "-passout", "pass:field"];
  await start(["openssl", "pkcs12", "-export", "-in", cert, "-inkey", key, ...store]).output;
  await start([
    ...[
      "mvn",
      "-q",
      "-f",
      POM,
      `-Dfield.folder=${folder}`,
      "compile",
      "dependency:copy-dependencies",
    ],
    `-DoutputDirectory=${folder}/lib`,
  ]).output;
}

const javaServer = (name: string, artifact: string): FieldServer => ({
  name,
  needs: ["mvn", "java", "openssl"],
  install: "apt-get install maven openjdk-17-jdk-headless",
  version: ["grep", "-A1", `<artifactId>${artifact}</artifactId>`, POM],
  ways: { http1: "http1", h2c: "http1", "tls1.2": "tls", "tls1.3": "tls", h2: "tls" },
  prepare: build,
  env: ({ folder, log }) => ({ STORE: join(folder, "store.p12"), LOG: log }),
  commands: ({ folder, ports }) => [[
    ...["java", "-Xmx256m", "-cp", `${folder}/target/classes:${folder}/lib/*`, "field.Main"],
    ...[name, `${ports.http1}`, `${ports.tls}`],
  ]],
});

export const jetty: FieldServer = {
  ...javaServer("jetty", ""),
  version: ["grep", "<jetty>", POM],
};
export const tomcat = javaServer("tomcat", "tomcat-embed-core");
export const undertow = javaServer("undertow", "undertow-servlet");
export const vertx = javaServer("vertx", "vertx-core");
