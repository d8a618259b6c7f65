// One round of ajv, for bench/run_checks.lua. Prints the lines that bench/checks.lua prints:
// "case <tab> peer <tab> nanoseconds a check". Each check builds its own objects, as callers do.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const Ajv = createRequire(import.meta.url)(`${process.cwd()}/build/ajv/ajv2020.bundle.js`);
const SECONDS = Number(process.argv[2]);
const { components, 'x-calls': calls } = JSON.parse(readFileSync('bench/checks.json', 'utf8'));
const ajv = new Ajv({ strict: false }).addSchema({ $id: 'bench:', components });

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

for (const { name, schema, value, wrong } of calls) {
  const fits = ajv.compile({ $ref: `bench:#/components/schemas/${schema}` });
  if (!fits(value) || fits(wrong)) throw new Error(`ajv says something else of ${name}`);
  const f = new Function('fits', `return () => fits(${JSON.stringify(value)})`)(fits);
  run(f, 200000); // lets V8 compile it
  let count = 10000,
    took = 0;
  while (took < SECONDS / 2) took = run(f, (count *= 2));
  console.log(`${name}\tajv\t${((took / count) * 1e9).toFixed(1)}`);
}
