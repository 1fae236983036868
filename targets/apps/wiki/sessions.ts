/**
 * Logins: users with salted password hashes, and sessions identified by a random token, of which only the hash is
 * stored.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import * as z from "zod";
import { type Database, prepare } from "./database.ts";

export const SESSION_SEC = 24 * 3_600;

export interface Sessions {
  readonly addUser: (name: string, password: string) => Promise<void>;
  /** Returns the token of a new session; null if the name or the password is wrong. */
  readonly logIn: (name: string, password: string) => Promise<string | null>;
  /** Returns the name of the user of a session; null if the session is unknown or has expired. */
  readonly userOf: (token: string) => string | null;
  readonly logOut: (token: string) => void;
}

const HASH_BYTES = 32;

type PasswordBytes = Uint8Array<ArrayBuffer>;

/**
 * Hashes a password with PBKDF2, with as many iterations as OWASP recommends. This takes about 80 ms of CPU time, but
 * not on the main thread.
 */
async function derive(password: string, salt: PasswordBytes): Promise<PasswordBytes> {
  const bytes = new TextEncoder().encode(password);
  const key = await crypto.subtle.importKey("raw", bytes, "PBKDF2", false, ["deriveBits"]);
  const how = { name: "PBKDF2", hash: "SHA-256", salt, iterations: 600_000 };
  return new Uint8Array(await crypto.subtle.deriveBits(how, key, 8 * HASH_BYTES));
}

const drawBytes = (length: number): PasswordBytes => crypto.getRandomValues(new Uint8Array(length));

const tokenHash = (token: string): string => createHash("sha256").update(token).digest("hex");

const bytes = z.instanceof(Uint8Array).transform((given) => new Uint8Array(given));

/** @param now Milliseconds since 1970. */
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
      // Checks the password of an unknown name, too, so that the response takes as long as for a
      // wrong password.
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
