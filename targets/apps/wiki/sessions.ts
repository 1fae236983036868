/** Logins: users with salted passwords, and sessions by a random token of which only the hash is kept. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import * as z from "zod";
import { type Database, prepare } from "./database.ts";

/** The lifetime of a session. */
export const SESSION_SEC = 24 * 3_600;

export interface Sessions {
  readonly addUser: (name: string, password: string) => Promise<void>;
  /** Returns the token of a new session, or null if the name and the password do not match. */
  readonly logIn: (name: string, password: string) => Promise<string | null>;
  /** Returns the name of the session's user, or null. */
  readonly userOf: (token: string) => string | null;
  readonly logOut: (token: string) => void;
}

const HASH_BYTES = 32;

type PasswordBytes = Uint8Array<ArrayBuffer>;

/** Derives a hash by PBKDF2 with as many rounds as OWASP recommends: some 80 ms of CPU time, off the main thread. */
async function derive(password: string, salt: PasswordBytes): Promise<PasswordBytes> {
  const bytes = new TextEncoder().encode(password);
  const key = await crypto.subtle.importKey("raw", bytes, "PBKDF2", false, ["deriveBits"]);
  const how = { name: "PBKDF2", hash: "SHA-256", salt, iterations: 600_000 };
  return new Uint8Array(await crypto.subtle.deriveBits(how, key, 8 * HASH_BYTES));
}

const drawBytes = (length: number): PasswordBytes => crypto.getRandomValues(new Uint8Array(length));

const tokenHash = (token: string): string => createHash("sha256").update(token).digest("hex");

const bytes = z.instanceof(Uint8Array).transform((given) => new Uint8Array(given));

/** @param now Returns milliseconds since 1970. */
export function openSessions({ db }: Database, now: () => number = Date.now): Sessions {
  const addUser = db.prepare("INSERT INTO users (name, salt, hash) VALUES (?, ?, ?)");
  const user = prepare(
    db,
    z.object({ id: z.number(), salt: bytes, hash: bytes }),
    "SELECT id, salt, hash FROM users WHERE name = ?",
  );
  const begin = db.prepare("INSERT INTO sessions (token_hash, user_id, ends_at) VALUES (?, ?, ?)");
  const session = prepare(
    db,
    z.object({ name: z.string() }),
    "SELECT name FROM sessions JOIN users ON id = user_id WHERE token_hash = ? AND ends_at > ?",
  );
  const end = db.prepare("DELETE FROM sessions WHERE token_hash = ? OR ends_at <= ?");
  const nobody = { id: 0, salt: drawBytes(16), hash: drawBytes(HASH_BYTES) };
  return {
    async addUser(name, password): Promise<void> {
      const salt = drawBytes(16);
      addUser.run(name, salt, await derive(password, salt));
    },
    async logIn(name, password): Promise<string | null> {
      // An unknown name takes as much time as a wrong password.
      const { id, salt, hash } = user.first(name) ?? nobody;
      const isRight = timingSafeEqual(await derive(password, salt), hash);
      if (!isRight || id === nobody.id) return null;
      const token = randomBytes(24).toString("base64url");
      begin.run(tokenHash(token), id, now() + SESSION_SEC * 1_000);
      return token;
    },
    userOf: (token) => session.first(tokenHash(token), now())?.name ?? null,
    logOut: (token) => void end.run(tokenHash(token), now()),
  };
}
