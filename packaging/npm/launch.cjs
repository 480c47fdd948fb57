#!/usr/bin/env node
// Starts the program of this platform, which is a package of its own: npm installs the one that fits.
"use strict";
const path = require("node:path");
const { spawnSync } = require("node:child_process");

// npm links to this file; the name of the link or of the file says which program is meant.
const name = path.basename(__filename).replace(/\.cjs$/, "");
const program = name === "aon" ? "aon" : "aon-lint";
const platform = `@aon-rs/${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? `${program}.exe` : program;
let found;
try {
  found = require.resolve(`${platform}/bin/${file}`);
} catch {
  console.error(`There is no build of ${program} for ${process.platform} on ${process.arch}.`);
  console.error("If npm was told to leave out optional packages, install it again without that. Or: cargo install aon-cli");
  process.exit(3);
}
const { status, signal, error } = spawnSync(found, process.argv.slice(2), { stdio: "inherit" });
if (error) {
  console.error(`${found} cannot be started: ${error.message}`);
  process.exit(3);
}
if (signal) process.kill(process.pid, signal);
process.exit(status ?? 3);
