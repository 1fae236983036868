/** Flags that say, in addition to the URL, how a command reaches a server. */
import { resolve } from "node:path";
import * as z from "zod";
import { messageOf, type Problem } from "../../base/errors.ts";
import { fieldProblemInHttp2 } from "../../base/http/request.ts";
import {
  accessConflicts,
  http2ProxyProblem,
  proxyUrl,
  resolved,
} from "../../base/target/access.ts";
import { checkSocket, privateKeyAt } from "../../scenarios/file/access_files.ts";
import type { CommandParts, RawArguments } from "../command_line/command.ts";
import { certificates } from "./fleet_flags.ts";

/** Path of a private key file; becomes the file's text. */
const privateKey = z.string().transform((path, context) => {
  try {
    return privateKeyAt(resolve(path));
  } catch (error) {
    context.addIssue(`Cannot read a key from ${path}: ${messageOf(error)}`);
    return z.NEVER;
  }
});

/** Path of an existing Unix socket. */
const socket = z.string().superRefine((path, context) => {
  try {
    checkSocket(resolve(path));
  } catch (error) {
    context.addIssue(`Cannot dial ${path}: ${messageOf(error)}`);
  }
});

export const accessFlags = {
  insecure: {
    flags: "--insecure",
    about: "Accepts any certificate from an https server",
    schema: z.boolean().default(false),
  },
  cacert: {
    flags: "--cacert <FILE>",
    about: "Additional CA certificates to trust (PEM)",
    schema: certificates.optional(),
  },
  cert: {
    flags: "--cert <FILE>",
    about: "Client certificate (PEM) to present; needs --key",
    schema: certificates.optional(),
  },
  key: {
    flags: "--key <FILE>",
    about: "Private key (PEM) of --cert, without a passphrase",
    schema: privateKey.optional(),
  },
  resolve: {
    flags: "--resolve <HOST:PORT:ADDRESS>",
    about:
      "Address to connect to for the URL's host, as in curl; separate several addresses with commas",
    schema: resolved.optional(),
  },
  proxy: {
    flags: "--proxy <URL>",
    about: "HTTP proxy to the server: http://host:port; https uses a tunnel (CONNECT)",
    schema: proxyUrl.optional(),
  },
  unix: {
    flags: "--unix <PATH>",
    about: "Unix socket to connect to instead of the URL's host",
    schema: socket.optional(),
  },
} satisfies CommandParts;

/** Problems in the combination of the flags that say how to reach a server. */
export function accessProblems(given: RawArguments): Problem[] {
  const written = { ...given, httpProxy: given.proxy };
  const conflicts = accessConflicts(written).map(({ key, ...problem }) => ({
    place: key === "httpProxy" ? "--proxy" : `--${key}`,
    ...problem,
    fix: problem.fix.replace(/^(add|leave out) (?=cacert|cert|key|resolve)/, "$1 --"),
  }));
  const http2 = given.http2 === undefined ? [] : http2Problems(given);
  if (given.agents === undefined || given.proxy === undefined) return [...conflicts, ...http2];
  const message = "Cannot load through an HTTP proxy from other machines";
  const remote = { place: "--proxy", message, fix: "leave out --proxy or --agents" };
  return [...conflicts, ...http2, remote];
}

/** Problems of flags that HTTP/2 excludes. */
function http2Problems({ url, proxy, header = [] }: RawArguments): Problem[] {
  const byProxy = http2ProxyProblem({ url, httpProxy: proxy });
  const texts = [header].flat().map(String);
  return [
    ...byProxy === null ? [] : [{
      place: "--proxy",
      message: byProxy,
      fix: "leave out --proxy or --http2, or write https://",
    }],
    ...texts.flatMap((text) => {
      const [name, ...value] = text.split(":");
      const message = fieldProblemInHttp2(name.trim(), value.join(":"));
      return message === null
        ? []
        : [{ place: "--header", message, fix: "leave out this header or --http2" }];
    }),
  ];
}
