import { describe, expect, test } from 'vitest';
import { type KubeObject, metaOf } from '../../machinery/object-meta.ts';
import {
  configMap,
  configMapStore,
  type ConfigMapStoreOptions,
  type Json,
  writeRequest,
} from './testing/config-map-store.ts';
import { updateObject, type UpdateObjectOptions, type UpdateSteps } from './update-object.ts';
import type { WriteOutcome, WriteRequest } from './write.ts';

const before = (): KubeObject => configMap({ k: 'before' });
const edited =
  (metadata: Json = {}): UpdateSteps['change'] =>
  () =>
    configMap({ k: 'after' }, metadata);

interface Setting extends ConfigMapStoreOptions {
  readonly change?: UpdateSteps['change'];
  readonly validate?: UpdateSteps['validate'];
  readonly options?: Partial<UpdateObjectOptions>;
  readonly request?: Partial<WriteRequest>;
}

async function update({ change = edited(), validate, options, request, ...store }: Setting) {
  const under = configMapStore(store);
  const steps: string[] = [];
  const result = updateObject(
    under.store,
    {
      change,
      admit: async (_, old) => void steps.push(old === undefined ? 'admit a new one' : 'admit'),
      validate: validate ?? (async (_, old) => void steps.push(old === undefined ? 'validate a new one' : 'validate')),
    },
    { allowCreate: false, ...options },
    writeRequest(request),
  );
  return { ...under, steps, result };
}

describe('an update', () => {
  test.each<{ name: string; setting: Setting; action: string; did: string[]; data: object | undefined }>([
    {
      name: 'writes what changed, guarded by the revision that the cache has',
      setting: { cached: before() },
      action: 'written',
      did: ['read any', 'write'],
      data: { k: 'after' },
    },
    {
      name: 'that changes nothing is confirmed on a fresh read and writes nothing',
      setting: { cached: before(), change: (_, copy) => copy() },
      action: 'unchanged',
      did: ['read any', 'read mostRecent'],
      data: { k: 'before' },
    },
    {
      name: 'that changes nothing writes a stale value anew',
      setting: { cached: before(), change: (_, copy) => copy(), isStale: true },
      action: 'written',
      did: ['read any', 'write'],
      data: { k: 'before' },
    },
    {
      name: 'as a dry run writes nothing',
      setting: { cached: before(), request: { dryRun: true } },
      action: 'written',
      did: ['read any', 'read mostRecent'],
      data: { k: 'before' },
    },
    {
      name: 'that lost a race is computed anew on what is there',
      setting: { cached: before(), newest: configMap({ k: 'other' }) },
      action: 'written',
      did: ['read any', 'write lost', 'write'],
      data: { k: 'after' },
    },
    {
      name: 'that takes the last finalizer of a deleted object removes it',
      setting: {
        cached: configMap(
          { k: 'before' },
          { finalizers: ['a/b'], deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 },
        ),
        change: edited({ deletionTimestamp: '2026-01-01T00:00:00Z' }),
      },
      action: 'removed',
      did: ['read any', 'delete'],
      data: undefined,
    },
    {
      name: 'creates where the kind allows it',
      setting: { strategy: { allowCreateOnUpdate: true } },
      action: 'created',
      did: ['read any', 'write'],
      data: { k: 'after' },
    },
    {
      name: 'creates where the request allows it',
      setting: { options: { allowCreate: true }, change: edited({ uid: '' }) },
      action: 'created',
      did: ['read any', 'write'],
      data: { k: 'after' },
    },
  ])('An update: $name', async ({ setting, action, did, data }) => {
    const outcome = await update(setting);
    expect((await outcome.result).action).toBe(action);
    expect(outcome.did).toEqual(did);
    expect(outcome.current()?.['data']).toEqual(data);
  });

  test.each<{ name: string; setting: Setting; code: number; message: string }>([
    {
      name: 'of an object that is not there',
      setting: {},
      code: 404,
      message: 'configmaps "a" not found',
    },
    {
      name: 'that names a version of an object that is not there',
      setting: { strategy: { allowCreateOnUpdate: true }, change: edited({ resourceVersion: '5' }) },
      code: 404,
      message: 'configmaps "a" not found',
    },
    {
      name: 'that applies to an object that is gone',
      setting: { options: { allowCreate: true } },
      code: 409,
      message: 'uid mismatch: the provided object specified uid u, and no existing object was found',
    },
    {
      name: 'of another version',
      setting: { cached: before(), change: edited({ resourceVersion: '4' }) },
      code: 409,
      message: 'the object has been modified; please apply your changes to the latest version and try again',
    },
    {
      name: 'of a version that is none',
      setting: { cached: before(), change: edited({ resourceVersion: 'x' }) },
      code: 500,
      message: 'strconv.ParseUint: parsing "x": invalid syntax',
    },
    {
      name: 'without a version of a kind that wants one',
      setting: { cached: before(), strategy: { allowUnconditionalUpdate: false } },
      code: 422,
      message: 'metadata.resourceVersion: Invalid value: 0x0: must be specified for an update',
    },
    {
      name: 'whose precondition is of another object',
      setting: { cached: before(), options: { preconditions: { uid: 'v' } } },
      code: 409,
      message: 'Precondition failed: UID in precondition: v, UID in object meta: u',
    },
    {
      name: 'whose precondition is of an object that is not there',
      setting: { options: { preconditions: { uid: 'v' } } },
      code: 409,
      message: 'Precondition failed: UID in precondition: v, UID in object meta: ',
    },
    {
      name: 'of what the kind does not allow to change',
      setting: { cached: configMap({ k: 'before' }, {}), change: edited({ name: 'b' }) },
      code: 422,
      message: 'metadata.name: Invalid value: "b": field is immutable',
    },
  ])('An update: $name is refused', async ({ setting, code, message }) => {
    const { result } = await update(setting);
    await expect(result).rejects.toMatchObject({ code, message: expect.stringContaining(message) as string });
  });

  test('An update is admitted before it is validated, and both see what was there', async () => {
    const { result, steps } = await update({ cached: before() });
    await result;
    expect(steps).toEqual(['admit', 'validate']);
  });

  test('An update that creates is admitted and validated as a creation', async () => {
    const { result, steps } = await update({ strategy: { allowCreateOnUpdate: true }, change: edited({ uid: '' }) });
    await result;
    expect(steps).toEqual(['admit a new one', 'validate a new one']);
  });

  test('An update keeps uid, creation time and deletion of what was there', async () => {
    const created = { creationTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a/b'] };
    const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 };
    const { result, current } = await update({
      cached: configMap({}, { ...created, ...deleted }),
      change: edited({ uid: '', finalizers: ['a/b'] }),
    });
    await result;
    expect(current()?.['metadata']).toMatchObject({ uid: 'u', ...created, ...deleted });
  });
});

describe('what was begun for an update', () => {
  const begun = (outcomes: [WriteOutcome, number][]) => ({
    hooks: {
      beginUpdate: async () => ({
        finish: (outcome: WriteOutcome, revision: number) => void outcomes.push([outcome, revision]),
      }),
    },
  });
  const refuse = async (): Promise<void> => {
    throw new Error('no');
  };

  test.each<{ name: string; setting: Setting; outcomes: [WriteOutcome, number][]; fails?: boolean }>([
    { name: 'is told of the write', setting: { cached: before() }, outcomes: [['applied', 102]] },
    {
      name: 'is taken back when validation refuses',
      setting: { cached: before(), validate: refuse },
      // Once on what the cache has, which the fresh read confirms.
      outcomes: [['refused', 0]],
      fails: true,
    },
    {
      name: 'is taken back for each race that is lost',
      setting: { cached: before(), newest: configMap({ k: 'other' }) },
      outcomes: [
        ['refused', 0],
        ['applied', 103],
      ],
    },
    {
      name: 'is taken back in a dry run',
      setting: { cached: before(), request: { dryRun: true } },
      outcomes: [['refused', 0]],
    },
    {
      name: 'is kept when it is unknown how the write ended',
      setting: { cached: before(), failure: new Error('connection lost') },
      outcomes: [['unknown', 0]],
      fails: true,
    },
  ])('What was begun for an update: $name', async ({ setting, outcomes, fails = false }) => {
    const told: [WriteOutcome, number][] = [];
    const { result } = await update({ ...setting, ...begun(told) });
    if (fails) await expect(result).rejects.toThrow();
    else await result;
    expect(told).toEqual(outcomes);
  });
});

test('A change gets a copy of its own', async () => {
  const { result, current } = await update({
    cached: before(),
    change: (shared, copy) => {
      const own = copy();
      metaOf(own).labels = { l: 'v' };
      expect(metaOf(shared!).labels).toBeUndefined();
      return own;
    },
  });
  await result;
  expect(current()?.['metadata']).toMatchObject({ labels: { l: 'v' } });
});
