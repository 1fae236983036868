/** The platforms of a release, with the names that each kind of package has for them. */

export interface Platform {
  /** Name in the names of Plateau's files. */
  readonly name: string;
  /** Name for `deno compile --target`. */
  readonly target: string;
  /** Name in Node. */
  readonly os: "linux" | "darwin" | "win32";
  readonly cpu: "x64" | "arm64";
}

export const PLATFORMS = [
  { name: "linux-x64", target: "x86_64-unknown-linux-gnu", os: "linux", cpu: "x64" },
  { name: "linux-arm64", target: "aarch64-unknown-linux-gnu", os: "linux", cpu: "arm64" },
  { name: "macos-x64", target: "x86_64-apple-darwin", os: "darwin", cpu: "x64" },
  { name: "macos-arm64", target: "aarch64-apple-darwin", os: "darwin", cpu: "arm64" },
  { name: "windows-x64", target: "x86_64-pc-windows-msvc", os: "win32", cpu: "x64" },
] as const satisfies readonly Platform[];

export function platformNamed(name: string): Platform {
  const platform = PLATFORMS.find((one) => one.name === name);
  const names = PLATFORMS.map((one) => one.name).join(", ");
  if (platform === undefined) throw new Error(`Cannot release for ${name}: choose from ${names}`);
  return platform;
}

export function fileNameOf({ os }: Platform): string {
  return os === "win32" ? "plateau.exe" : "plateau";
}
