// src/api/gen/descriptions.ts: the comments of proto/, which only OpenAPI reads.
import { HEADER, templateLines } from './header.mjs';

export function descriptionsFile(packages) {
  const data = packages.map((pkg) => `  '${pkg.name}': ${templateLines(pkg.types.map(typeLine))},\n`);
  return (
    `${HEADER}/** A line per type: [name, description, {JSON name of a field: description}]. */\n` +
    `export const lines: Readonly<Record<string, string>> = {\n${data.join('')}};\n`
  );
}

function typeLine({ name, description, fields }) {
  const described = fields.filter((field) => field.description && field.json);
  return [
    name,
    oneLine(description),
    Object.fromEntries(described.map((field) => [field.json, oneLine(field.description)])),
  ];
}

/** Lines of a comment are wrapped for the reader of the file: a single break is a blank, an empty line a paragraph. */
const oneLine = (text = '') => text.replace(/([^\n])\n(?=[^\n])/g, '$1 ');
