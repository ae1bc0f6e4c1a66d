import { describe, expect, it, test } from 'vitest';
import { pick, randomInt, randomSource, type RandomSource } from '../../../test/support/random.ts';
import { schemas } from '../../../test/support/schemas.ts';
import { jsonEqual } from '../members.ts';
import type { KubeObject, ManagedFieldsEntry } from '../object-meta.ts';
import type { StatusError } from '../status.ts';
import { isObject, type JsonObject, type JsonValue, type RawJson } from '../value.ts';
import { createBuiltInTypes } from './built-in-types.ts';
import { fieldSetOf } from './extract.ts';
import { FieldSet } from './field-set.ts';
import { parseFieldsText } from './fields-v1.ts';
import { createCustomType, createFieldManager, type ApplyRequest, type UpdateRequest } from './index.ts';
import { withManagers } from './request.ts';

const fieldManager = createFieldManager({ schemas });
const types = createBuiltInTypes(schemas);
const now = new Date('2024-01-01T00:00:05Z');
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** One object on a server that does nothing but apply and update. */
class Server {
  object: KubeObject | undefined;
  readonly kind: string;
  readonly typeId: ApplyRequest['typeId'];
  apiVersion = 'v1';
  more: Partial<ApplyRequest & UpdateRequest> = {};

  constructor(kind = 'ConfigMap', typeId: ApplyRequest['typeId'] = `core/v1.${kind}`) {
    this.kind = kind;
    this.typeId = typeId;
  }

  apply(manager: string, config: JsonObject, force = false): this {
    this.object = this.store(
      fieldManager.apply({ ...this.base(manager), kind: this.kind, config: this.configOf(config), force }).object,
    );
    return this;
  }

  update(manager: string, object: JsonObject): this {
    const metadata = { ...this.object?.metadata, ...(object['metadata'] as object) };
    const changed = { ...this.object, ...object, metadata } as KubeObject;
    this.object = this.store(withManagers(changed, fieldManager.update({ ...this.base(manager), object: changed })));
    return this;
  }

  get data(): JsonValue | undefined {
    return plain((this.object as unknown as JsonObject)['data']);
  }

  get owners(): Record<string, JsonValue> {
    return Object.fromEntries(
      (this.object!.metadata!.managedFields ?? []).map(({ manager, operation, fieldsV1 }) => [
        `${manager} ${operation}`,
        JSON.parse((fieldsV1 as unknown as RawJson).text) as JsonValue,
      ]),
    );
  }

  entry(manager: string): ManagedFieldsEntry {
    return this.object!.metadata!.managedFields!.find((entry) => entry.manager === manager)!;
  }

  private configOf(config: JsonObject): JsonObject {
    return {
      apiVersion: this.apiVersion,
      kind: this.kind,
      ...config,
      metadata: { name: 'a', ...(config['metadata'] as JsonObject | undefined) },
    };
  }

  private store(object: KubeObject): KubeObject {
    return { ...object, metadata: { ...object.metadata, uid: 'u' } };
  }

  private base(manager: string) {
    return {
      live: this.object,
      manager,
      subresource: '',
      apiVersion: this.apiVersion,
      typeId: this.typeId,
      now,
      ...this.more,
    };
  }
}

const data = (members: Record<string, JsonValue>): JsonObject => ({ data: members });

/** With prototypes, to compare with literals. */
function plain(value: JsonValue | undefined): JsonValue | undefined {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as JsonValue);
}

function failure(run: () => unknown): StatusError {
  try {
    run();
  } catch (error) {
    return error as StatusError;
  }
  throw new Error('did not throw');
}

describe('applying a configuration', () => {
  it('creates the object, owned by its manager', () => {
    const server = new Server().apply('one', data({ k: 'v' }));
    expect(server.data).toEqual({ k: 'v' });
    expect(server.owners).toEqual({ 'one Apply': { 'f:data': { 'f:k': {} } } });
    expect(server.entry('one')).toMatchObject({
      apiVersion: 'v1',
      time: '2024-01-01T00:00:05Z',
      fieldsType: 'FieldsV1',
    });
  });

  it('removes what it does not say any more', () => {
    const server = new Server().apply('one', data({ k: 'v', l: 'v' })).apply('one', data({ l: 'w' }));
    expect(server.data).toEqual({ l: 'w' });
    expect(server.owners).toEqual({ 'one Apply': { 'f:data': { 'f:l': {} } } });
  });

  it('keeps a removed field when another manager owns it', () => {
    const server = new Server()
      .apply('one', data({ k: 'v', s: 's' }))
      .apply('two', data({ s: 's' }))
      .apply('one', data({ k: 'v' }));
    expect(server.data).toEqual({ k: 'v', s: 's' });
    expect(server.apply('two', {}).data).toEqual({ k: 'v' });
  });

  it('keeps what it never applied', () => {
    const server = new Server()
      .apply('one', data({ k: 'v' }))
      .update('two', data({ k: 'v', n: 'x' }))
      .apply('one', data({}));
    expect(server.data).toEqual({ n: 'x' });
    expect(server.owners).toEqual({ 'one Apply': { 'f:data': {} }, 'two Update': { 'f:data': { 'f:n': {} } } });
  });

  it('shares ownership of equal values, and leaves the time of an apply without changes as it is', () => {
    const server = new Server().apply('one', data({ k: 'v' })).apply('two', data({ k: 'v' }));
    expect(server.owners).toEqual({
      'one Apply': { 'f:data': { 'f:k': {} } },
      'two Apply': { 'f:data': { 'f:k': {} } },
    });
    expect(server.entry('two').time).toBeUndefined();
    expect(server.object!.metadata!.managedFields!.map(({ manager }) => manager)).toEqual(['two', 'one']);
  });

  it('says whether the object changed', () => {
    const server = new Server().apply('one', data({ k: 'v' }));
    const request = {
      live: server.object,
      manager: 'two',
      subresource: '',
      apiVersion: 'v1',
      typeId: 'core/v1.ConfigMap',
      now,
      kind: 'ConfigMap',
      force: false,
    };
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } };
    expect(fieldManager.apply({ ...request, config }).changed).toBe(false);
    expect(fieldManager.apply({ ...request, config: { ...config, data: { n: 'v' } } }).changed).toBe(true);
  });

  it('merges items of lists by key', () => {
    const container = (name: string, more: JsonObject) => ({ spec: { containers: [{ name, ...more }] } });
    const server = new Server('Pod')
      .apply('one', container('c', { image: 'i' }))
      .apply('two', container('c', { tty: true }))
      .apply('three', container('d', { image: 'j' }));
    expect(plain((server.object as unknown as { spec: JsonObject }).spec['containers'])).toMatchObject([
      { name: 'c', image: 'i', tty: true },
      { name: 'd', image: 'j' },
    ]);
    server.apply('two', {}).apply('three', {});
    expect(plain((server.object as unknown as { spec: JsonObject }).spec['containers'])).toEqual([
      { name: 'c', image: 'i', resources: {} },
    ]);
  });

  it('takes the structs with it that it leaves empty', () => {
    const server = new Server('Pod')
      .apply('one', { spec: { hostname: 'h', securityContext: { seLinuxOptions: { user: 'x' } } } })
      .apply('one', { spec: { hostname: 'h' } });
    expect(plain((server.object as unknown as { spec: JsonObject }).spec)).toEqual({ hostname: 'h', containers: null });
  });

  it('does not own what the resource resets', () => {
    const server = new Server('Pod');
    server.more = { resetFields: [['status']] };
    expect(server.apply('one', { spec: { hostname: 'h' }, status: { phase: 'Running' } }).owners).toEqual({
      'one Apply': { 'f:spec': { 'f:hostname': {} } },
    });
  });

  it('leaves no entry for a manager that applies nothing', () => {
    const server = new Server()
      .apply('one', data({ k: 'v' }))
      .apply('two', data({ n: 'v' }))
      .apply('two', {});
    expect(server.owners).toEqual({ 'one Apply': { 'f:data': { 'f:k': {} } } });
  });

  it('changes neither the live object nor the configuration', () => {
    const server = new Server().apply('one', data({ k: 'v', l: 'v' }));
    const [live, config] = [
      server.object!,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { l: 'w' } },
    ];
    const before = JSON.stringify([live, config]);
    fieldManager.apply({
      live,
      manager: 'one',
      subresource: '',
      apiVersion: 'v1',
      typeId: 'core/v1.ConfigMap',
      now,
      kind: 'ConfigMap',
      force: false,
      config,
    });
    expect(JSON.stringify([live, config])).toBe(before);
  });

  it('works on custom resources, with a schema and without', () => {
    const objectMeta = types.of('meta/v1.ObjectMeta');
    const list = (type: string, keys?: string[]) =>
      createCustomType(
        {
          type: 'object',
          properties: {
            spec: {
              type: 'object',
              properties: {
                l: {
                  type: 'array',
                  'x-kubernetes-list-type': type,
                  ...(keys && { 'x-kubernetes-list-map-keys': keys }),
                  items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
            },
          },
        },
        { objectMeta },
      );
    const spec = (...items: JsonValue[]) => ({ spec: { l: items } });
    const keyed = new Server('Thing', list('map', ['k']))
      .apply('one', spec({ k: 'x', v: 1 }))
      .apply('two', spec({ k: 'y' }));
    expect(plain((keyed.object as unknown as JsonObject)['spec'])).toEqual({ l: [{ k: 'x', v: 1 }, { k: 'y' }] });
    const untyped = new Server('Thing', createCustomType(undefined, { objectMeta })).apply('one', {
      spec: { a: 1, l: [1] },
    });
    expect(failure(() => untyped.apply('two', { spec: { l: [2] } })).message).toBe(
      'Apply failed with 1 conflict: conflict with "one": .spec.l',
    );
  });
});

describe('a conflict', () => {
  it('is a field that another manager applied with another value', () => {
    const server = new Server().apply('one', data({ k: 'v' }));
    expect(failure(() => server.apply('two', data({ k: 'w' })))).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "one": .data.k',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.k' }] },
    });
  });

  it('is a field that another manager updated', () => {
    const server = new Server().apply('one', data({ k: 'v' })).update('upd', data({ k: 'w', l: 'w' }));
    expect(failure(() => server.apply('one', data({ k: 'v', l: 'x' }))).message).toBe(
      'Apply failed with 2 conflicts: conflicts with "upd" using v1:\n- .data.k\n- .data.l',
    );
  });

  it('names all managers, in order, with subresource and keys', () => {
    const server = new Server('Pod').apply('b', { spec: { hostname: 'h', containers: [{ name: 'c', image: 'i' }] } });
    server.more = { subresource: 'status' };
    server.update('a', { status: { phase: 'x' } });
    server.more = {};
    expect(
      failure(() =>
        server.apply('m', { spec: { hostname: 'i', containers: [{ name: 'c', image: 'j' }] }, status: { phase: 'y' } }),
      ).message,
    ).toBe(
      'Apply failed with 3 conflicts: conflicts with "a" with subresource "status" using v1:\n- .status.phase\n' +
        'conflicts with "b":\n- .spec.hostname\n- .spec.containers[name="c"].image',
    );
  });

  it('is none with the manager itself, nor when both want the same', () => {
    const server = new Server()
      .apply('one', data({ k: 'v' }))
      .apply('one', data({ k: 'w' }))
      .update('upd', data({ k: 'x' }));
    expect(() => server.apply('one', data({ k: 'x' }))).not.toThrow();
  });

  it('is settled by force', () => {
    const server = new Server().apply('one', data({ k: 'v', l: 'v' })).apply('two', data({ k: 'w' }), true);
    expect(server.data).toEqual({ k: 'w', l: 'v' });
    expect(server.owners).toEqual({
      'one Apply': { 'f:data': { 'f:l': {} } },
      'two Apply': { 'f:data': { 'f:k': {} } },
    });
  });

  it('is with "before-first-apply" for fields from before managers were recorded', () => {
    const server = new Server();
    server.object = { metadata: { name: 'a', uid: 'u' }, data: { k: 'v', l: 'v' } } as KubeObject;
    expect(failure(() => server.apply('one', data({ k: 'w' }))).message).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.k',
    );
    expect(server.apply('one', data({ n: 'w' })).owners).toEqual({
      'before-first-apply Update': { 'f:data': { '.': {}, 'f:k': {}, 'f:l': {} } },
      'one Apply': { 'f:data': { 'f:n': {} } },
    });
  });
});

describe('taking over from client-side apply', () => {
  const lastApplied = (members: Record<string, string>): string =>
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: members });
  const clientSide = (members: Record<string, string>, live = members): Server =>
    new Server().update('kubectl-client-side-apply', {
      metadata: { name: 'a', annotations: { [LAST_APPLIED]: lastApplied(members) } },
      data: live,
    });
  const annotation = (server: Server): string | undefined => server.object!.metadata!.annotations![LAST_APPLIED];

  it('needs no force for fields as they were last applied', () => {
    const server = clientSide({ k: 'v', l: 'v' }).apply('kubectl', data({ k: 'w' }));
    expect(server.data).toEqual({ k: 'w', l: 'v' });
    expect(Object.keys(server.owners)).toEqual(['kubectl Apply', 'kubectl-client-side-apply Update']);
  });

  it('needs force for fields that changed since', () => {
    const server = clientSide({ k: 'v', l: 'v' }, { k: 'other', l: 'v' });
    expect(failure(() => server.apply('kubectl', data({ k: 'w', l: 'w' }))).message).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.k',
    );
  });

  it('is for the manager kubectl only', () => {
    expect(() => clientSide({ k: 'v' }).apply('other', data({ k: 'w' }))).toThrow('Apply failed with 1 conflict');
  });

  it('keeps the annotation up to date', () => {
    const server = clientSide({ k: 'v' }).apply(
      'kubectl',
      { ...data({ x: '<1>' }), metadata: { annotations: { [LAST_APPLIED]: 'old', note: 'n' } } },
      true,
    );
    expect(annotation(server)).toBe(
      '{"apiVersion":"v1","data":{"x":"\\u003c1\\u003e"},"kind":"ConfigMap",' +
        '"metadata":{"annotations":{"note":"n"},"name":"a"}}\n',
    );
  });

  it('drops an annotation that has become too long', () => {
    expect(annotation(clientSide({ k: 'v' }).apply('kubectl', data({ x: 'y'.repeat(300_000) })))).toBeUndefined();
  });

  test.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['another version', '{"apiVersion":"v2","kind":"ConfigMap","data":{"k":"v"}}'],
    ['another encoding', '{"apiVersion":"v1","data":5}'],
    ['nothing', ''],
  ])('counts for nothing when the annotation holds %s', (_, text) => {
    const server = new Server().update('kubectl-client-side-apply', {
      metadata: { name: 'a', annotations: { [LAST_APPLIED]: text } },
      data: { k: 'v' },
    });
    expect(() => server.apply('kubectl', data({ k: 'w' }))).toThrow('conflict with "kubectl-client-side-apply"');
  });
});

describe('a configuration that is refused', () => {
  const request = {
    live: undefined,
    manager: 'm',
    subresource: '',
    apiVersion: 'apps/v1',
    typeId: 'apps/v1.Deployment',
    now,
    kind: 'Deployment',
    force: false,
  };
  test.each<{ name: string; config: JsonObject; code: number; message: string }>([
    { name: 'no type', config: {}, code: 400, message: 'invalid object type: /, Kind=' },
    { name: 'no kind', config: { apiVersion: 'v1' }, code: 400, message: 'invalid object type: /v1, Kind=' },
    {
      name: 'another kind',
      config: { apiVersion: 'apps/v1', kind: 'ReplicaSet' },
      code: 400,
      message: 'invalid object type: apps/v1, Kind=ReplicaSet',
    },
    {
      name: 'managed fields',
      config: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { managedFields: [] } },
      code: 400,
      message: 'metadata.managedFields must be nil',
    },
    {
      name: 'an unknown field',
      config: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd', namespace: 'n' }, odd: 1 },
      code: 500,
      message:
        'failed to create typed patch object (n/d; apps/v1, Kind=Deployment): .odd: field not declared in schema',
    },
  ])('has $name', ({ config, code, message }) => {
    expect(failure(() => fieldManager.apply({ ...request, config }))).toMatchObject({ code, message });
  });

  it('refuses managed fields that cannot be decoded', () => {
    const live = { metadata: { name: 'd', uid: 'u', managedFields: [{ operation: 'Odd' }] } };
    expect(
      failure(() => fieldManager.apply({ ...request, live, config: { apiVersion: 'apps/v1', kind: 'Deployment' } })),
    ).toMatchObject({ code: 500, message: 'failed to decode managed fields: operation must be `Apply` or `Update`' });
  });
});

describe('applying in another version', () => {
  const renamed = (object: JsonObject, from: string, to: string): JsonObject => {
    const { spec, ...rest } = object;
    const members = isObject(spec) ? spec : {};
    const [old, fresh] = from === 'v1' ? ['count', 'size'] : ['size', 'count'];
    const { [old]: value, ...others } = members;
    return { ...rest, apiVersion: to, spec: { ...others, ...(value !== undefined && { [fresh]: value }) } };
  };
  const typeFor = (member: string) =>
    createCustomType(
      {
        type: 'object',
        properties: {
          spec: { type: 'object', properties: { [member]: { type: 'integer' }, text: { type: 'string' } } },
        },
      },
      { objectMeta: types.of('meta/v1.ObjectMeta') },
    );
  const versionTypes = { v1: typeFor('count'), v2: typeFor('size') } as Record<string, ReturnType<typeof typeFor>>;
  const in2 = (server: Server): Server => {
    const next = new Server('Thing', versionTypes['v2']);
    next.apiVersion = 'v2';
    next.more = { versions: { typeOf: (apiVersion) => versionTypes[apiVersion], convert: renamed } };
    next.object = renamed(server.object as unknown as JsonObject, 'v1', 'v2') as KubeObject;
    return next;
  };

  it('meets a conflict in the words of the version that applies', () => {
    const server = in2(new Server('Thing', versionTypes['v1']).apply('one', { spec: { count: 1, text: 't' } }));
    expect(failure(() => server.apply('two', { spec: { text: 'u' } })).message).toContain('.spec.text');
    expect(failure(() => server.apply('two', { spec: { size: 2 } })).message).toBe(
      'Apply failed with 1 conflict: conflict with "one": .spec.count',
    );
  });

  it('removes what the manager applied in the old version', () => {
    const server = in2(new Server('Thing', versionTypes['v1']).apply('one', { spec: { count: 1, text: 't' } })).apply(
      'one',
      { spec: { text: 't' } },
    );
    expect(plain((server.object as unknown as JsonObject)['spec'])).toEqual({ text: 't' });
    expect(server.entry('one')).toMatchObject({ apiVersion: 'v2' });
  });

  it('forgets managers of a version that is gone', () => {
    const server = in2(new Server('Thing', versionTypes['v1']).apply('one', { spec: { count: 1 } }));
    server.more = {
      versions: { typeOf: (apiVersion) => (apiVersion === 'v2' ? versionTypes['v2'] : undefined), convert: renamed },
    };
    expect(Object.keys(server.apply('two', { spec: { size: 5 } }).owners)).toEqual(['two Apply']);
  });
});

describe('over any history of applies', () => {
  const type = types.of('core/v1.Pod');
  const owned = ({ fieldsV1 }: ManagedFieldsEntry): FieldSet => parseFieldsText((fieldsV1 as unknown as RawJson).text);
  const isIdentity = (path: string): boolean => /^\.(apiVersion|kind|metadata)/.test(path);
  const leaves = (set: FieldSet): string[] =>
    [...set.paths()].map((path) => path.join('')).filter((path) => !isIdentity(path));

  it('everything has an owner, and every configuration is there', () => {
    const random = randomSource(1312);
    for (let round = 0; round < 60; round++) {
      const server = new Server('Pod');
      for (let step = 0; step < 10; step++) {
        const [manager, config] = [pick(random, ['a', 'b', 'c']), { spec: randomSpec(random) }];
        server.apply(manager, config, true);
        const live = server.object as unknown as JsonObject;
        const entries = server.object!.metadata!.managedFields ?? [];
        expect(
          entries
            .filter((entry) => entry.manager === manager)
            .flatMap((entry) => leaves(owned(entry)))
            .sort(),
        ).toEqual(leaves(fieldSetOf(type, config)).sort());
        const union = entries.reduce((sum, entry) => sum.union(owned(entry)), FieldSet.empty);
        expect(leaves(withoutZeroes(fieldSetOf(type, live))).filter((path) => !leaves(union).includes(path))).toEqual(
          [],
        );
        expect(contains(live, config)).toBe(true);
      }
    }
  });

  it('a conflict is reported exactly when another manager owns a field that would change', () => {
    const random = randomSource(31);
    for (let round = 0; round < 200; round++) {
      const server = new Server('Pod')
        .apply('a', { spec: randomSpec(random) })
        .apply('b', { spec: randomSpec(random) }, true);
      const before = server.object as unknown as JsonObject;
      const config = { spec: randomSpec(random) };
      const others = server.object!.metadata!.managedFields!.reduce(
        (sum, entry) => sum.union(owned(entry)),
        FieldSet.empty,
      );
      const values = [...others.intersection(fieldSetOf(type, config)).paths()].filter(
        (path) => !path.at(-1)!.text.startsWith('k:'),
      );
      const clashes = values.some(
        (path) => !jsonEqual(valueAt(before, path.map(String)), valueAt(config as JsonObject, path.map(String))),
      );
      if (clashes) expect(() => server.apply('c', config)).toThrow('Apply failed');
      else expect(() => server.apply('c', config)).not.toThrow();
    }
  });

  /** Members that JSON shows for zero values have no owner. */
  const withoutZeroes = (set: FieldSet): FieldSet =>
    set
      .difference(fieldSetOf(type, { spec: { containers: null } }))
      .difference(FieldSet.ofFields(['status'], ['spec', 'containers']))
      .difference(containerZeroes);
  const containerZeroes = fieldSetOf(type, {
    spec: { containers: ['x', 'y', 'z'].map((name) => ({ name, resources: {} })) },
  }).difference(fieldSetOf(type, { spec: { containers: ['x', 'y', 'z'].map((name) => ({ name })) } }));
});

function randomSpec(random: RandomSource): JsonObject {
  const names = ['x', 'y', 'z'].filter(() => random() < 0.5);
  return {
    ...(names.length > 0 && {
      containers: names.map((name) => ({ name, ...(random() < 0.7 && { image: pick(random, ['1', '2']) }) })),
    }),
    ...(random() < 0.4 && { hostname: pick(random, ['h', 'i']) }),
    ...(random() < 0.4 && { nodeSelector: { zone: pick(random, ['1', '2']) } }),
    ...(random() < 0.4 && { tolerations: [{ key: pick(random, ['k', 'l']) }] }),
    ...(random() < 0.4 && { activeDeadlineSeconds: 1 + randomInt(random, 2) }),
  };
}

/** Whether the object has all the configuration says; items of lists by name. */
function contains(live: JsonValue | undefined, config: JsonValue): boolean {
  if (Array.isArray(config)) {
    return Array.isArray(live) && config.every((item) => live.some((other) => contains(other, item)));
  }
  if (!isObject(config)) return jsonEqual(live, config);
  return isObject(live) && Object.entries(config).every(([key, value]) => contains(live[key], value!));
}

function valueAt(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((value, step) => {
    const name = /^\[name="(.*)"\]$/.exec(step)?.[1];
    if (name !== undefined) return (value as JsonObject[] | undefined)?.find((item) => item['name'] === name);
    return isObject(value) ? value[step.slice(1)] : undefined;
  }, object);
}
