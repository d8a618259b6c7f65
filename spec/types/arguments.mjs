// Usage: node arguments.mjs <LINES >LINES
//
// A line of the input is JSON: { parameters, seed }, with the schema of a tool's arguments. For
// each a line is written: a list of { given, valid }. `given` are arguments that json-schema-faker
// makes at random by the schema, or such arguments with a random error. `valid` is what ajv says of
// them. `.ci/fetch validator` fetches both programs.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { runInThisContext } from 'node:vm';
import { regExp } from './reg_exp.mjs';
const Ajv = createRequire(import.meta.url)('../../build/ajv/ajv2020.bundle.js');
// A browser's script, which sets the global JSONSchemaFaker.
runInThisContext(readFileSync('build/json-schema-faker/bundle.js', 'utf8'));

let state = 1;
function random(most) {
  state = (state * 48271) % 2147483647;
  return state % most;
}
const one = list => list[random(list.length)];

const { JSONSchemaFaker } = globalThis;
// Two times of eight it is the least or the greatest that a schema allows.
const share = () => [0, 0.999999][random(8)] ?? random(1e6) / 1e6;
JSONSchemaFaker.option({ random: share, optionalsProbability: 0.3, maxItems: 3, refDepthMax: 3 });

const WRONG = [
  'Grüße',
  'no such value',
  7,
  -1e6,
  1e6,
  1.5,
  true,
  [{ x: 1 }],
  ['y'],
  { y: 'z' },
  'y'.repeat(3000),
];

// Breaks a value at some place: it is replaced, a name is added, or one is removed.
function break_(value) {
  if (value === null || typeof value !== 'object' || random(4) === 0) return one(WRONG);
  const names = Object.keys(value), name = names.length ? one(names) : 'no_such_name';
  const made = Array.isArray(value) ? [...value] : { ...value };
  if (Array.isArray(made) || random(3)) made[name] = break_(value[name] ?? null);
  else if (random(2)) made.no_such_name = 'x';
  else delete made[name];
  return made;
}

const OPTIONS = { strict: false, logger: false, validateSchema: true };

for await (const line of createInterface({ input: process.stdin })) {
  const { parameters, seed } = JSON.parse(line);
  const valid = new Ajv({ ...OPTIONS, code: { regExp } }).compile(parameters);
  state = seed;
  const made = [];
  for (let round = 0; round < 8; round++) {
    const value = JSONSchemaFaker.generate(parameters);
    for (const given of [value, break_(value)]) {
      if (given && typeof given === 'object' && !Array.isArray(given)) {
        made.push({ given, valid: valid(given) });
      }
    }
  }
  console.log(JSON.stringify(made));
}
