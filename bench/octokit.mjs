// One round of @octokit/endpoint, for bench/run.lua. Prints the lines that
// bench/cases.lua prints: "case <tab> peer <tab> value".
import { existsSync, readFileSync } from "node:fs";

const modules = `${process.cwd()}/build/octokit/node_modules`;
const { endpoint } = await import(`${modules}/@octokit/endpoint/dist-bundle/index.js`);
const SECONDS = Number(process.argv[2]);
const VERSION = readFileSync("src/endpoint.h", "utf8").match(/ENDPOINT_VERSION "(.*)"/)[1];

// The address and headers of our endpoint, so that the results are the same.
const ours = endpoint.defaults({
  baseUrl: "https://api.service.example",
  headers: {
    accept: "application/vnd.service.v3+json",
    "user-agent": `service-endpoint.js/${VERSION}`,
  },
});
const { defaults, calls } = JSON.parse(readFileSync("bench/calls.json", "utf8"));
const merged = ours.merge("GET /orgs/:org/repos", { org: "octokit", type: "private" });
const prose = "Café society, as the old proverb has it, never sleeps before two; ".repeat(62);

const routes = existsSync("build/routes.json")
  ? JSON.parse(readFileSync("build/routes.json", "utf8"))
  : [];
let turn = 0;
let unique = 0;

const cases = {
  "4 kB of prose": () => ours("GET /search", { text: prose }),
  parse: () => ours.parse(merged),
  "new URL": () => ours(`GET /users/${++unique}`),
};

if (routes.length > 0) {
  cases["catalogue in turn"] = () => ours(...routes[turn = (turn + 1) % routes.length]);
}

// A function that makes the call with its arguments as literals, as a program would.
for (const [name, api, member, ...args] of calls) {
  const base = member === "defaults" ? endpoint : ours.defaults(defaults[api]);
  const literals = args.map((value) => JSON.stringify(value)).join(", ");
  cases[name] = new Function("f", `return () => f(${literals})`)(member ? base[member] : base);
}

// Where octokit's result is another: it leaves a body of "" in PUT, writes lists of level 4
// with commas, and keeps mediaType in merged options.
const different = ["catalogue in turn", "level 4", "merge", "new URL", "new defaults"];

// Every field of a result on one line, names sorted, as bench/cases.lua writes it.
function flat(value, name = "") {
  if (typeof value !== "object") return [`${name}=${value}`];
  return Object.keys(value).flatMap((key) => flat(value[key], `${name}.${key}`));
}

let kept; // so that no call can be optimised away

// The smaller of the time on the clock and the processor's: the one counts
// what other programs do, the other V8's helper threads.
function run(f, calls) {
  const began = performance.now(), cpu = process.cpuUsage();
  for (let i = 0; i < calls; i++) kept = f();
  const wall = performance.now() - began, used = process.cpuUsage(cpu);
  return Math.min(wall / 1e3, (used.user + used.system) / 1e6);
}

for (const [name, f] of Object.entries(cases)) {
  let calls = 10000, took = 0; // the first let V8 compile it
  while (took < SECONDS / 2) took = run(f, calls *= 2);
  if (!different.includes(name)) {
    kept.method = kept.method.toLowerCase(); // version 11 returns it in upper case
    console.log(`${name}\tresult\t${flat(kept).sort().join(" ")}`);
  }
  console.log(`${name}\toctokit\t${(took / calls * 1e9).toFixed(1)}`);
}
