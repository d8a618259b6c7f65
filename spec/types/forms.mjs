// SPDX-License-Identifier: MIT
// Usage: node forms.mjs <LINES
//
// A line of the input is JSON: { form, tools, path }, a list of tools as a service takes them. Each
// tool must fit the service's published restrictions, which forms.json has as JSON Schema, and ajv
// must compile its schema in strict mode. Prints what does not, and the numbers of tools. The exit
// status is 1 if something does not. `.ci/fetch validator` fetches ajv.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { regExp } from './reg_exp.mjs';
const Ajv = createRequire(import.meta.url)('../../build/ajv/ajv2020.bundle.js');

// --- what JSON Schema cannot say --------------------------------------------------------

const is_table = value => value !== null && typeof value === 'object' && !Array.isArray(value);

// Calls a function with each schema in one, and the levels of objects and lists above it.
function each(schema, call, level = 1) {
  if (!is_table(schema)) return;
  call(schema, level);
  for (const child of Object.values(schema.properties ?? {})) each(child, call, level + 1);
  each(schema.items, call, level + 1);
  for (const child of schema.anyOf ?? []) each(child, call, level);
}

function sizes_of(root) {
  const sizes = { levels: 0, properties: 0, members: 0, bytes: 0 };
  each(root, (schema, level) => {
    const names = Object.keys(schema.properties ?? {}), members = schema.enum ?? [];
    sizes.levels = Math.max(sizes.levels, level);
    sizes.properties += names.length;
    sizes.members += members.length;
    for (const text of [...names, ...members]) sizes.bytes += Buffer.byteLength(String(text));
  });
  return sizes;
}

const KEYWORDS = {
  // Is each of the properties required?
  requires_all: (is_so, schema) =>
    Object.keys(schema.properties ?? {}).every(name => schema.required?.includes(name)),
  // Is each required name that of a property?
  requires_known: (is_so, schema) =>
    (schema.required ?? []).every(name => Object.hasOwn(schema.properties ?? {}, name)),
  // The most of the whole schema.
  at_most: (limits, schema) => {
    const sizes = sizes_of(schema);
    return Object.entries(limits).every(([name, most]) => sizes[name] <= most);
  },
};

// --- the forms --------------------------------------------------------------------------

const forms = JSON.parse(readFileSync(new URL('./forms.json', import.meta.url), 'utf8'));

function judge_of(form) {
  const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false });
  for (const [keyword, validate] of Object.entries(KEYWORDS)) {
    ajv.addKeyword({ keyword, type: 'object', validate });
  }
  return ajv.compile({ ...forms[form], $defs: { ...forms.$defs, ...forms[form].$defs } });
}

const judges = Object.fromEntries(
  Object.keys(forms)
    .filter(name => !name.startsWith('$'))
    .map(form => [form, judge_of(form)]),
);

const schema_of = tool =>
  tool.function?.parameters ?? tool.parameters ?? tool.input_schema ?? tool.inputSchema;

// The strict form and Gemini's give each schema a type and all its properties; in the others these
// may be those of a schema around it.
const COMPILED = {
  strict: true,
  strictTuple: false,
  allowUnionTypes: true,
  validateFormats: false,
  logger: false,
  code: { regExp },
};
const IS_WHOLE = { 'openai-strict': true, gemini: true };

// What is known of the schemas that were compiled, by their text: some forms have the same.
const known = new Map();

// Why ajv does not compile the schema of a tool, or undefined.
function fault_of(form, schema) {
  const strict = IS_WHOLE[form] ?? false, key = strict + JSON.stringify(schema);
  if (schema === undefined || known.has(key)) return known.get(key);
  let fault;
  try {
    new Ajv({ ...COMPILED, strictTypes: strict, strictRequired: strict }).compile(schema);
  } catch (problem) {
    fault = problem.message;
  }
  known.set(key, fault);
  return fault;
}

// --- all of them ------------------------------------------------------------------------

const counts = {};
let failed = 0;

function say(form, path, name, words) {
  failed++;
  if (failed <= 30) console.log(`${path}: ${form}: ${name}: ${words}`);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { form, tools: list, path } = JSON.parse(line);
  const tools = form === 'gemini' ? list.flatMap(tool => tool.functionDeclarations) : list;
  counts[form] = (counts[form] ?? 0) + tools.length;
  for (const tool of tools) {
    const name = tool.name ?? tool.function?.name;
    if (!judges[form](tool)) {
      const [{ instancePath, message, params }] = judges[form].errors;
      say(form, path, name, `${instancePath} ${message} ${JSON.stringify(params)}`);
    }
    const fault = fault_of(form, schema_of(tool));
    if (fault) say(form, path, name, fault);
  }
}
const words = Object.entries(counts).map(([form, count]) => `${form} ${count}`);
console.log(`tools that services take: ${words.join(', ')}; ${failed} they do not`);
process.exit(failed ? 1 : 0);
