// Usage: node examples.mjs FILE... >LINES   The examples of request bodies in OpenAPI documents,
// one JSON object a line: what ajv says of each by the document's own schema, as a request has it,
// and which of its names no schema describes. The values of the operation's required parameters are
// beside it. `.ci/fetch validator` brings the programs.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { runInThisContext } from 'node:vm';
import { regExp } from './reg_exp.mjs';
const require = createRequire(import.meta.url);
const Ajv7 = require('../../build/ajv/ajv7.bundle.js'),
  Ajv2020 = require('../../build/ajv/ajv2020.bundle.js');
// A browser's script, which sets a global.
runInThisContext(readFileSync('build/json-schema-faker/bundle.js', 'utf8'));
const { JSONSchemaFaker } = globalThis;
JSONSchemaFaker.option({
  random: () => 0.5,
  optionalsProbability: 0,
  refDepthMax: 3,
  fillProperties: false,
});

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace'];
const is_table = value => value !== null && typeof value === 'object' && !Array.isArray(value);
const tables = value => (Array.isArray(value) ? value.filter(is_table) : []);

// --- a document -------------------------------------------------------------------------

class Document {
  constructor(root) {
    this.root = root;
    this.is_2 = root.swagger !== undefined;
    this.is_3_1 = /^3\.[12]/.test(root.openapi ?? '');
    this.schemas = (this.is_2 ? root.definitions : root.components?.schemas) ?? {};
  }

  // Where a $ref leads to, through as many as there are; undefined if that is nowhere.
  resolve(value) {
    for (let steps = 0; is_table(value) && typeof value.$ref === 'string'; steps++) {
      if (steps > 50 || !value.$ref.startsWith('#/')) return undefined;
      value = value.$ref
        .slice(2)
        .split('/')
        .reduce(
          (place, part) =>
            place?.[decodeURIComponent(part).replace(/~1/g, '/').replace(/~0/g, '~')],
          this.root,
        );
    }
    return value;
  }

  // The schemas that take in this one by allOf, where it has a discriminator.
  heirs(schema) {
    this.known_heirs ??= this.#read_heirs();
    return this.known_heirs.get(schema) ?? [];
  }

  #read_heirs() {
    const bases = schema =>
      tables(schema?.allOf)
        .map(one => this.resolve(one))
        .filter(is_table);
    const heirs = new Map();
    for (const schema of Object.values(this.schemas)) {
      const found = bases(this.resolve(schema)),
        seen = new Set(found);
      for (const base of found)
        for (const one of bases(base)) if (!seen.has(one)) (seen.add(one), found.push(one));
      if (found.some(base => base.discriminator)) {
        for (const base of found) heirs.set(base, [...(heirs.get(base) ?? []), schema]);
      }
    }
    return heirs;
  }
}

// --- schemas of OpenAPI in the words of JSON Schema ------------------------------------------

const SAME = [
  'type',
  'enum',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'required',
];
const SAME_3_1 = ['const', 'minContains', 'maxContains', 'dependentRequired'];
const ONE = ['items', 'additionalProperties', 'not'];
const ONE_3_1 = [
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const LISTS = ['allOf', 'anyOf', 'oneOf'],
  LISTS_3_1 = ['prefixItems'];
const MAPS = ['properties'],
  MAPS_3_1 = ['patternProperties', 'dependentSchemas'];

// A schema with all that it leads to as one of JSON Schema: of draft 7, or of 2020-12 for OpenAPI
// 3.1. What only responses have must not be there.
class Converter {
  constructor(document) {
    this.document = document;
    this.numbers = new Map();
    this.$defs = {};
    this.more = document.is_3_1;
  }

  whole(schema) {
    return { ...this.convert(schema), $defs: this.$defs };
  }

  convert(schema) {
    if (typeof schema === 'boolean') return schema;
    if (!is_table(schema)) return {};
    if (typeof schema.$ref !== 'string') return this.#plain(schema);
    const made = { $ref: this.#reference(schema) };
    return this.more ? { ...this.#plain(schema), ...made } : made;
  }

  #reference(schema) {
    const target = this.document.resolve(schema);
    if (target === undefined) throw new Error('a $ref leads nowhere');
    if (!this.numbers.has(target)) {
      const number = this.numbers.size;
      this.numbers.set(target, number);
      this.$defs[number] = this.convert(target);
    }
    return `#/$defs/${this.numbers.get(target)}`;
  }

  #plain(schema) {
    const made = {},
      more = this.more;
    for (const word of more ? [...SAME, ...SAME_3_1] : SAME)
      if (schema[word] !== undefined) made[word] = schema[word];
    for (const word of more ? [...ONE, ...ONE_3_1] : ONE) {
      if (schema[word] !== undefined) made[word] = this.convert(schema[word]);
    }
    for (const word of more ? [...LISTS, ...LISTS_3_1] : LISTS) {
      if (Array.isArray(schema[word])) made[word] = schema[word].map(one => this.convert(one));
    }
    for (const word of more ? [...MAPS, ...MAPS_3_1] : MAPS) {
      if (is_table(schema[word])) {
        made[word] = Object.fromEntries(
          Object.entries(schema[word]).map(([name, one]) => [name, this.convert(one)]),
        );
      }
    }
    if (made.type === 'file') made.type = 'string';
    if (!more) this.#of_draft_4(schema, made);
    this.#as_request(schema, made);
    return made;
  }

  #of_draft_4(schema, made) {
    for (const [word, other] of [
      ['exclusiveMinimum', 'minimum'],
      ['exclusiveMaximum', 'maximum'],
    ]) {
      if (typeof made[word] === 'boolean') {
        if (made[word]) ((made[word] = made[other]), delete made[other]);
        else delete made[word];
      }
      if (made[word] === undefined) delete made[word];
    }
    if (typeof made.required === 'boolean') delete made.required;
    if (schema.nullable === true && typeof made.type === 'string') {
      made.type = [made.type, 'null'];
    }
  }

  #as_request(schema, made) {
    if (!Array.isArray(made.required)) return;
    made.required = made.required.filter(
      name => !is_read_only(this.document, schema.properties?.[name]),
    );
    if (made.required.length === 0) delete made.required;
  }
}

const is_read_only = (document, schema) =>
  schema?.readOnly === true || (is_table(schema) && document.resolve(schema)?.readOnly === true);

// --- names ----------------------------------------------------------------------------

// All schemas that may say something of a value: those by $ref, allOf and alternatives, and those
// that a discriminator may choose.
function parts_of(document, schemas) {
  const found = [],
    seen = new Set(schemas),
    waiting = [...schemas];
  const add = one => {
    if (is_table(one) && !seen.has(one)) (seen.add(one), waiting.push(one));
  };
  for (let schema; (schema = waiting.shift());) {
    found.push(schema);
    if (typeof schema.$ref === 'string') add(document.resolve(schema));
    if (typeof schema.$ref === 'string' && !document.is_3_1) continue;
    for (const word of LISTS) tables(schema[word]).forEach(add);
    for (const word of ['if', 'then', 'else']) add(schema[word]);
    Object.values(is_table(schema.dependentSchemas) ? schema.dependentSchemas : {}).forEach(add);
    document.heirs(schema).forEach(add);
  }
  return found;
}

const names_others = schema =>
  schema.additionalProperties === true ||
  is_table(schema.additionalProperties) ||
  schema.patternProperties !== undefined ||
  (schema.unevaluatedProperties ?? false) !== false;

// Says by `say(name, why)` which names in a value no schema describes, and which only responses
// have.
function judge_names(document, value, schemas, say, path = '') {
  const parts = parts_of(document, schemas.filter(is_table));
  if (Array.isArray(value)) {
    const items = parts.flatMap(part => [part.items, ...tables(part.prefixItems)]);
    value.forEach(one => judge_names(document, one, items, say, path + '[]'));
  } else if (is_table(value)) {
    const has_names = parts.some(part => is_table(part.properties)),
      is_open = parts.some(names_others);
    const are_free = parts.some(part => part !== schemas[0] && Object.keys(part).length === 0);
    for (const [name, one] of Object.entries(value)) {
      const own = parts
        .filter(part => is_table(part.properties) && Object.hasOwn(part.properties, name))
        .map(part => part.properties[name]);
      if (own.some(schema => is_read_only(document, schema))) say(path + '/' + name, 'read_only');
      else if (!own.length && has_names && !is_open && !are_free) say(path + '/' + name, 'unknown');
      const others = own.length ? own : parts.map(part => part.additionalProperties);
      judge_names(document, one, others, say, path + '/' + name);
    }
  }
}

// --- operations -----------------------------------------------------------------------

const validators = new Map();

// The validator of a schema: says whether a value fits, or gives why there is none.
function validator_of(document, schema) {
  if (validators.has(schema)) return validators.get(schema);
  let made;
  try {
    const Ajv = document.is_3_1 ? Ajv2020 : Ajv7;
    const ajv = new Ajv({
      strict: false,
      logger: false,
      validateFormats: false,
      code: { regExp },
    });
    const validate = ajv.compile(new Converter(document).whole(schema));
    made = value => ({ valid: validate(value), errors: validate.errors });
  } catch (problem) {
    made = () => ({ reason: problem.message.replace(/["'][^"']*["']|\d+/g, '…').slice(0, 80) });
  }
  validators.set(schema, made);
  return made;
}

// A value of a parameter that fits its schema: what the document itself gives, or one made at
// random.
function value_of(document, parameter) {
  const schema = document.is_2
    ? parameter
    : (parameter.schema ?? Object.values(parameter.content ?? {})[0]?.schema ?? {});
  const target = document.resolve(schema) ?? {};
  const check = validator_of(document, schema),
    fits = value => value !== undefined && value !== '' && check(value).valid;
  const given = [
    parameter.example,
    parameter['x-example'],
    ...Object.values(parameter.examples ?? {}).map(one => document.resolve(one)?.value),
    target.example,
    target.default,
    target.enum?.[0],
  ].find(fits);
  if (given !== undefined) return given;
  try {
    const made = JSONSchemaFaker.generate(new Converter(document).whole(schema));
    return fits(made) ? made : undefined;
  } catch {
    return undefined;
  }
}

function parameters_of(document, item, operation) {
  const found = new Map();
  for (const one of [...tables(item.parameters), ...tables(operation.parameters)]) {
    const parameter = document.resolve(one);
    if (is_table(parameter)) found.set(parameter.in + ' ' + parameter.name, parameter);
  }
  return [...found.values()];
}

// The bodies of an operation: media type and schema, and the examples beside the schema.
function bodies_of(document, operation, parameters) {
  if (document.is_2) {
    const body = parameters.find(one => one.in === 'body');
    const types = operation.consumes ?? document.root.consumes ?? [];
    return body
      ? [{ media_type: types[0] ?? 'application/json', schema: body.schema, beside: [] }]
      : [];
  }
  const content = document.resolve(operation.requestBody)?.content;
  return Object.keys(is_table(content) ? content : {})
    .sort()
    .map(media_type => {
      const one = document.resolve(content[media_type]) ?? {};
      const named = Object.values(is_table(one.examples) ? one.examples : {}).map(example =>
        document.resolve(example),
      );
      const beside = [one.example, ...named.filter(is_table).map(example => example.value)];
      return { media_type, schema: one.schema, beside };
    });
}

function examples_in(document, body) {
  const schema = document.resolve(body.schema);
  const own = is_table(schema)
    ? [schema.example, ...(Array.isArray(schema.examples) ? schema.examples : [])]
    : [];
  const seen = new Set();
  return [...body.beside, ...own].filter(value => {
    const text = JSON.stringify(value);
    return value !== undefined && !seen.has(text) && seen.add(text);
  });
}

function* examples_of(document) {
  for (const [path, written] of Object.entries(document.root.paths ?? {})) {
    const item = document.resolve(written);
    for (const method of METHODS) {
      const operation = is_table(item) && document.resolve(item[method]);
      if (!is_table(operation)) continue;
      const parameters = parameters_of(document, item, operation);
      const bodies = bodies_of(document, operation, parameters);
      for (const body of bodies) {
        const examples = examples_in(document, body);
        if (examples.length === 0) continue;
        const needed = parameters.filter(
          one => one.in === 'path' || (one.in === 'query' && one.required),
        );
        const values = { path: {}, query: {} };
        for (const one of needed) values[one.in][one.name] = value_of(document, one);
        for (const value of examples) {
          const judged = validator_of(document, body.schema ?? {})(value),
            unknown = [],
            read_only = [];
          if (judged.valid) {
            judge_names(document, value, [body.schema], (name, why) =>
              (why === 'unknown' ? unknown : read_only).push(name),
            );
          }
          yield {
            method: method.toUpperCase(),
            path,
            media_type: body.media_type,
            media_types: bodies.map(one => one.media_type),
            has_schema: body.schema !== undefined,
            value,
            valid: judged.valid,
            reason: judged.reason,
            error:
              judged.errors?.[0] && `${judged.errors[0].instancePath} ${judged.errors[0].message}`,
            unknown,
            read_only,
            parameters: values,
          };
        }
      }
    }
  }
}

for (const file of process.argv.slice(2)) {
  validators.clear();
  const document = new Document(JSON.parse(readFileSync(file, 'utf8')));
  for (const example of examples_of(document)) console.log(JSON.stringify({ file, ...example }));
}
