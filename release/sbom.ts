/** The parts of the program as an SPDX 2.3 document. Pure. */
import type { BundledPackage } from "../cli/compiled/packages.ts";
import { LICENSE, VERSION } from "./product.ts";

export interface Contents {
  readonly packages: readonly BundledPackage[];
  readonly commit: string | null;
  /** The versions in the Deno that makes the release; a runtime that was passed in may have other versions. */
  readonly runtime: { readonly deno: string; readonly v8: string };
  /** Time in seconds since 1970. */
  readonly timeS: number;
}

const UNKNOWN = "NOASSERTION";

export function sbom({ packages, commit, runtime, timeS }: Contents): object {
  const parts = [
    element("plateau", VERSION, LICENSE, { comment: `built of commit ${commit ?? "unknown"}` }),
    element("deno", runtime.deno, "MIT", {
      externalRefs: [purl(`pkg:github/denoland/deno@v${runtime.deno}`)],
    }),
    element("v8", runtime.v8, "BSD-3-Clause", {}),
    ...packages.map(({ name, version, license, integrity }) =>
      element(name, version, license, {
        checksums: [{ algorithm: "SHA512", checksumValue: hexOf(integrity) }],
        externalRefs: [purl(`pkg:npm/${name.replace("@", "%40")}@${version}`)],
      })
    ),
  ];
  const [program, ...inside] = parts;
  return {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: `plateau-${VERSION}`,
    documentNamespace: `https://plateau.invalid/spdx/${VERSION}/${commit ?? "unknown"}`,
    creationInfo: {
      created: new Date(timeS * 1000).toISOString().replace(/\.\d+/, ""),
      creators: [`Tool: plateau-release-${VERSION}`],
    },
    packages: parts,
    relationships: [
      {
        spdxElementId: "SPDXRef-DOCUMENT",
        relationshipType: "DESCRIBES",
        relatedSpdxElement: program.SPDXID,
      },
      ...inside.map(({ SPDXID }) => ({
        spdxElementId: program.SPDXID,
        relationshipType: "CONTAINS",
        relatedSpdxElement: SPDXID,
      })),
    ],
  };
}

function element(
  name: string,
  version: string,
  license: string,
  more: object,
): { readonly SPDXID: string } {
  return {
    SPDXID: `SPDXRef-${name.replace(/[^\w.-]|_/g, "-")}-${version}`,
    ...{ name, versionInfo: version, downloadLocation: UNKNOWN, filesAnalyzed: false },
    ...{ licenseConcluded: UNKNOWN, licenseDeclared: license, copyrightText: UNKNOWN },
    ...more,
  };
}

function purl(locator: string): object {
  return {
    referenceCategory: "PACKAGE-MANAGER",
    referenceType: "purl",
    referenceLocator: locator,
  };
}

/** @param integrity `sha512-` followed by base64. */
function hexOf(integrity: string): string {
  const [, base64] = /^sha512-(.+)$/.exec(integrity) ?? [];
  return Array.from(atob(base64), (sign) => sign.charCodeAt(0).toString(16).padStart(2, "0")).join(
    "",
  );
}
