// Usage: node arguments.mjs <LINES >LINES   A line is the schema of a tool's arguments and a seed. It gives a line of
// arguments that are made at random by the schema, and of others that are broken at random, each with what ajv
// says of it. `.ci/fetch validator` brings ajv.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
const Ajv = createRequire(import.meta.url)('../../build/ajv/ajv2020.bundle.js');

let state = 1;
function random(most) {
  state = (state * 48271) % 2147483647;
  return state % most;
}
const one = list => list[random(list.length)];

const VALUES = { string: () => one(['x', 'Grüße', 'a b', '7']), integer: () => random(100), number: () => random(1000) / 8,
  boolean: () => random(2) === 0, null: () => null };

function scalar(schema, type) {
  let value = VALUES[type]();
  if (type === 'string') {
    while ([...value].length < (schema.minLength ?? 0)) value += 'y';
    return [...value].slice(0, schema.maxLength ?? 99).join('');
  }
  if (type !== 'integer' && type !== 'number') return value;
  const step = schema.multipleOf ?? 1;
  if (schema.minimum !== undefined) value = Math.max(value, schema.minimum);
  if (schema.maximum !== undefined) value = Math.min(value, schema.maximum);
  if (schema.exclusiveMinimum !== undefined) value = Math.max(value, schema.exclusiveMinimum + step);
  if (schema.exclusiveMaximum !== undefined) value = Math.min(value, schema.exclusiveMaximum - step);
  return schema.multipleOf ? Math.ceil(value / step) * step : value;
}

// A value that should fit, or null where the nesting ends.
function right(schema, root, depth) {
  if (schema.$ref) return right(root.$defs[schema.$ref.slice('#/$defs/'.length)], root, depth + 1);
  if (schema.enum) return one(schema.enum);
  let value = {};
  if (schema.anyOf) value = right(one(schema.anyOf), root, depth + 1);
  const type = [].concat(schema.type ?? (schema.properties ? 'object' : [])).filter(name => depth < 8 || name !== 'array');
  if (schema.anyOf && (value === null || typeof value !== 'object' || Array.isArray(value))) return value;
  const own = type.length ? one(type) : schema.anyOf ? 'object' : 'string';
  if (own === 'array') {
    const size = Math.max(schema.minItems ?? 1, Math.min(1 + random(2), schema.maxItems ?? 3));
    return Array.from({ length: size }, () => right(schema.items ?? {}, root, depth + 1));
  }
  if (own !== 'object') return scalar(schema, own);
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const isNeeded = schema.required?.includes(name);
    if (!(name in value) && (isNeeded || (depth < 5 && random(4) === 0))) value[name] = right(child, root, depth + 1);
  }
  const extra = schema.additionalProperties;
  if (typeof extra === 'object' && random(2)) value.some_name = right(extra, root, depth + 1);
  return value;
}

const WRONG = ['x', 'no such value', 7, -1e6, 1e6, 1.5, true, [{ x: 1 }], ['y'], { y: 'z' }, 'y'.repeat(3000)];

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
    const value = right(parameters, parameters, 0), broken = break_(value);
    for (const given of [value, broken]) {
      if (given && typeof given === 'object' && !Array.isArray(given)) made.push({ given, valid: valid(given) });
    }
  }
  console.log(JSON.stringify(made));
}
