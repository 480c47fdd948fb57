// Lays out the npm packages.
//
//   node build.mjs platform <version> <folder of the programs> <out> [platform-arch]
//   node build.mjs main <version> <out>
//
// The main package, aon-lint, has a launcher and names one package for each platform; those hold the programs.
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

const here = import.meta.dirname;
const platforms = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64"];
const common = {
  license: "MIT OR Apache-2.0",
  repository: { type: "git", url: "git+https://github.com/aon-rs/aon.git" },
};

function write(folder, contents) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "package.json"), `${JSON.stringify(contents, undefined, 2)}\n`);
}

const [what, version, ...rest] = process.argv.slice(2);
if (what === "platform") {
  const [programs, out, wanted] = rest;
  const name = wanted ?? `${process.platform}-${process.arch}`;
  if (!platforms.includes(name)) throw new Error(`${name} is not among ${platforms.join(", ")}`);
  const [os, cpu] = name.split("-");
  const folder = path.join(out, name);
  write(folder, { name: `@aon-rs/${name}`, version, description: `The programs of aon-lint for ${name}`, os: [os], cpu: [cpu], files: ["bin"], ...common });
  mkdirSync(path.join(folder, "bin"), { recursive: true });
  for (const program of ["aon", "aon-lint"]) {
    const file = os === "win32" ? `${program}.exe` : program;
    copyFileSync(path.join(programs, file), path.join(folder, "bin", file));
    chmodSync(path.join(folder, "bin", file), 0o755);
  }
} else if (what === "main") {
  const [out] = rest;
  const folder = path.join(out, "aon-lint");
  write(folder, {
    name: "aon-lint",
    version,
    description: "Lints API manifests, scores them, generates clients, and checks running servers (RFC 9457, MCP, A2A)",
    bin: { "aon-lint": "aon-lint.cjs", aon: "aon.cjs" },
    files: ["*.cjs"],
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries(platforms.map((name) => [`@aon-rs/${name}`, version])),
    ...common,
  });
  for (const program of ["aon", "aon-lint"]) copyFileSync(path.join(here, "launch.cjs"), path.join(folder, `${program}.cjs`));
} else {
  throw new Error("say platform or main");
}
