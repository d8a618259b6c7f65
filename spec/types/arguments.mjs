// Usage: node arguments.mjs <LINES >LINES   A line is the schema of a tool's arguments and a seed. It gives a line of
// arguments that json-schema-faker makes at random by the schema, and of others that are broken at random, each with
// what ajv says of it. `.ci/fetch validator` brings both.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { runInThisContext } from 'node:vm';
const Ajv = createRequire(import.meta.url)('../../build/ajv/ajv2020.bundle.js');
runInThisContext(readFileSync('build/json-schema-faker/bundle.js', 'utf8')); // a browser's script, which sets a global

let state = 1;
function random(most) {
  state = (state * 48271) % 2147483647;
  return state % most;
}
const one = list => list[random(list.length)];

const { JSONSchemaFaker } = globalThis;
const share = () => [0, 0.999999][random(8)] ?? random(1e6) / 1e6; // often the least and the most that a schema allows
JSONSchemaFaker.option({ random: share, optionalsProbability: 0.3, maxItems: 3, refDepthMax: 3 });

const WRONG = ['Grüße', 'no such value', 7, -1e6, 1e6, 1.5, true, [{ x: 1 }], ['y'], { y: 'z' }, 'y'.repeat(3000)];

// Breaks a value somewhere: another in its place, a name more, or one less.
function break_(value) {
  if (value === null || typeof value !== 'object' || random(4) === 0) return one(WRONG);
  const names = Object.keys(value), name = names.length ? one(names) : 'no_such_name';
  const made = Array.isArray(value) ? [...value] : { ...value };
  if (Array.isArray(made) || random(3)) made[name] = break_(value[name] ?? null);
  else if (random(2)) made.no_such_name = 'x';
  else delete made[name];
  return made;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { parameters, seed } = JSON.parse(line);
  const valid = new Ajv({ strict: false, logger: false, validateSchema: true }).compile(parameters);
  state = seed;
  const made = [];
  for (let round = 0; round < 8; round++) {
    const value = JSONSchemaFaker.generate(parameters);
    for (const given of [value, break_(value)]) {
      if (given && typeof given === 'object' && !Array.isArray(given)) made.push({ given, valid: valid(given) });
    }
  }
  console.log(JSON.stringify(made));
}
