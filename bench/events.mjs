// The peer of bench/events.lua: the milliseconds that eventsource-parser takes for the events of a
// file.
//   node events.mjs FILE
import { openSync, readSync } from "node:fs";

const { createParser } = await import(`${process.cwd()}/build/eventsource-parser/index.js`);
const PIECE = 16384;
const EVENTS = 100000;

const pieces = [];
const file = openSync(process.argv[2]);
const decoder = new TextDecoder();
for (;;) {
  const bytes = new Uint8Array(PIECE);
  const size = readSync(file, bytes);
  if (size === 0) break;
  pieces.push(decoder.decode(bytes.subarray(0, size), { stream: true }));
}

function milliseconds() {
  let count = 0;
  let bytes = 0;
  const parser = createParser({
    onEvent(event) {
      count += 1;
      bytes += event.data.length;
    },
  });
  const began = process.cpuUsage();
  for (const piece of pieces) parser.feed(piece);
  const took = process.cpuUsage(began);
  if (count !== EVENTS || bytes === 0) throw new Error(`${count} events`);
  return (took.user + took.system) / 1000;
}

console.log(Math.min(...Array.from({ length: 5 }, milliseconds)).toFixed(1));
