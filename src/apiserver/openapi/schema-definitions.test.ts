import { describe, expect, test } from 'vitest';
import { schemas } from '../../api/schemas.ts';
import { isObject, type JsonObject, type JsonValue } from '../../machinery/value.ts';
import { definitionName, SchemaDefinitions } from './schema-definitions.ts';

const v2 = new SchemaDefinitions('v2');
const v3 = new SchemaDefinitions('v3');

/** Descriptions are prose and change; everything else is compared. */
function bare<T extends JsonValue>(value: T): T {
  if (Array.isArray(value)) return value.map(bare) as T;
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(
    ([name, member]) => !(name === 'description' && typeof member === 'string'),
  );
  return Object.fromEntries(kept.map(([name, member]) => [name, bare(member as JsonValue)])) as T;
}

const property = (definitions: SchemaDefinitions, id: string, name: string): JsonValue | undefined =>
  (bare(definitions.get(id))['properties'] as JsonObject)[name];

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

describe('definition names', () => {
  test.each([
    { id: 'core/v1.Pod', name: 'io.k8s.api.core.v1.Pod' },
    { id: 'meta/v1.ObjectMeta', name: `${META}.ObjectMeta` },
    { id: 'resource.Quantity', name: 'io.k8s.apimachinery.pkg.api.resource.Quantity' },
    { id: 'apiextensions/v1.JSON', name: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON' },
  ])('Names of OpenAPI definitions: $id is $name', ({ id, name }) => {
    expect(definitionName(id)).toBe(name);
  });
});

describe('members of a definition', () => {
  test.each<{ name: string; type: string; member: string; v2: JsonValue; v3: JsonValue }>([
    {
      name: 'a text that can be left out',
      type: 'core/v1.ContainerPort',
      member: 'name',
      v2: { type: 'string' },
      v3: { type: 'string' },
    },
    {
      name: 'a number that is always there has its zero value as default',
      type: 'core/v1.ContainerPort',
      member: 'containerPort',
      v2: { type: 'integer', format: 'int32' },
      v3: { type: 'integer', format: 'int32', default: 0 },
    },
    {
      name: 'a closed set with a declared default',
      type: 'core/v1.ContainerPort',
      member: 'protocol',
      v2: { type: 'string', enum: ['SCTP', 'TCP', 'UDP'] },
      v3: { type: 'string', default: 'TCP', enum: ['SCTP', 'TCP', 'UDP'] },
    },
    {
      name: 'bytes',
      type: 'core/v1.Secret',
      member: 'data',
      v2: { type: 'object', additionalProperties: { type: 'string', format: 'byte' } },
      v3: { type: 'object', additionalProperties: { type: 'string', format: 'byte' } },
    },
    {
      name: 'a struct',
      type: 'apps/v1.Deployment',
      member: 'metadata',
      v2: { $ref: `#/definitions/${META}.ObjectMeta` },
      v3: { default: {}, allOf: [{ $ref: `#/components/schemas/${META}.ObjectMeta` }] },
    },
    {
      name: 'a struct that may be absent has no default',
      type: 'apps/v1.DeploymentSpec',
      member: 'selector',
      v2: { $ref: `#/definitions/${META}.LabelSelector` },
      v3: { allOf: [{ $ref: `#/components/schemas/${META}.LabelSelector` }] },
    },
    {
      name: 'a time',
      type: 'meta/v1.ObjectMeta',
      member: 'creationTimestamp',
      v2: { $ref: `#/definitions/${META}.Time` },
      v3: { allOf: [{ $ref: `#/components/schemas/${META}.Time` }] },
    },
    {
      name: 'a list with keys',
      type: 'core/v1.Container',
      member: 'ports',
      v2: {
        type: 'array',
        items: { $ref: '#/definitions/io.k8s.api.core.v1.ContainerPort' },
        'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-patch-merge-key': 'containerPort',
        'x-kubernetes-patch-strategy': 'merge',
      },
      v3: {
        type: 'array',
        items: { default: {}, allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.ContainerPort' }] },
        'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-patch-merge-key': 'containerPort',
        'x-kubernetes-patch-strategy': 'merge',
      },
    },
    {
      name: 'a map of quantities',
      type: 'core/v1.ResourceRequirements',
      member: 'limits',
      v2: {
        type: 'object',
        additionalProperties: { $ref: '#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity' },
      },
      v3: {
        type: 'object',
        additionalProperties: { $ref: '#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity' },
      },
    },
    {
      name: 'a map owned as a whole',
      type: 'core/v1.PodSpec',
      member: 'nodeSelector',
      v2: { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': 'atomic' },
      v3: { type: 'object', additionalProperties: { type: 'string', default: '' }, 'x-kubernetes-map-type': 'atomic' },
    },
    {
      name: 'a map of named lists',
      type: 'authentication/v1.UserInfo',
      member: 'extra',
      v2: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
      v3: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string', default: '' } } },
    },
    {
      name: 'a member of an inlined struct',
      type: 'core/v1.ConfigMapKeySelector',
      member: 'name',
      v2: { type: 'string' },
      v3: { type: 'string', default: '' },
    },
  ])('Members of an OpenAPI definition: $name', ({ type, member, ...expected }) => {
    expect(property(v2, type, member)).toEqual(expected.v2);
    expect(property(v3, type, member)).toEqual(expected.v3);
  });

  test('The OpenAPI definition of a type requires what the schema requires, in its order', () => {
    expect(v2.get('meta/v1.OwnerReference')['required']).toEqual(['apiVersion', 'kind', 'name', 'uid']);
    expect(v2.get('core/v1.ConfigMap')['required']).toBeUndefined();
  });

  test('The OpenAPI definition of a type does not show a member that JSON does not have', () => {
    expect(bare(v2.get('meta/v1.Patch'))).toEqual({ type: 'object' });
  });
});

describe('whole definitions', () => {
  test.each<{ id: string; v2: JsonObject; v3: JsonObject }>([
    {
      id: 'intstr.IntOrString',
      v2: { type: 'string', format: 'int-or-string' },
      v3: { oneOf: [{ type: 'integer' }, { type: 'string' }], format: 'int-or-string' },
    },
    { id: 'resource.Quantity', v2: { type: 'string' }, v3: { oneOf: [{ type: 'string' }, { type: 'number' }] } },
    {
      id: 'meta/v1.MicroTime',
      v2: { type: 'string', format: 'date-time' },
      v3: { type: 'string', format: 'date-time' },
    },
    { id: 'apiextensions/v1.JSONSchemaPropsOrBool', v2: {}, v3: {} },
  ])('Whole OpenAPI definitions: $id', ({ id, ...expected }) => {
    expect(bare(v2.get(id))).toEqual(expected.v2);
    expect(bare(v3.get(id))).toEqual(expected.v3);
  });

  test('An OpenAPI definition says which member of a union counts', () => {
    expect(v2.get('flowcontrol/v1.PriorityLevelConfigurationSpec')['x-kubernetes-unions']).toEqual([
      { discriminator: 'type', 'fields-to-discriminateBy': { exempt: 'Exempt', limited: 'Limited' } },
    ]);
  });

  test('An OpenAPI definition names the kind of an object, or every version of a shared one', () => {
    const kinds = (id: string): JsonObject[] => v2.get(id)['x-kubernetes-group-version-kind'] as JsonObject[];
    expect(kinds('apps/v1.Deployment')).toEqual([{ group: 'apps', version: 'v1', kind: 'Deployment' }]);
    expect(kinds('meta/v1.Status')).toEqual([{ group: '', version: 'v1', kind: 'Status' }]);
    expect(kinds('meta/v1.DeleteOptions')).toContainEqual({
      group: 'batch',
      version: 'v1beta1',
      kind: 'DeleteOptions',
    });
    expect(kinds('core/v1.PodSpec')).toBeUndefined();
  });
});

describe('closure', () => {
  test('The closure of OpenAPI definitions has everything that the definitions refer to, sorted by name', () => {
    const closure = v2.closure(['core/v1.Pod']);
    const referred = [...JSON.stringify(closure).matchAll(/"#\/definitions\/([^"]+)"/g)].map(([, name]) => name);
    expect(Object.keys(closure)).toEqual([...new Set([...referred, 'io.k8s.api.core.v1.Pod'])].sort());
  });

  test('The closure of OpenAPI definitions ends although JSON schemas contain themselves', () => {
    expect(Object.keys(v2.closure(['apiextensions/v1.CustomResourceDefinition']))).toContain(
      definitionName('apiextensions/v1.JSONSchemaProps'),
    );
  });

  test('The closure of OpenAPI definitions can be made for every type', () => {
    const ids = schemas.packages.flatMap(({ name }) => schemas.typesOf(name).map((type) => `${name}.${type}`));
    expect(Object.keys(v3.closure(ids))).toHaveLength(ids.length);
  });
});
