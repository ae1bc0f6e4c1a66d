import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../machinery/object-meta.ts';
import { type AdmissionPlugin, createAdmissionChain } from '../../../registry/admission.ts';
import { attributesFor } from '../testing/attributes.ts';
import { FakeWebhooks, jsonPatch, webhookNamed } from '../testing/webhooks.ts';
import { createMutatingWebhooks } from './mutating.ts';

interface ConfigMap extends KubeObject {
  data: Record<string, string>;
}

const configMap = (): ConfigMap => ({ metadata: { name: 'a', labels: { x: 'y' } }, data: { k: 'v' } });
const add = (key: string) => (): object => jsonPatch({ op: 'add', path: `/data/${key}`, value: 'x' });

test('Webhooks are asked one after the other, and each sees what was made before it', async () => {
  const hooks = new FakeWebhooks({ one: add('one'), two: add('two') });
  const object = configMap();
  await createMutatingWebhooks(hooks.options(webhookNamed('one'), webhookNamed('two'))).admit!(
    attributesFor('configmaps', object),
  );
  expect(hooks.asked).toEqual(['one', 'two']);
  expect(hooks.reviews[1]!.request.object).toMatchObject({ data: { k: 'v', one: 'x' } });
  expect(object.data).toEqual({ k: 'v', one: 'x', two: 'x' });
});

describe('a second round', () => {
  const ifNeeded = { reinvocationPolicy: 'IfNeeded' } as const;
  test.each([
    {
      name: 'asks a webhook again after a change by a later one',
      webhooks: [webhookNamed('plain', ifNeeded), webhookNamed('one')],
      asked: ['plain', 'one', 'plain'],
    },
    {
      name: 'asks none that does not want it',
      webhooks: [webhookNamed('plain'), webhookNamed('one')],
      asked: ['plain', 'one'],
    },
    { name: 'asks none after its own change', webhooks: [webhookNamed('one', ifNeeded)], asked: ['one'] },
    {
      name: 'is not there without a change',
      webhooks: [webhookNamed('plain', ifNeeded), webhookNamed('same')],
      asked: ['plain', 'same'],
    },
    {
      name: 'asks none that came after the change',
      webhooks: [webhookNamed('one'), webhookNamed('plain', ifNeeded)],
      asked: ['one', 'plain'],
    },
  ])('A second round of mutating webhooks: $name', async ({ webhooks, asked }) => {
    const hooks = new FakeWebhooks({
      one: add('one'),
      same: () => jsonPatch({ op: 'replace', path: '/data/k', value: 'v' }),
    });
    const attributes = attributesFor('configmaps', configMap());
    await createAdmissionChain([createMutatingWebhooks(hooks.options(...webhooks))]).admit(attributes);
    expect(hooks.asked).toEqual(asked);
  });

  test('Asks every webhook that wants it when another plugin has changed the object in it', async () => {
    const hooks = new FakeWebhooks({ one: add('one') });
    const counting: AdmissionPlugin = {
      name: 'Counting',
      handles: () => true,
      admit: ({ object }, round) => {
        if (round?.isSecond === true) (object as ConfigMap).data['round'] = '2';
      },
    };
    const webhooks = createMutatingWebhooks(hooks.options(webhookNamed('one', ifNeeded)));
    await createAdmissionChain([counting, webhooks]).admit(attributesFor('configmaps', configMap()));
    expect(hooks.asked).toEqual(['one', 'one']);
  });
});

test.each([
  {
    name: 'a webhook that fails refuses',
    more: {},
    error: { code: 500, message: expect.stringContaining('failed calling webhook "bad"') as string },
  },
  {
    name: 'a webhook that fails and may be passed over lets pass',
    more: { failurePolicy: 'Ignore' as const },
    error: undefined,
  },
])('A mutating webhook: $name', async ({ more, error }) => {
  const hooks = new FakeWebhooks({ bad: () => 'garbage' });
  const attributes = attributesFor('configmaps', configMap());
  const result = Promise.resolve(createMutatingWebhooks(hooks.options(webhookNamed('bad', more))).admit!(attributes));
  if (error !== undefined) await expect(result).rejects.toMatchObject(error);
  else await result;
  const failedOpen = 'failed-open.mutation.webhook.admission.k8s.io/round_0_index_0';
  expect(attributes.annotations[failedOpen]).toBe(error === undefined ? 'bad' : undefined);
});

test('A patch that cannot be applied refuses, whatever the failure policy is', async () => {
  const hooks = new FakeWebhooks({ bad: () => jsonPatch({ op: 'remove', path: '/data/none' }) });
  const plugin = createMutatingWebhooks(hooks.options(webhookNamed('bad', { failurePolicy: 'Ignore' })));
  await expect(plugin.admit!(attributesFor('configmaps', configMap()))).rejects.toMatchObject({
    code: 500,
    message:
      "Internal error occurred: error in remove for path: '/data/none': Unable to remove nonexistent key: none: " +
      'missing value',
  });
});

test('What there is no object of cannot be patched', async () => {
  const hooks = new FakeWebhooks({ bad: add('x') });
  const attributes = attributesFor('configmaps', undefined, { operation: 'DELETE', oldObject: configMap() });
  await expect(createMutatingWebhooks(hooks.options(webhookNamed('bad'))).admit!(attributes)).rejects.toMatchObject({
    message: expect.stringContaining('admission webhook "bad" attempted to modify the object') as string,
  });
});

test('Notes say which webhook was asked in which round, and what it has changed', async () => {
  const hooks = new FakeWebhooks({ one: () => jsonPatch({ value: '<', path: '/data/k', op: 'add' }) });
  const attributes = attributesFor('configmaps', configMap());
  await createMutatingWebhooks(hooks.options(webhookNamed('one'))).admit!(attributes);
  expect(attributes.annotations).toEqual({
    'mutation.webhook.admission.k8s.io/round_0_index_0': '{"configuration":"c","webhook":"one","mutated":true}',
    'patch.webhook.admission.k8s.io/round_0_index_0':
      '{"configuration":"c","webhook":"one","patch":[{"op":"add","path":"/data/k","value":"\\u003c"}],' +
      '"patchType":"JSONPatch"}',
  });
});
