/** Flags for what a URL does not tell of the way to its server: certificates, and a unix socket. */
import { z } from "zod";
import type { Access } from "../runner/endpoint.ts";
import { messageOf, type Problem } from "../scenarios/errors.ts";
import type { Given, Parts, Values } from "./command.ts";

/** A file of certificates, as its text. Read as the load will read it: else every dial would fail. */
const certificates = z.string().transform((path, context) => {
  try {
    const text = Deno.readTextFileSync(path);
    if (!text.includes("-----BEGIN CERTIFICATE-----")) throw new Error("it holds none as PEM");
    Deno.createHttpClient({ caCerts: [text] }).close();
    return text;
  } catch (error) {
    context.addIssue(`Cannot read certificates from ${path}: ${messageOf(error)}`);
    return z.NEVER;
  }
});

const socket = z.string().superRefine((path, context) => {
  try {
    if (Deno.statSync(path).isSocket === false) throw new Error("it is no socket");
  } catch (error) {
    context.addIssue(`Cannot dial ${path}: ${messageOf(error)}`);
  }
});

export const accessFlags = {
  insecure: {
    flags: "--insecure",
    about: "Takes any certificate",
    schema: z.boolean().default(false),
  },
  cacert: {
    flags: "--cacert <FILE>",
    about: "Certificates (PEM) of authorities to trust besides the usual ones",
    schema: certificates.optional(),
  },
  unix: {
    flags: "--unix <PATH>",
    about: "Unix socket to dial in place of the URL's host",
    schema: socket.optional(),
  },
} satisfies Parts;

export function accessConflicts({ url, cacert, unix }: Given): Problem[] {
  const isSecure = /^https:/i.test(String(url));
  const problems: Problem[] = [];
  if (cacert !== undefined && !isSecure) {
    const message = "Cannot check certificates where there are none: the URL is not https";
    problems.push({ place: "--cacert", message, fix: "leave it out, or write https://" });
  }
  if (unix !== undefined && isSecure) {
    const message = "Cannot use TLS on a unix socket: the URL is https";
    problems.push({ place: "--unix", message, fix: "write http://" });
  }
  return problems;
}

export function accessOf({ insecure, cacert, unix }: Values<typeof accessFlags>): Access {
  return { insecure, caCerts: cacert === undefined ? [] : [cacert], unixPath: unix };
}
