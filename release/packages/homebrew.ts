/** A formula of Homebrew, for macOS and Linux. Pure. */
import { LICENSE, SUMMARY, VERSION } from "../product.ts";

/** An archive of the release, with its download address. */
export interface FetchedArchive {
  readonly platform: string;
  readonly address: string;
  readonly sha256: string;
}

const SYSTEMS = { macos: "on_macos", linux: "on_linux" } as const;
const CPUS = { arm64: "on_arm", x64: "on_intel" } as const;

/** The text of the formula; null if none of the archives is for a system that Homebrew supports. */
export function formula(archives: readonly FetchedArchive[]): string | null {
  const systems = Object.entries(SYSTEMS).flatMap(([system, block]) => {
    const cpus = Object.entries(CPUS).flatMap(([cpu, inner]) => {
      const archive = archives.find(({ platform }) => platform === `${system}-${cpu}`);
      if (archive === undefined) return [];
      const { address, sha256 } = archive;
      return [`    ${inner} do
      url "${address}"
      sha256 "${sha256}"
    end
`];
    });
    return cpus.length === 0 ? [] : [`  ${block} do\n${cpus.join("\n")}  end\n`];
  });
  if (systems.length === 0) return null;
  return `class Plateau < Formula
  desc "${SUMMARY}"
  version "${VERSION}"
  license "${LICENSE}"

${systems.join("\n")}
  def install
    bin.install "plateau"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/plateau.bash" => "plateau"
    zsh_completion.install "completions/_plateau"
    fish_completion.install "completions/plateau.fish"
    doc.install "THIRD-PARTY-LICENSES"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/plateau --version")
  end
end
`;
}
