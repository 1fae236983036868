/** Flags for what a URL does not tell of the way to its server: certificates, and a unix socket. */
import type { Access } from "../../base/net/endpoint.ts";
import { resolve } from "node:path";
import { z } from "zod";
import { certificatesAt, checkSocket } from "../../scenarios/file/access_files.ts";
import { messageOf, type Problem } from "../../base/errors.ts";
import { urlConflicts } from "../../base/target/access.ts";
import type { Given, Parts, Values } from "../command_line/command.ts";

/** A file of certificates, as its text. */
export const certificates = z.string().transform((path, context) => {
  try {
    return certificatesAt(resolve(path));
  } catch (error) {
    context.addIssue(`Cannot read certificates from ${path}: ${messageOf(error)}`);
    return z.NEVER;
  }
});

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
    about: "Takes any certificate of an https server",
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

export function accessConflicts(given: Given): Problem[] {
  return urlConflicts(given).map(({ key, ...problem }) => ({ place: `--${key}`, ...problem }));
}

export function accessOf({ insecure, cacert, unix }: Values<typeof accessFlags>): Access {
  const unixPath = unix === undefined ? undefined : resolve(unix); // an agent stands in another folder
  return { insecure, caCerts: cacert === undefined ? [] : [cacert], unixPath };
}
