/** Custom objects and their Scale under requests that few clients send. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { customDefinition, establish, objectSchema } from '../../support/definitions.ts';
import { type Answer, type Replica, startReplica } from '../../support/replica.ts';

const widgets = '/apis/example.com/v1/namespaces/default/widgets';
const json = { 'x-kubernetes-preserve-unknown-fields': true };

let replica: Replica;
beforeAll(async () => {
  replica = await startReplica();
  const schema = objectSchema({
    replicas: { type: 'integer' },
    count: { type: 'integer' },
    size: { type: 'number' },
    any: json,
  });
  const subresources = { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } };
  await establish(replica, customDefinition({ versions: [{ schema, subresources }] }));
});
afterAll(() => replica[Symbol.asyncDispose]());

interface Body {
  readonly message?: string;
  readonly spec?: Readonly<Record<string, unknown>>;
}

const widget = (name: string, spec: string): string =>
  `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "${name}"}, "spec": ${spec}}`;

test('The Scale of a custom object is updated without a resourceVersion', async () => {
  await replica.send('POST', widgets, widget('free', '{"replicas": 1}'));
  const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'free' }, spec: { replicas: 3 } };
  const answer = await replica.send<Body>('PUT', `${widgets}/free/scale`, scale);
  expect([answer.status, answer.body.spec]).toEqual([200, { replicas: 3 }]);
});

test('Negative replicas in the Scale of a custom object are refused in the words of the object', async () => {
  await replica.send('POST', widgets, widget('negative', '{"replicas": 1}'));
  const patch = { spec: { replicas: -1 } };
  const { status, body } = await replica.send<Body>(
    'PATCH',
    `${widgets}/negative/scale`,
    patch,
    'application/merge-patch+json',
  );
  expect([status, body.message]).toEqual([
    422,
    'Widget.example.com "negative" is invalid: .spec.replicas: Invalid value: -1: should be a non-negative integer',
  ]);
});

const dryRun = <T>(name: string, spec: string, accept: string): Promise<Answer<T>> =>
  replica.send('POST', `${widgets}?dryRun=All`, widget(name, spec), 'application/json', accept);

test.each(['9223372036854775807', '-9223372036854775808'])('An integer of a custom object may be %s', async (text) => {
  const { status, body } = await dryRun<string>('fits', `{"count": ${text}}`, 'application/yaml');
  expect([status, body]).toEqual([201, expect.stringContaining(`count: ${text}\n`)]);
});

test.each(['9223372036854775808', '-9223372036854775809', '123456789012345678901234567890'])(
  'An integer of a custom object may not be %s, which does not fit 64 bits',
  async (text) => {
    const { status, body } = await dryRun<Body>('large', `{"count": ${text}}`, 'application/json');
    expect([status, body.message]).toEqual([
      422,
      'Widget.example.com "large" is invalid: spec.count: Invalid value: "number": spec.count in body must be of ' +
        'type integer: "number"',
    ]);
  },
);

test('An integer beyond 64 bits is a floating-point number where the schema takes one', async () => {
  const spec = '{"size": 9223372036854775808, "any": 9223372036854775808}';
  const { status, body } = await dryRun<string>('large', spec, 'application/yaml');
  expect([status, body]).toEqual([
    201,
    expect.stringContaining('any: 9223372036854776000\n  size: 9223372036854776000\n'),
  ]);
});
