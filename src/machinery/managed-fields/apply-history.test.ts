import { describe, expect, it } from 'vitest';
import { pick, randomInt, randomSource, type RandomSource } from '../../../test/support/random.ts';
import { jsonEqual } from '../members.ts';
import type { KubeObject, ManagedFieldsEntry } from '../object-meta.ts';
import { isObject, type JsonObject, type JsonValue, type RawJson } from '../value.ts';
import { fieldSetOf } from './extract.ts';
import { FieldSet } from './field-set.ts';
import { parseFieldsText } from './fields-v1.ts';
import { createCustomType } from './index.ts';
import { Server, plain, failure } from './testing/applying-server.ts';
import { types } from './testing/applying-server.ts';

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

  it('Applying in another version meets a conflict in the words of the version that applies', () => {
    const server = in2(new Server('Thing', versionTypes['v1']).apply('one', { spec: { count: 1, text: 't' } }));
    expect(failure(() => server.apply('two', { spec: { text: 'u' } })).message).toContain('.spec.text');
    expect(failure(() => server.apply('two', { spec: { size: 2 } })).message).toBe(
      'Apply failed with 1 conflict: conflict with "one": .spec.count',
    );
  });

  it('Applying in another version removes what the manager applied in the old version', () => {
    const server = in2(new Server('Thing', versionTypes['v1']).apply('one', { spec: { count: 1, text: 't' } })).apply(
      'one',
      { spec: { text: 't' } },
    );
    expect(plain((server.object as unknown as JsonObject)['spec'])).toEqual({ text: 't' });
    expect(server.entry('one')).toMatchObject({ apiVersion: 'v2' });
  });

  it('Applying in another version forgets managers of a version that is gone', () => {
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

  it('Over any history of applies everything has an owner, and every configuration is there', () => {
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

  it('A conflict is reported exactly when another manager owns a field that would change', () => {
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
