// src/api/gen/types/: the JSON of every type in TypeScript, a file per package.
import { HEADER } from './header.mjs';

const SCALARS = {
  string: 'string',
  bytes: 'string',
  bool: 'boolean',
  int32: 'number',
  uint32: 'number',
  double: 'number',
  int64: 'number | bigint',
  uint64: 'number | bigint',
  goDuration: 'number | bigint',
  time: 'string',
  microtime: 'string',
  duration: 'string',
  quantity: 'string',
  intOrString: 'number | string',
  rawExtension: 'JsonValue',
  fieldsV1: 'JsonObject',
  any: 'JsonValue',
};

const JSON_TYPES = {
  json: 'JsonValue',
  unknown: 'JsonValue',
  schemaOrArray: 'JSONSchemaProps | JSONSchemaProps[]',
  schemaOrBool: 'JSONSchemaProps | boolean',
  schemaOrStringArray: 'JSONSchemaProps | string[]',
};

export function typeFiles(packages) {
  const types = new Map(packages.flatMap((pkg) => pkg.types.map((type) => [`${pkg.name}.${type.name}`, type])));
  return packages.map((pkg) => [`types/${fileName(pkg.name)}.ts`, typeFile(pkg, types)]);
}

const fileName = (packageName) => packageName.replace('/', '-');

/** `core/v1` → `coreV1` */
const alias = (packageName) => packageName.replace(/\/(.)/, (_, first) => first.toUpperCase());

function typeFile(pkg, types) {
  const imports = new Set();
  const refer = (id) => {
    const dot = id.indexOf('.');
    const home = id.slice(0, dot);
    if (home === pkg.name) return id.slice(dot + 1);
    imports.add(home);
    return `${alias(home)}.${id.slice(dot + 1)}`;
  };
  const context = { pkg, types, refer };
  const body = [
    ...[...pkg.texts].map(([name, text]) => textDeclaration(name, text)),
    ...pkg.types.map((type) => typeDeclaration(type, context)),
  ].join('\n');
  return HEADER + importLines(imports, body) + '\n' + body;
}

function importLines(packages, body) {
  const values = ['JsonObject', 'JsonValue'].filter((name) => new RegExp(`\\b${name}\\b`).test(body));
  const lines = values.length > 0 ? [`import type { ${values.join(', ')} } from '../../../machinery/value.ts';`] : [];
  for (const name of [...packages].sort()) lines.push(`import type * as ${alias(name)} from './${fileName(name)}.ts';`);
  return lines.map((line) => `${line}\n`).join('');
}

/** A closed set is a union; an open one keeps its known values for completion and accepts every string. */
function textDeclaration(name, { closed, values }) {
  const union = values.map((value) => JSON.stringify(value)).join(' | ');
  if (values.length === 0) return `export type ${name} = string;\n`;
  return `export type ${name} = ${union}${closed ? '' : ' | (string & {})'};\n`;
}

function typeDeclaration(type, context) {
  const head = `${comment(type.description, '')}export type ${type.name} = `;
  if (type.alias) return `${head}${fieldType(type.fields[0], context)};\n`;
  if (type.jsonType) return `${head}${JSON_TYPES[type.jsonType] ?? SCALARS[type.jsonType]};\n`;
  const members = [
    ...(type.kind ? ['  apiVersion?: string;\n', '  kind?: string;\n'] : []),
    ...memberLines(type, context),
  ];
  return members.length === 0 ? `${head}Record<string, never>;\n` : `${head}{\n${members.join('')}};\n`;
}

function memberLines(type, context) {
  return type.fields.flatMap((field) => {
    if (field.inline) return memberLines(context.types.get(field.type), context);
    if (field.json === '-') return [];
    const name = /^[A-Za-z_]\w*$/.test(field.json) ? field.json : JSON.stringify(field.json);
    return [
      `${comment(field.description, '  ')} ` +
        ` ${name}${isAlwaysThere(field, context) ? '' : '?'}: ${fieldType(field, context)};\n`,
    ];
  });
}

/** In a normalized value (see value.ts) only a struct that is no pointer is never absent. */
function isAlwaysThere(field, { types }) {
  const type = types.get(field.type);
  return type !== undefined && !type.alias && !type.jsonType && !field.pointer && !field.repeated && !field.mapKey;
}

function fieldType(field, context) {
  const single = field.named ? context.refer(field.named) : (SCALARS[field.type] ?? context.refer(field.type));
  const value = field.repeated ? `${single.includes(' ') ? `(${single})` : single}[]` : single;
  return field.mapKey ? `Record<string, ${value}>` : value;
}

function comment(text, indent) {
  if (!text) return '';
  const lines = text.replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line && ` ${line}`}\n`).join('')}${indent} */\n`;
}
