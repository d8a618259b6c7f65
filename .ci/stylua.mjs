// Usage: node .ci/stylua.mjs check|format FILE...
// Lays Lua files out by .stylua.toml, or says which files are laid out in another way and where
// they begin to differ. StyLua is what `.ci/fetch formatter` has fetched: WebAssembly, which runs
// wherever Node does.
import { readFileSync, writeFileSync } from "node:fs";
import * as stylua from "../build/stylua/stylua_lib_node.mjs";

const ENUMERATIONS = {
  syntax: stylua.LuaVersion,
  indent_type: stylua.IndentType,
  call_parentheses: stylua.CallParenType,
};

const settings = readFileSync(".stylua.toml", "utf8")
  .split("\n")
  .filter((line) => line.includes("="))
  .map((line) => line.split("=").map((part) => part.trim()))
  .map(([name, value]) => [name, ENUMERATIONS[name]?.[JSON.parse(value)] ?? JSON.parse(value)]);

// Each call takes its own: StyLua frees it.
function newConfig() {
  const config = stylua.Config.new();
  for (const [name, value] of settings) {
    if (!(name in config)) throw new Error(`.stylua.toml: StyLua has no setting ${name}`);
    config[name] = value;
  }
  return config;
}

// What StyLua makes of a text once is not always what it makes of that again.
const MOST_PASSES = 5;

function formatted(text) {
  let last = text;
  for (let pass = 1; pass <= MOST_PASSES; pass += 1) {
    const next = stylua.formatCode(last, newConfig(), undefined, stylua.OutputVerification.Full);
    if (next === last) return next;
    last = next;
  }
  throw new Error(`StyLua does not come to rest in ${MOST_PASSES} passes`);
}

// The number of the first line that differs.
function firstDifference(before, after) {
  const lines = after.split("\n");
  return before.split("\n").findIndex((line, index) => line !== lines[index]) + 1;
}

const [mode, ...files] = process.argv.slice(2);
if (!["check", "format"].includes(mode) || files.length === 0) {
  console.error("usage: node .ci/stylua.mjs check|format FILE...");
  process.exit(2);
}
for (const file of files) {
  const before = readFileSync(file, "utf8");
  let after;
  try {
    after = formatted(before);
  } catch (problem) {
    console.error(`${file}: ${problem}`);
    process.exitCode = 1;
    continue;
  }
  if (after === before) continue;
  if (mode === "format") {
    writeFileSync(file, after);
  } else {
    console.error(`${file}:${firstDifference(before, after)}: make format lays this out otherwise`);
    process.exitCode = 1;
  }
}
