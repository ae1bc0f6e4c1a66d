/**
 * The type schema from the facts of the API, for tests that run before or without the generated one.
 */
import { readFileSync } from 'node:fs';
import type { Field, PackageSchema, SchemaRegistry, TypeSchema } from '../../src/machinery/schema.ts';
import { hasShared, sharedPath } from './shared.ts';

type FactField = Omit<Field, 'name' | 'number' | 'mapKey'> & { name: string; proto?: number; mapOf?: Field['mapKey'] };
type FactType = Partial<Omit<TypeSchema, 'fields' | 'alias'>> & { fields?: FactField[]; alias?: { type: string; repeated?: boolean; mapOf?: Field['mapKey'] } };
type FactPackage = Omit<PackageSchema, 'name'> & { types: Record<string, FactType> };

export const hasFacts = hasShared('facts', 'types.json');

const scalars = new Set(['string', 'bytes', 'bool', 'int32', 'int64', 'uint32', 'uint64', 'double', 'time', 'microtime', 'duration', 'fieldsV1', 'quantity', 'intOrString', 'rawExtension', 'goDuration', 'any']);

export function loadFactsSchemas(): SchemaRegistry {
  const facts = JSON.parse(readFileSync(sharedPath('facts', 'types.json'), 'utf8')) as Record<string, FactPackage>;
  const packages = Object.entries(facts).filter(([name]) => !name.startsWith('$'));
  const types = new Map<string, TypeSchema>();
  const kinds = new Map<string, string>();
  for (const [packageName, pack] of packages) {
    for (const [name, type] of Object.entries(pack.types)) {
      const id = `${packageName}.${name}`;
      types.set(id, readType(packageName, id, type));
      if (type.kind) kinds.set(`${pack.group ? `${pack.group}/` : ''}${pack.version}/${name}`, id);
    }
  }
  return {
    packages: packages.map(([name, { types: _types, ...pack }]) => ({ name, ...pack })),
    typesOf: (packageName) => Object.keys(facts[packageName]!.types),
    type(id) {
      const type = types.get(id);
      if (type === undefined) throw new Error(`no type ${id}`);
      return type;
    },
    ofKind: (apiVersion, kind) => kinds.get(`${apiVersion}/${kind}`),
  };
}

function readType(packageName: string, id: string, { fields = [], alias, ...rest }: FactType): TypeSchema {
  return {
    ...rest,
    id,
    ...(alias && { alias: { type: fullName(packageName, alias.type), ...(alias.repeated && { repeated: true }), ...(alias.mapOf && { mapKey: alias.mapOf }) } }),
    fields: fields.map(({ proto, mapOf, ...field }) => ({
      ...field,
      type: fullName(packageName, field.type),
      ...(proto !== undefined && { number: proto }),
      ...(mapOf !== undefined && { mapKey: mapOf }),
    })),
  };
}

const fullName = (packageName: string, name: string): string => (scalars.has(name) || name.includes('.') ? name : `${packageName}.${name}`);
