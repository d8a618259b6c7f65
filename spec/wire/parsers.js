// How node's URL reads the URLs of its input, one on each line: host, port and path with
// tabs between them, or "refused".
"use strict";
const lines = require("fs").readFileSync(0, "latin1").split("\n");
lines.pop();
const read = lines.map((line) => {
  try {
    const url = new URL(line);
    return [url.hostname, url.port, url.pathname].join("\t");
  } catch (error) {
    return "refused";
  }
});
process.stdout.write(read.join("\n") + "\n");
