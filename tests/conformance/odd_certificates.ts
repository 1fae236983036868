/** Certificates of every kind that a server may show, made by openssl: what is usual, and what no client should trust. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

const SAN = "subjectAltName=DNS:localhost,IP:127.0.0.1";
const LEAF = ["basicConstraints=CA:FALSE", SAN];
const AUTHORITY = ["basicConstraints=critical,CA:TRUE"];
const EC = ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
const curve = (name: string): string[] => ["ec", "-pkeyopt", `ec_paramgen_curve:${name}`];

interface Recipe {
  /** Who signs it; itself when absent. */
  readonly by?: string;
  readonly extensions?: readonly string[];
  readonly key?: readonly string[];
  readonly signing?: readonly string[];
  /** As `openssl ca` takes them. */
  readonly from?: string;
  readonly until?: string;
}

const RECIPES: Record<string, Recipe> = {
  root: { extensions: AUTHORITY },
  "weak root": { extensions: AUTHORITY, key: ["rsa:1024"] },
  "old root": { extensions: AUTHORITY, from: "20200101000000Z", until: "20210101000000Z" },
  middle: { by: "root", extensions: AUTHORITY },
  "no authority": { by: "root", extensions: ["basicConstraints=CA:FALSE"] },
  "middle without constraints": { by: "root", extensions: ["keyUsage=keyCertSign"] },
  "narrow middle": {
    by: "root",
    extensions: [...AUTHORITY, "nameConstraints=permitted;DNS:a.test"],
  },
  "last middle": { by: "root", extensions: ["basicConstraints=critical,CA:TRUE,pathlen:0"] },
  "one too many": { by: "last middle", extensions: AUTHORITY },
  "old middle": {
    by: "root",
    extensions: AUTHORITY,
    from: "20200101000000Z",
    until: "20210101000000Z",
  },
  "client middle": { by: "root", extensions: [...AUTHORITY, "extendedKeyUsage=clientAuth"] },
};

const leaf = (recipe: Recipe = {}): Recipe => ({ by: "root", extensions: LEAF, ...recipe });
const named = (names: string): Recipe =>
  leaf({ extensions: ["basicConstraints=CA:FALSE", `subjectAltName=${names}`] });
const extended = (...more: string[]): Recipe => leaf({ extensions: [...LEAF, ...more] });

/** A server's certificate, and who meets it. */
export interface Case {
  readonly recipe: Recipe;
  /** Sent after the server's own. */
  readonly sent?: readonly string[];
  /** Who is named as an authority: the root when absent; "itself" is the server's certificate. */
  readonly authority?: string;
  /** What it must be for: localhost when absent. */
  readonly name?: string;
  readonly isTrusted: boolean;
}

const good = (recipe: Recipe, more: Partial<Case> = {}): Case => ({
  recipe,
  isTrusted: true,
  ...more,
});
const bad = (recipe: Recipe, more: Partial<Case> = {}): Case => ({
  recipe,
  isTrusted: false,
  ...more,
});
const below = (by: string): Pick<Case, "sent"> & { readonly recipe: Recipe } => ({
  recipe: leaf({ by }),
  sent: [by],
});

export const CASES: Record<string, Case> = {
  "an elliptic key": good(leaf()),
  "an RSA key of 2,048 bits": good(leaf({ key: ["rsa:2048"] })),
  "an RSA key of 1,024 bits": bad(leaf({ key: ["rsa:1024"] })),
  "a key on P-384": good(leaf({ key: curve("secp384r1") })),
  "a key on P-224": bad(leaf({ key: curve("secp224r1") })),
  "a key on secp256k1": bad(leaf({ key: curve("secp256k1") })),
  "an Ed448 key": bad(leaf({ key: ["ed448"] })),
  "a signature with SHA-1": bad(leaf({ signing: ["-sha1"] })),
  "a signature with SHA-224": bad(leaf({ signing: ["-sha224"] })),
  "a signature with SHA-384": good(leaf({ signing: ["-sha384"] })),
  "no name but in its subject": bad(leaf({ extensions: ["basicConstraints=CA:FALSE"] })),
  "another name": bad(leaf(), { name: "elsewhere" }),
  "the address": good(leaf(), { name: "127.0.0.1" }),
  "another address": bad(leaf(), { name: "127.0.0.2" }),
  "the address as a name": bad(named("DNS:127.0.0.1"), { name: "127.0.0.1" }),
  "a wildcard": good(named("DNS:*.a.test"), { name: "b.a.test" }),
  "a wildcard for two labels": bad(named("DNS:*.a.test"), { name: "c.b.a.test" }),
  "a wildcard for none": bad(named("DNS:*.a.test"), { name: "a.test" }),
  "a wildcard for a part of a label": bad(named("DNS:b*.a.test"), { name: "bc.a.test" }),
  "the use of servers": good(extended("extendedKeyUsage=serverAuth")),
  "the use of clients": bad(extended("extendedKeyUsage=clientAuth")),
  "any use": bad(extended("extendedKeyUsage=anyExtendedKeyUsage")),
  "the use of export ciphers": bad(extended("extendedKeyUsage=msSGC,nsSGC")),
  "an authority's constraints": bad(leaf({ extensions: [...AUTHORITY, SAN] })),
  "an unknown critical extension": bad(extended("1.2.3.4=critical,ASN1:NULL")),
  "a critical policy": bad(extended("certificatePolicies=critical,1.2.3.4")),
  "an unknown extension": good(extended("1.2.3.4=ASN1:NULL")),
  "a time that is over": bad(leaf({ from: "20200101000000Z", until: "20210101000000Z" })),
  "a time to come": bad(leaf({ from: "20900101000000Z", until: "20910101000000Z" })),
  "an intermediate": good(leaf(), below("middle")),
  "an intermediate that is not sent": bad(leaf({ by: "middle" })),
  "an intermediate that is itself named": good(leaf({ by: "middle" }), { authority: "middle" }),
  "an intermediate that is no authority": bad(leaf(), below("no authority")),
  "an intermediate without constraints": bad(leaf(), below("middle without constraints")),
  "an intermediate for other names": bad(leaf(), below("narrow middle")),
  "an intermediate too many": bad(leaf(), {
    ...below("one too many"),
    sent: ["one too many", "last middle"],
  }),
  "an intermediate whose time is over": bad(leaf(), below("old middle")),
  "an intermediate for clients": bad(leaf(), below("client middle")),
  "an authority whose time is over": good(leaf({ by: "old root" }), { authority: "old root" }),
  "an authority with a weak key": bad(leaf({ by: "weak root" }), { authority: "weak root" }),
  "its own signature, itself named": good({ extensions: LEAF }, { authority: "itself" }),
  "its own signature": bad({ extensions: LEAF }),
  "an authority's constraints and its own signature, itself named": good(
    { extensions: [...AUTHORITY, SAN], key: ["rsa:2048"] },
    { authority: "itself" },
  ),
  "an authority's constraints and its own signature": bad({ extensions: [...AUTHORITY, SAN] }),
  "an authority's constraints and another name, itself named": bad(
    { extensions: [...AUTHORITY, SAN] },
    { authority: "itself", name: "elsewhere" },
  ),
  "an authority's constraints and no name, itself named": bad(
    { extensions: AUTHORITY },
    { authority: "itself" },
  ),
  "an authority's constraints and no name but in its subject, itself named": good(
    { extensions: AUTHORITY },
    { authority: "itself" },
  ),
  "an authority's constraints and another name in its subject, itself named": bad(
    { extensions: AUTHORITY },
    { authority: "itself", name: "elsewhere" },
  ),
  "its own signature and no name but in its subject, itself named": good(
    { extensions: ["basicConstraints=CA:FALSE"] },
    { authority: "itself" },
  ),
  "an authority's constraints and a time that is over, itself named": bad(
    { extensions: [...AUTHORITY, SAN], from: "20200101000000Z", until: "20210101000000Z" },
    { authority: "itself" },
  ),
  "an authority's constraints and a time to come, itself named": bad(
    { extensions: [...AUTHORITY, SAN], from: "20900101000000Z", until: "20910101000000Z" },
    { authority: "itself" },
  ),
  "an authority's constraints and a weak key, itself named": bad(
    { extensions: [...AUTHORITY, SAN], key: ["rsa:1024"] },
    { authority: "itself" },
  ),
  "the signature of another, itself named": bad(leaf(), { authority: "itself" }),
};

/** PEM files of a case. */
export interface CaseFiles {
  readonly cert: string;
  readonly key: string;
  /** Of what is sent after it; null for nothing. */
  readonly chain: string | null;
  readonly authority: string;
}

export class Workshop {
  readonly folder = Deno.makeTempDirSync();
  readonly #made = new Map<string, string>();

  /** What a server needs to be such. */
  filesOf(what: string, { recipe, sent = [], authority = "root" }: Case): CaseFiles {
    const own = this.#make(what, recipe);
    const pem = (name: string): string => this.#make(name, RECIPES[name]);
    const chain = sent.length === 0 ? null : `${own}.chain`;
    const read = (base: string): string => Deno.readTextFileSync(this.#at(`${base}.crt`));
    if (chain !== null) {
      Deno.writeTextFileSync(this.#at(chain), sent.map((name) => read(pem(name))).join(""));
    }
    return {
      cert: this.#at(`${own}.crt`),
      key: this.#at(`${own}.key`),
      chain: chain && this.#at(chain),
      authority: read(authority === "itself" ? own : pem(authority)),
    };
  }

  #at(file: string): string {
    return join(this.folder, file);
  }

  /** Gives the name of its files, without their endings. */
  #make(name: string, recipe: Recipe): string {
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    const { by, extensions = [], key = EC, signing = ["-sha256"], from, until } = recipe;
    const signer = by === undefined ? null : this.#make(by, RECIPES[by]);
    const base = `c${this.#made.size}`;
    this.#made.set(name, base);
    const subject = `/CN=${name.includes("in its subject") ? "localhost" : name}`;
    const request = ["req", "-new", "-nodes", "-subj", subject, "-newkey", ...key];
    this.#openssl([...request, "-keyout", `${base}.key`, "-out", `${base}.csr`]);
    Deno.writeTextFileSync(this.#at(`${base}.ext`), `[e]\n${extensions.join("\n")}\n`);
    const files = ["-in", `${base}.csr`, "-out", `${base}.crt`, "-extfile", `${base}.ext`];
    const both = [...files, "-extensions", "e"];
    if (from !== undefined && until !== undefined) {
      return this.#makeDated(base, signer, [...both, "-startdate", from, "-enddate", until]);
    }
    const keys = signer === null
      ? ["-signkey", `${base}.key`]
      : ["-CA", `${signer}.crt`, "-CAkey", `${signer}.key`, "-set_serial", `${this.#made.size}`];
    this.#openssl(["x509", "-req", "-days", "2", ...both, ...keys, ...signing]);
    return base;
  }

  #makeDated(base: string, signer: string | null, args: readonly string[]): string {
    Deno.writeTextFileSync(this.#at("index"), "");
    Deno.writeTextFileSync(this.#at("serial"), `${this.#made.size + 10}\n`);
    Deno.writeTextFileSync(
      this.#at("ca.conf"),
      "[ca]\ndefault_ca=d\n[d]\ndatabase=index\nserial=serial\nnew_certs_dir=.\n" +
        "default_md=sha256\npolicy=p\nunique_subject=no\n[p]\ncommonName=supplied\n",
    );
    const keys = signer === null
      ? ["-selfsign", "-keyfile", `${base}.key`]
      : ["-cert", `${signer}.crt`, "-keyfile", `${signer}.key`];
    this.#openssl(["ca", "-batch", "-notext", "-config", "ca.conf", ...keys, ...args]);
    return base;
  }

  #openssl(args: readonly string[]): void {
    execFileSync("openssl", args, { cwd: this.folder, stdio: "pipe" });
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.folder, { recursive: true });
  }
}
