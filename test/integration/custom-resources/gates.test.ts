/** Definitions and their objects with the feature gates off that are on by default. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CustomResourceDefinition } from '../../../src/api/gen/types/apiextensions-v1.ts';
import { customDefinition, establish } from '../../support/definitions.ts';
import { type Replica, startReplica } from '../../support/replica.ts';

const widgets = '/apis/example.com/v1/namespaces/default/widgets';

let replica: Replica;
beforeAll(async () => {
  replica = await startReplica(
    undefined,
    '--feature-gates=CRDValidationRatcheting=false,CustomResourceFieldSelectors=false',
  );
});
afterAll(() => replica[Symbol.asyncDispose]());

function definition(spec: object): object {
  const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', ...spec } } };
  return customDefinition({
    spec: {
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema },
          selectableFields: [{ jsonPath: '.spec.color' }],
        },
      ],
    },
  });
}
const members = { color: { type: 'string' }, size: { type: 'integer' } };
const widget = (spec: object): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'a' },
  spec,
});
const merge = 'application/merge-patch+json';

interface Refused {
  readonly message: string;
}

test('With CRDValidationRatcheting off, what an update leaves unchanged is validated again', async () => {
  const path = await establish(replica, definition({ properties: members }));
  await replica.send('POST', widgets, widget({ color: 'red', size: 5 }));
  const { body } = await replica.send<CustomResourceDefinition>('GET', path);
  const stricter = {
    properties: { ...members, size: { type: 'integer', maximum: 3 } },
    'x-kubernetes-validations': [{ rule: 'self.size < 4', message: 'too large' }],
  };
  const { spec } = definition(stricter) as CustomResourceDefinition;
  expect((await replica.send('PUT', path, { ...body, spec: { ...body.spec, versions: spec.versions } })).status).toBe(
    200,
  );
  const change = { spec: { color: 'blue' } };
  await expect
    .poll(async () => (await replica.send<Refused>('PATCH', `${widgets}/a?dryRun=All`, change, merge)).body.message)
    .toMatch(/spec\.size: Invalid value: 5: .*less than or equal to 3/);
  const { message } = (await replica.send<Refused>('PATCH', `${widgets}/a`, change, merge)).body;
  expect(message).toContain('spec: Invalid value: "object": too large');
  await replica.send('DELETE', path);
  await replica.until(path, ({ status }) => status === 404);
});

test('With CustomResourceFieldSelectors off, selectable fields are dropped from definitions', async () => {
  const path = await establish(replica, definition({ properties: members }));
  const { versions } = (await replica.send<CustomResourceDefinition>('GET', path)).body.spec;
  expect(versions![0]!.selectableFields).toBeUndefined();
  const { status, body } = await replica.send<Refused>('GET', `${widgets}?fieldSelector=spec.color=red`);
  expect([status, body.message]).toEqual([400, 'field label not supported: spec.color']);
  await replica.send('DELETE', path);
});
