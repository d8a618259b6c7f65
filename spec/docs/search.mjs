// What readers search for, and the page that answers it: node search.mjs DIRECTORY_OF_THE_PAGES
// asks the search of the pages, as a browser does. The right page must be among the first two.
import fs from "node:fs";
import vm from "node:vm";

const QUERIES = {
  "docs/install.html": ["install", "luarocks", "debian package", "windows"],
  "docs/quick-start.html": ["quick start", "tutorial", "getting started"],
  "docs/send-requests.html": ["send requests", "response headers"],
  "docs/authentication.html": [
    "authentication", "bearer token", "basic auth", "api key", "aws signature",
  ],
  "docs/expiring-tokens.html": ["oauth", "token expires", "refresh token"],
  "docs/json.html": ["empty array", "json null"],
  "docs/errors.html": ["handle errors", "failure", "reason", "graphql error"],
  "docs/timeouts-and-retries.html": [
    "timeout", "retry", "backoff", "rate limit", "429", "idempotent",
  ],
  "docs/pagination.html": ["pagination", "next page", "cursor"],
  "docs/forms-and-uploads.html": ["upload", "multipart", "form"],
  "docs/downloads.html": ["download", "resume download", "save a file"],
  "docs/streaming.html": ["server-sent events", "streaming", "ndjson"],
  "docs/connections.html": ["redirect", "proxy", "certificate", "tls"],
  "docs/hooks.html": ["hook", "interceptor", "log", "cache"],
  "docs/many-at-once.html": ["parallel requests", "concurrency", "pool"],
  "docs/event-loops.html": ["event loop", "copas", "cqueues", "luv"],
  "docs/testing.html": ["mock", "test", "busted", "contract test"],
  "docs/url-templates.html": ["url template", "query string", "odata"],
  "docs/settings.html": ["custom transport"],
  "docs/untrusted-input.html": ["untrusted input", "injection"],
  "docs/openapi.html": ["openapi types", "editor"],
  "docs/openapi-queries.html": ["stripe", "kubernetes"],
  "docs/editor-mistakes.html": ["typescript", "lua-language-server mistakes"],
  "docs/validate.html": ["validate", "json schema"],
  "docs/validate-rules.html": ["keywords", "discriminator"],
  "docs/tools.html": ["language model", "function calling"],
  "docs/command.html": ["endpoint-types", "generate"],
  "docs/openresty.html": ["openresty", "openresty next page"],
  "docs/nginx.html": ["nginx gateway"],
  "docs/nginx-requests.html": ["websocket", "proxy_pass headers"],
  "docs/nginx-tenants.html": ["tenants", "proxy_cache"],
  "docs/nginx-operation.html": ["nginx reload", "worker_shutdown_timeout"],
  "docs/clients.html": ["http client", "lua-http"],
  "docs/curl.html": ["curl command"],
  "docs/neovim.html": ["neovim", "lazy.nvim", "rocks.nvim"],
  "docs/gateways-with-lua.html": ["kong", "haproxy", "envoy"],
  "docs/games.html": ["love2d", "defold"],
  "docs/embedding.html": ["embed", "cmake"],
  "docs/programs-with-lua.html": ["tarantool", "redis", "mpv"],
  "docs/from-resty-http.html": ["lua-resty-http", "luasocket migration"],
  "docs/from-octokit.html": ["octokit"],
  "docs/troubleshooting.html": ["no resolver defined", "wrong version number"],
  "docs/benchmarks.html": ["benchmark"],
  "docs/guarantees.html": ["guarantees"],
};

const site = process.argv[2];
const folder = site + "/assets/javascripts/workers/";
const listeners = [];
const answers = [];
const context = vm.createContext({
  addEventListener: (_, listener) => listeners.push(listener),
  postMessage: message => answers.push(message),
  importScripts: () => {},
});
context.self = context;
context.window = context;
const worker = fs.readdirSync(folder).find(name => /^search.*\.js$/.test(name));
vm.runInContext(fs.readFileSync(folder + worker, "utf8"), context);

async function ask(message) {
  answers.length = 0;
  for (const listener of listeners) await listener({ data: message });
  return answers[0].data;
}

const SETUP = 0, QUERY = 2; // Material's numbers
const index = JSON.parse(fs.readFileSync(site + "/search/search_index.json", "utf8"));
await ask({ type: SETUP, data: { ...index, options: { suggestions: false } } });

let asked = 0;
let failed = 0;
for (const [page, queries] of Object.entries(QUERIES)) {
  for (const query of queries) {
    // As pages.py transforms it in the browser.
    const { items } = await ask({ type: QUERY, data: query.replace(/\W+/g, " ") });
    const found = items.slice(0, 2).map(sections => sections[0].location.replace(/#.*/, ""));
    asked += 1;
    if (!found.includes(page)) {
      failed += 1;
      console.error(`"${query}" must find ${page}, but finds ${found.join(", ") || "nothing"}`);
    }
  }
}
console.log(`${asked - failed} of ${asked} searches find the right page among the first two.`);
process.exit(failed ? 1 : 0);
