/** The three manifests of winget, in its schema 1.6.0: version, installer and texts. Pure. */
import { LICENSE, SUMMARY, VERSION } from "../product.ts";
import type { FetchedArchive } from "./homebrew.ts";

const ID = "Plateau.Plateau";
const SCHEMA = "1.6.0";

/** Text of each manifest by its file name. */
export function wingetManifests({ address, sha256 }: FetchedArchive): Map<string, string> {
  return new Map([
    manifest(`${ID}.yaml`, "version", ["DefaultLocale: en-US"]),
    manifest(`${ID}.installer.yaml`, "installer", [
      "InstallerType: zip",
      "NestedInstallerType: portable",
      "NestedInstallerFiles:",
      "  - RelativeFilePath: plateau.exe",
      "    PortableCommandAlias: plateau",
      "Installers:",
      "  - Architecture: x64",
      `    InstallerUrl: ${address}`,
      `    InstallerSha256: ${sha256.toUpperCase()}`,
    ]),
    manifest(`${ID}.locale.en-US.yaml`, "defaultLocale", [
      "PackageLocale: en-US",
      "Publisher: The Plateau maintainers",
      "PackageName: Plateau",
      `License: ${LICENSE}`,
      `ShortDescription: ${SUMMARY}`,
    ]),
  ]);
}

function manifest(
  name: string,
  type: "version" | "installer" | "defaultLocale",
  lines: readonly string[],
): [string, string] {
  const text = [
    `PackageIdentifier: ${ID}`,
    `PackageVersion: ${VERSION}`,
    ...lines,
    `ManifestType: ${type}`,
    `ManifestVersion: ${SCHEMA}`,
    "",
  ];
  return [name, text.join("\n")];
}
