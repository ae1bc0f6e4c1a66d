// Reads proto/ into plain packages, types and fields, in the words of src/machinery/schema.ts.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import protobuf from 'protobufjs';
import { standardFieldDescription, standardTypeDescription } from './standard-descriptions.mjs';

const SCALARS = new Set(['string', 'bytes', 'bool', 'int32', 'int64', 'uint32', 'uint64', 'double']);
const FIELD_OPTIONS = new Set([
  'json_name',
  'default',
  'go',
  'inline',
  'pointer',
  'required',
  'omitempty',
  'named',
  'key_named',
  'alias',
  'list',
  'key',
  'map',
  'struct',
  'patch',
  'merge_key',
  'gate',
  'one_of',
  'discriminator',
  'when',
  'json_only',
  'scalar_form',
]);
const MESSAGE_OPTIONS = new Set([
  'kind',
  'introduced',
  'deprecated',
  'removed',
  'replacement',
  'struct_type',
  'scalar',
  'json_form',
  'no_proto',
  'is_alias',
]);
const FILE_OPTIONS = new Set(['go_package', 'group', 'json_only_file', 'text']);

/** All packages of a folder of .proto files, sorted by name; types and fields in their order in the file. */
export function readPackages(folder) {
  const files = readdirSync(folder, { recursive: true })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.proto') && !name.startsWith('orch/'))
    .sort();
  const parsed = files.map((file) => parseFile(folder, file));
  const known = indexMessages(parsed);
  const packages = parsed.map((file) => readPackage(file, known));
  const texts = new Map(packages.flatMap((pkg) => [...pkg.texts].map(([name, text]) => [`${pkg.name}.${name}`, text])));
  for (const pkg of packages)
    for (const type of pkg.types) for (const field of type.fields) resolveText(pkg, type, field, texts);
  return packages;
}

function parseFile(folder, file) {
  const text = readFileSync(path.join(folder, file), 'utf8');
  const { root, package: protoPackage } = protobuf.parse(text, new protobuf.Root(), {
    keepCase: true,
    alternateCommentMode: true,
  });
  return { file, name: file.slice(0, -'.proto'.length), protoPackage, namespace: root.lookup(protoPackage) };
}

/** Full protobuf name → how types refer to the message: a scalar's name or `core/v1.Pod`. */
function indexMessages(files) {
  const index = new Map();
  for (const { name, protoPackage, namespace } of files) {
    for (const message of namespace.nestedArray) {
      index.set(
        `${protoPackage}.${message.name}`,
        readOptions(message, MESSAGE_OPTIONS).scalar ?? `${name}.${message.name}`,
      );
    }
  }
  return index;
}

/** Options as an object without the `orch.` around the names; a repeated one is a list. Unknown names are mistakes. */
function readOptions(node, known) {
  const options = {};
  for (const entry of node.parsedOptions ?? []) {
    for (const [raw, value] of Object.entries(entry)) {
      const name = raw.replace(/^\(orch\.(.*)\)$/, '$1');
      if (!known.has(name)) throw new Error(`${node.fullName}: unknown option ${raw}`);
      if (name === 'key' || name === 'text') (options[name] ??= []).push(value);
      else options[name] = value;
    }
  }
  return options;
}

function readPackage({ file, name, protoPackage, namespace }, known) {
  const { go_package: goPackage, group, text = [], json_only_file: jsonOnly } = readOptions(namespace, FILE_OPTIONS);
  const [host, ...rest] = goPackage.split('/');
  const pkg = {
    name,
    group: group ?? '',
    version: group === undefined ? '' : name.split('/')[1],
    protoPackage: jsonOnly ? '' : protoPackage,
    goPackage,
    openapiPrefix: [...host.split('.').reverse(), ...rest].join('.'),
    texts: new Map(text.map((entry) => [entry.name, { closed: entry.closed ?? false, values: entry.values ?? [] }])),
  };
  pkg.types = namespace.nestedArray.map((message) => readType({ file, protoPackage, jsonOnly, message, known }));
  return pkg;
}

function readType({ file, protoPackage, jsonOnly, message, known }) {
  const options = readOptions(message, MESSAGE_OPTIONS);
  const noProto = options.no_proto || jsonOnly;
  const resolve = (type) => resolveType(type, protoPackage, known, `${file}: ${message.name}`);
  const fields = message.fieldsArray.map((field) => readField({ field, noProto, resolve }));
  const isKind = options.kind !== undefined;
  for (const field of fields) field.description ??= standardFieldDescription(message.name, isKind, field);
  return dropUnset({
    name: message.name,
    kind: isKind || undefined,
    namespaced: { NAMESPACED: true, CLUSTER: false }[options.kind],
    structType: options.struct_type,
    unions: readUnions(fields),
    jsonType: options.json_form ?? options.scalar,
    noProto: noProto || undefined,
    alias: options.is_alias
      ? dropUnset({ type: fields[0].type, repeated: fields[0].repeated, mapKey: fields[0].mapKey })
      : undefined,
    introduced: options.introduced,
    deprecated: options.deprecated,
    removed: options.removed,
    replacement: options.replacement,
    description: message.comment ?? standardTypeDescription(message.name, isKind),
    fields,
  });
}

/** References are a scalar, a message of the same file, or a name below `k8s.io`. */
function resolveType(type, protoPackage, known, where) {
  if (SCALARS.has(type)) return type;
  const id = known.get(`${protoPackage}.${type}`) ?? known.get(`k8s.io.${type}`);
  if (id === undefined) throw new Error(`${where}: no such type ${type}`);
  return id;
}

function readField({ field, noProto, resolve }) {
  const options = readOptions(field, FIELD_OPTIONS);
  const type = options.scalar_form ?? resolve(field.type);
  const json = options.inline ? '' : (options.json_name ?? field.name);
  const hasJson = json !== '' && json !== '-';
  return dropUnset({
    json,
    protoName: field.name,
    name: options.go ?? goName(field.name, type),
    type,
    number: noProto || options.json_only ? undefined : field.id,
    repeated: field.repeated || undefined,
    mapKey: field.map ? field.keyType : undefined,
    pointer: options.pointer,
    omitempty: (options.omitempty ?? (hasJson && !options.required)) || undefined,
    inline: options.inline,
    required: options.required,
    patchStrategy: options.patch,
    patchMergeKey: options.merge_key ?? (options.patch?.includes('merge') ? options.key?.[0] : undefined),
    listType: options.key ? 'map' : options.list,
    listMapKeys: options.key,
    mapType: options.map,
    structType: options.struct,
    default: options.default,
    named: options.named,
    keyNamed: options.key_named,
    alias: options.alias,
    featureGate: options.gate,
    oneOf: options.one_of,
    discriminator: options.discriminator,
    when: options.when,
    description: field.comment ?? undefined,
  });
}

/** Embedded metadata is named after its type. */
function goName(name, type) {
  if (name === 'metadata' && /\.(Object|List)Meta$/.test(type)) return type.slice(type.indexOf('.') + 1);
  return name[0].toUpperCase() + name.slice(1);
}

function readUnions(fields) {
  const members = fields.filter((field) => field.when !== undefined).sort((a, b) => (a.json < b.json ? -1 : 1));
  if (members.length === 0) return undefined;
  const discriminator = fields.find((field) => field.discriminator)?.json;
  return [
    { discriminator, fields: members.map((field) => ({ fieldName: field.json, discriminatorValue: field.when })) },
  ];
}

/** Checks the named string type of a field and takes over the values of a closed one. */
function resolveText(pkg, type, field, texts) {
  for (const key of ['named', 'keyNamed']) {
    if (field[key] === undefined) continue;
    const id = field[key].includes('.') ? field[key] : `${pkg.name}.${field[key]}`;
    if (!texts.has(id)) throw new Error(`${pkg.name}.${type.name}.${field.json}: no such string type ${field[key]}`);
    field[key] = id;
  }
  const text = texts.get(field.named);
  if (text?.closed && text.values.length > 0 && field.mapKey === undefined) field.enum = [...text.values].sort();
}

function dropUnset(object) {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
