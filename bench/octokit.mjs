// One round of @octokit/endpoint, for bench/run.lua. Prints the lines that
// bench/cases.lua prints: "case <tab> peer <tab> value".
import { endpoint } from "@octokit/endpoint";

const SECONDS = Number(process.argv[2] ?? 0.1);
const VERSION = process.argv[3] ?? "1.0.0";
const BATCHES = 5;

// The address and headers of our endpoint, so that the results are the same.
const ours = endpoint.defaults({
  baseUrl: "https://api.service.example",
  headers: { accept: "application/vnd.service.v3+json", "user-agent": `service-endpoint.js/${VERSION}` },
});
const api = ours.defaults({
  baseUrl: "https://ghe.example/api/v3", headers: { authorization: "token 0123456789" },
  org: "octokit", per_page: 100,
});
const merged = ours.merge("GET /orgs/:org/repos", { org: "octokit", type: "private" });

const cases = {
  GET: () => ours("GET /orgs/:org/repos", { org: "octokit", type: "private" }),
  POST: () => ours("POST /repos/{owner}/{repo}/issues", {
    owner: "octokit", repo: "rest", title: "Found a bug",
    body: "Not what I expected", assignee: "octocat", milestone: 1, state: "open",
  }),
  "GET with defaults": () => api("GET /orgs/:org/repos", { type: "private" }),
  parse: () => ours.parse(merged),
};

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
  run(f, 20000); // lets V8 compile it
  const calls = Math.ceil(20000 * SECONDS / BATCHES / run(f, 20000));
  const times = Array.from({ length: BATCHES }, () => run(f, calls) / calls * 1e9).sort((a, b) => a - b);
  kept.method = kept.method.toLowerCase(); // version 11 returns it in upper case
  console.log(`${name}\tresult\t${flat(kept).sort().join(" ")}`);
  console.log(`${name}\toctokit\t${times[Math.floor(BATCHES / 2)].toFixed(1)}`);
}
