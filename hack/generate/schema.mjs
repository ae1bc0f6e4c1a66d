// src/api/gen/schema.ts: a line per type, in the short notation that src/api/schemas.ts expands.
import { HEADER, templateLines } from './header.mjs';

const FLAGS = { repeated: 1, pointer: 2, omitempty: 4, inline: 8, required: 16 };
/** Members of a field that the short notation has elsewhere, or not at all. */
const SHORT = new Set(['protoName', 'type', 'number', 'description', 'discriminator', 'when', ...Object.keys(FLAGS)]);

export function schemaFile(packages) {
  const head = packages.map(
    ({ name, group, version, protoPackage, goPackage, openapiPrefix }) =>
      `  ${JSON.stringify({ name, group, version, protoPackage, goPackage, openapiPrefix })},\n`,
  );
  const data = packages.map(
    (pkg) => `  '${pkg.name}': ${templateLines(pkg.types.map((type) => typeLine(pkg, type)))},\n`,
  );
  return (
    `${HEADER}export const packages = [\n${head.join('')}];\n\n` +
    '/** A line per type: [name, properties, [[JSON name, type, protobuf number, flags, properties?], …]]. */\n' +
    `export const lines: Readonly<Record<string, string>> = {\n${data.join('')}};\n`
  );
}

function typeLine(pkg, { name, description: _, fields, alias, ...properties }) {
  const own = alias ? { ...properties, alias: { ...alias, type: shortType(pkg, alias.type) } } : properties;
  const shown = alias && properties.noProto ? [] : fields;
  return [name, own, shown.map((field) => fieldEntry(pkg, field))];
}

function fieldEntry(pkg, field) {
  const flags = Object.entries(FLAGS).reduce((sum, [name, bit]) => (field[name] ? sum | bit : sum), 0);
  const extra = Object.fromEntries(Object.entries(field).filter(([name]) => !SHORT.has(name) && name !== 'json'));
  if (extra.name === capitalised(field.json)) delete extra.name;
  for (const key of ['named', 'keyNamed', 'alias']) if (extra[key]) extra[key] = shortType(pkg, extra[key]);
  const entry = [field.json, shortType(pkg, field.type), field.number ?? 0, flags];
  return Object.keys(extra).length > 0 ? [...entry, extra] : entry;
}

const capitalised = (json) => json.slice(0, 1).toUpperCase() + json.slice(1);

/** Types of the same package go without its name. */
const shortType = (pkg, type) => (type.startsWith(`${pkg.name}.`) ? type.slice(pkg.name.length + 1) : type);
