import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hasShared, sharedPath } from '../../test/support/shared.ts';
import type { Field, TypeSchema } from '../machinery/schema.ts';
import { schemas } from './schemas.ts';

interface FactField extends Record<string, unknown> {
  json: string;
  name: string;
  type: string;
  proto?: number;
  mapOf?: string;
  enum?: string[];
}
interface FactType extends Record<string, unknown> {
  fields?: FactField[];
  jsonForm?: string;
  alias?: { type: string; repeated?: boolean; mapOf?: string };
}
interface FactPackage {
  group?: string;
  version?: string;
  protoPackage?: string;
  goPackage: string;
  openapiPrefix: string;
  types: Record<string, FactType>;
}

const PACKAGES = Object.entries(hasShared('facts/types.json') ? readFacts() : {});

function readFacts(): Record<string, FactPackage> {
  const facts = JSON.parse(readFileSync(sharedPath('facts/types.json'), 'utf8')) as Record<string, FactPackage>;
  return Object.fromEntries(Object.entries(facts).filter(([name]) => !name.startsWith('$')));
}

/** What the facts describe in words has a name in the schema. */
const JSON_FORMS: Record<string, string> = {
  'apiextensions/v1.JSON': 'json',
  'apiextensions/v1.JSONSchemaPropsOrArray': 'schemaOrArray',
  'apiextensions/v1.JSONSchemaPropsOrBool': 'schemaOrBool',
  'apiextensions/v1.JSONSchemaPropsOrStringArray': 'schemaOrStringArray',
  'meta/v1.Duration': 'duration',
  'meta/v1.FieldsV1': 'fieldsV1',
  'meta/v1.MicroTime': 'microtime',
  'meta/v1.Time': 'time',
  'resource.Quantity': 'quantity',
  'intstr.IntOrString': 'intOrString',
  'runtime.RawExtension': 'rawExtension',
  'runtime.Unknown': 'unknown',
};

/** Closed sets whose values the facts lack. */
const ENUM_VALUES: Record<string, string[]> = {
  'discovery/v1.AddressType': ['FQDN', 'IPv4', 'IPv6'],
  'networking/v1.PathType': ['Exact', 'ImplementationSpecific', 'Prefix'],
};

const isScalar = (type: string): boolean => /^[a-z]\w*$/.test(type);
const full = (packageName: string, type: string): string =>
  isScalar(type) || type.includes('.') ? type : `${packageName}.${type}`;

function expectedField(packageName: string, fact: FactField): Field {
  // `optional`, `protoName` and `unionDiscriminator` are not of use at run time (the union itself is on the type).
  const { proto, mapOf, optional: _o, protoName: _p, unionDiscriminator: _u, ...rest } = fact;
  const field: Record<string, unknown> = { ...rest, type: full(packageName, fact.type) };
  if (proto !== undefined) field['number'] = proto;
  if (mapOf !== undefined) field['mapKey'] = mapOf;
  for (const key of ['named', 'keyNamed', 'alias'])
    if (typeof field[key] === 'string') field[key] = nameOf(packageName, field[key]);
  if (fact.enum?.length === 0) field['enum'] = ENUM_VALUES[field['named'] as string];
  if (packageName === 'intstr') delete field['named'];
  return field as unknown as Field;
}

const nameOf = (packageName: string, name: string): string => (name.includes('.') ? name : `${packageName}.${name}`);

function expectedType(packageName: string, name: string, fact: FactType): TypeSchema {
  const { fields = [], jsonForm, alias, protoWrapped, ...rest } = fact;
  const id = `${packageName}.${name}`;
  return {
    ...rest,
    id,
    ...(jsonForm !== undefined && { jsonType: JSON_FORMS[id] }),
    ...(alias && { alias: expectedAlias(packageName, alias) }),
    ...(((alias && !protoWrapped) || packageName === 'version') && { noProto: true }),
    fields: fields.map((field) => expectedField(packageName, field)),
  } as TypeSchema;
}

function expectedAlias(
  packageName: string,
  { type, repeated, mapOf }: NonNullable<FactType['alias']>,
): TypeSchema['alias'] {
  return { type: full(packageName, type), ...(repeated && { repeated }), ...(mapOf && { mapKey: 'string' as const }) };
}

describe.skipIf(PACKAGES.length === 0)(
  'the schema equals the recorded facts (skipped where facts/types.json is absent)',
  () => {
    test('The schema has the recorded packages', () => {
      const described = schemas.packages.map(({ name, group, version, protoPackage, goPackage, openapiPrefix }) => [
        name,
        { group, version, protoPackage, goPackage, openapiPrefix },
      ]);
      const expected = PACKAGES.map(
        ([name, { group = '', version = '', protoPackage = '', goPackage, openapiPrefix }]) => [
          name,
          { group, version, protoPackage, goPackage, openapiPrefix },
        ],
      );
      expect(Object.fromEntries(described)).toEqual(Object.fromEntries(expected));
    });

    test.each(PACKAGES)('%s has the same types with the same fields in the same order as recorded', (name, facts) => {
      expect(schemas.typesOf(name)).toEqual(Object.keys(facts.types));
      for (const [typeName, fact] of Object.entries(facts.types)) {
        expect(schemas.type(`${name}.${typeName}`), `${name}.${typeName}`).toStrictEqual(
          expectedType(name, typeName, fact),
        );
      }
    });
  },
);

describe('types by kind', () => {
  test.each([
    { name: 'a core kind', apiVersion: 'v1', kind: 'Pod', id: 'core/v1.Pod' },
    { name: 'a kind of a named group', apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', id: 'rbac/v1.Role' },
    {
      name: 'a version that is no longer served',
      apiVersion: 'extensions/v1beta1',
      kind: 'Ingress',
      id: 'extensions/v1beta1.Ingress',
    },
    { name: 'a list', apiVersion: 'apps/v1', kind: 'DeploymentList', id: 'apps/v1.DeploymentList' },
    { name: 'Status under v1', apiVersion: 'v1', kind: 'Status', id: 'meta/v1.Status' },
    {
      name: 'options under any version, also of custom resources',
      apiVersion: 'example.com/v1',
      kind: 'DeleteOptions',
      id: 'meta/v1.DeleteOptions',
    },
    {
      name: 'a table under the old version of meta',
      apiVersion: 'meta.k8s.io/v1beta1',
      kind: 'Table',
      id: 'meta/v1.Table',
    },
    {
      name: 'a table under the current version of meta',
      apiVersion: 'meta.k8s.io/v1',
      kind: 'Table',
      id: 'meta/v1.Table',
    },
    { name: 'no type that is not a kind', apiVersion: 'v1', kind: 'PodSpec', id: undefined },
    { name: 'no kind of another version', apiVersion: 'apps/v1', kind: 'Pod', id: undefined },
    { name: 'no Status under a named group', apiVersion: 'apps/v1', kind: 'Status', id: undefined },
    { name: 'no kind of an unknown version', apiVersion: 'example.com/v1', kind: 'Pod', id: undefined },
    { name: 'no kind called like a member of Object', apiVersion: 'v1', kind: 'constructor', id: undefined },
  ])('Types by kind: $name', ({ apiVersion, kind, id }) => {
    expect(schemas.ofKind(apiVersion, kind)).toBe(id);
  });

  test('The look-up of types by kind refuses names that do not exist', () => {
    expect(() => schemas.type('core/v1.Nothing')).toThrow('no type core/v1.Nothing');
    expect(() => schemas.typesOf('core/v9')).toThrow('no package core/v9');
  });

  test('Every type that a field names exists', () => {
    const all = schemas.packages.flatMap(({ name }) =>
      schemas.typesOf(name).map((type) => schemas.type(`${name}.${type}`)),
    );
    const referred = new Set(
      all.flatMap(({ fields }) => fields.map(({ type }) => type)).filter((type) => !isScalar(type)),
    );
    expect(all).toHaveLength(1108);
    expect([...referred].filter((id) => schemas.type(id) === undefined)).toEqual([]);
  });
});
