// TypeScript of a protocol between programs (`*.proto` beside the code that speaks it): types of its messages, a table
// for src/base/protobuf/message-codec.ts, and its methods.
import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';
import { HEADER } from './header.mjs';

const SCALARS = {
  string: 'string',
  bytes: 'Uint8Array',
  bool: 'boolean',
  int32: 'number',
  uint32: 'number',
  int64: 'number | bigint',
  uint64: 'number | bigint',
};

export function wireFile(file) {
  const text = readFileSync(file, 'utf8');
  const { root, package: name } = protobuf.parse(text, new protobuf.Root(), { keepCase: false });
  const items = root.lookup(name).nestedArray;
  const enums = items.filter((item) => item instanceof protobuf.Enum);
  const messages = items.filter((item) => item instanceof protobuf.Type);
  const services = items.filter((item) => item instanceof protobuf.Service);
  const header = HEADER.replace('from proto/', 'from the .proto file beside').replace('change proto/', 'change that');
  return [
    header.trimEnd(),
    ...enums.map((item) => `export type ${item.name} = ${literals(Object.keys(item.values))};\n`),
    ...messages.map(interfaceOf),
    `export const enums = {\n${enums.map((item) => `  ${item.name}: ${valuesOf(item)},\n`).join('')}} as const;\n`,
    '/** Of each field: number, name, type, and whether it is repeated or a map of strings. */',
    `export const messages = {\n${messages.map((item) => `  ${item.name}: ${rowsOf(item)},\n`).join('')}} as const;\n`,
    '/** Path, request and response of each method. */',
    `export const methods = {\n${services.flatMap((service) => methodsOf(name, service)).join('')}} as const;\n`,
    'export interface Methods {',
    ...services.flatMap((service) => service.methodsArray.map(methodTypeOf)),
    '}\n',
  ].join('\n');
}

const literals = (names) => names.map((name) => `'${name}'`).join(' | ');
const valuesOf = ({ values }) =>
  `{ ${Object.entries(values)
    .map((entry) => entry.join(': '))
    .join(', ')} }`;
const lower = (name) => name[0].toLowerCase() + name.slice(1);

function interfaceOf({ name, fieldsArray }) {
  if (fieldsArray.length === 0) return `export type ${name} = Record<never, never>;\n`;
  const members = fieldsArray.map((field) => `  readonly ${field.name}?: ${typeOf(field)} | undefined;\n`);
  return `export interface ${name} {\n${members.join('')}}\n`;
}

function typeOf(field) {
  const type = SCALARS[field.type] ?? field.type;
  if (field.map) return `Readonly<Record<string, ${type}>>`;
  return field.repeated ? `readonly ${type.includes('|') ? `(${type})` : type}[]` : type;
}

function rowsOf({ fieldsArray }) {
  const rows = fieldsArray.map((field) => {
    const form = field.map ? ", 'map'" : field.repeated ? ", 'repeated'" : '';
    return `[${field.id}, '${field.name}', '${field.type}'${form}]`;
  });
  return `[${rows.join(', ')}]`;
}

const methodsOf = (name, service) =>
  service.methodsArray.map(({ name: method, requestType, responseType }) => {
    const path = `/${name}.${service.name}/${method}`;
    return `  ${lower(method)}: ['${path}', '${requestType}', '${responseType}'],\n`;
  });

const methodTypeOf = (method) =>
  `  ${lower(method.name)}: [request: ${method.requestType}, response: ${method.responseType}];`;
