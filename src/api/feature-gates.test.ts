import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hasShared, sharedPath } from '../../test/support/shared.ts';
import { FEATURE_GATES, isGateOn } from './feature-gates.ts';
import { groupVersions } from './resources.ts';
import { schemas } from './schemas.ts';

const facts = hasShared('facts/validation.json')
  ? (JSON.parse(readFileSync(sharedPath('facts/validation.json'), 'utf8')) as { featureGates: object }).featureGates
  : undefined;

test.skipIf(facts === undefined)(
  'The gates of types equal the recorded facts (skipped where facts/validation.json is absent)',
  () => {
    expect(FEATURE_GATES).toMatchObject(facts!);
  },
);

test('Knows every gate that the schema and the resources name, but for one that is gone', () => {
  const ofFields = schemas.packages.flatMap(({ name }) =>
    schemas
      .typesOf(name)
      .flatMap((type) => schemas.type(`${name}.${type}`).fields.map(({ featureGate }) => featureGate)),
  );
  const ofSubresources = groupVersions.flatMap(({ resources }) =>
    resources.flatMap(({ subresources }) => subresources.map(({ featureGate }) => featureGate)),
  );
  const named = new Set([...ofFields, ...ofSubresources].filter((gate) => gate !== undefined));
  expect([...named].filter((gate) => !(gate in FEATURE_GATES))).toEqual(['CSIStorageCapacity']);
});

describe('isGateOn', () => {
  test.each([
    { name: 'takes the default', gate: 'SidecarContainers', settings: {}, on: true },
    { name: 'takes what was set', gate: 'ImageVolume', settings: { ImageVolume: true }, on: true },
    {
      name: 'keeps a locked gate at its default',
      gate: 'ElasticIndexedJob',
      settings: { ElasticIndexedJob: false },
      on: true,
    },
    { name: 'is on for a gate that is gone', gate: 'CSIStorageCapacity', settings: {}, on: true },
    {
      name: 'is not fooled by members of Object',
      gate: 'ImageVolume',
      settings: Object.create({ ImageVolume: true }) as object,
      on: false,
    },
  ])('isGateOn: $name', ({ gate, settings, on }) => {
    expect(isGateOn(gate, settings as Record<string, boolean>)).toBe(on);
  });
});
