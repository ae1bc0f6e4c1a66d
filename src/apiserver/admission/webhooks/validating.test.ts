import { expect, test } from 'vitest';
import { runInSpan } from '../../../base/span.ts';
import { RecordedSpan } from '../../../base/testing/recorded-spans.ts';
import { attributesFor } from '../testing/attributes.ts';
import { FakeWebhooks, webhookNamed } from '../testing/webhooks.ts';
import { createValidatingWebhooks } from './validating.ts';

const configMap = (more: Parameters<typeof attributesFor>[2] = {}) =>
  attributesFor('configmaps', { metadata: { name: 'a', labels: { x: 'y' } } }, more);
const deny = (message: string) => (): object => ({ allowed: false, status: { message } });

const validate = (hooks: FakeWebhooks, attributes: ReturnType<typeof configMap>, ...names: string[]) =>
  Promise.resolve(
    createValidatingWebhooks(hooks.options(...names.map((name) => webhookNamed(name)))).validate!(attributes),
  );

test('All webhooks are asked at the same time, and the first that refuses is the answer', async () => {
  const order: string[] = [];
  let releaseOne = (): void => undefined;
  const released = new Promise<void>((resolve) => (releaseOne = resolve));
  const hooks = new FakeWebhooks({
    one: async () => {
      await released;
      order.push('one');
      return deny('slow')();
    },
    two: () => {
      order.push('two');
      releaseOne();
      return deny('fast')();
    },
  });
  await expect(validate(hooks, configMap(), 'one', 'two')).rejects.toMatchObject({
    code: 400,
    message: 'admission webhook "two" denied the request: fast',
  });
  expect(order).toEqual(['two', 'one']);
});

test('A question to a webhook is a span that says what was asked', async () => {
  const request = new RecordedSpan('POST');
  const hooks = new FakeWebhooks({ one: () => ({ allowed: true }), two: deny('no') });
  await runInSpan(request, () => validate(hooks, configMap(), 'one', 'two').catch(() => undefined));
  expect(request.below.map(({ name, attributes, isOpen }) => ({ name, attributes, isOpen }))).toEqual(
    ['one', 'two'].map((webhook) => ({
      name: 'Call validating webhook',
      attributes: {
        configuration: expect.any(String) as string,
        webhook,
        resource: '/v1, Resource=configmaps',
        subresource: '',
        operation: 'CREATE',
        UID: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      },
      isOpen: false,
    })),
  );
});

test('Nothing is asked for a request that is over', async () => {
  const hooks = new FakeWebhooks();
  await expect(validate(hooks, configMap({ signal: AbortSignal.abort() }), 'one')).rejects.toMatchObject({ code: 504 });
  expect(hooks.asked).toEqual([]);
});

test('A call that fails when the time of its request is over is a timeout of the request', async () => {
  const hooks = new FakeWebhooks({
    one: () => {
      throw new DOMException('', 'TimeoutError');
    },
  });
  // The deadline passes while the webhook is asked.
  let looks = 0;
  const attributes = {
    ...configMap(),
    get deadline() {
      return looks++ < 2 ? performance.now() + 60_000 : 0;
    },
  };
  await expect(validate(hooks, attributes, 'one')).rejects.toMatchObject({ code: 504 });
  await expect(validate(hooks, configMap(), 'one')).rejects.toMatchObject({ code: 500 });
});

test.each([
  { sideEffects: 'None' as const, asked: ['one'] },
  { sideEffects: 'NoneOnDryRun' as const, asked: ['one'] },
  { sideEffects: 'Some' as const, asked: [] },
  { sideEffects: 'Unknown' as const, asked: [] },
])('Of webhooks with side effects $sideEffects, a dry run asks $asked', async ({ sideEffects, asked }) => {
  const hooks = new FakeWebhooks();
  const plugin = createValidatingWebhooks(hooks.options(webhookNamed('one', { sideEffects })));
  const result = Promise.resolve(plugin.validate!(configMap({ dryRun: true })));
  if (asked.length > 0) await result;
  else
    await expect(result).rejects.toMatchObject({
      code: 400,
      message: 'admission webhook "one" does not support dry run',
    });
  expect(hooks.asked).toEqual(asked);
});

test('Warnings and notes are told; what cannot be a header or a key is left out', async () => {
  const hooks = new FakeWebhooks({
    one: () => ({ warnings: ['w', 'line\nbreak', ''], auditAnnotations: { key: 'v', 'a/b': 'no', 'not a key': 'no' } }),
  });
  const attributes = configMap();
  await validate(hooks, attributes, 'one');
  expect(attributes.warnings.filter((text) => text !== '')).toEqual(['w']);
  expect(attributes.annotations).toEqual({ 'one/key': 'v' });
});

test('Every end of a question is counted', async () => {
  const hooks = new FakeWebhooks({ no: deny('m'), bad: () => 'garbage' });
  await validate(hooks, configMap(), 'yes');
  await validate(hooks, configMap(), 'no').catch(() => undefined);
  await validate(hooks, configMap(), 'bad').catch(() => undefined);
  expect(
    hooks.observations.map(({ name, what, ...more }) => ({ name, what, ...more, seconds: undefined })),
  ).toMatchObject([
    { name: 'yes', what: 'call', code: 200, rejected: false },
    { name: 'no', what: 'call', code: 400, rejected: true },
    { name: 'no', what: 'rejection', code: 400, error: 'no_error' },
    { name: 'bad', what: 'call', code: 400, rejected: true },
    { name: 'bad', what: 'rejection', code: 400, error: 'calling_webhook_error' },
  ]);
});

test('A condition that is false or fails keeps a webhook from being asked', async () => {
  const ask = async (expression: string, failurePolicy: 'Fail' | 'Ignore'): Promise<unknown> => {
    const hooks = new FakeWebhooks();
    const webhook = webhookNamed('one', { failurePolicy, matchConditions: [{ name: 'c', expression }] });
    const error: unknown = await Promise.resolve(
      createValidatingWebhooks(hooks.options(webhook)).validate!(configMap()),
    ).then(
      () => undefined,
      (refusal: Error) => refusal.message,
    );
    return { asked: hooks.asked, error };
  };
  expect(await ask('false', 'Fail')).toEqual({ asked: [], error: undefined });
  expect(await ask('object.none', 'Ignore')).toEqual({ asked: [], error: undefined });
  expect(await ask('object.none == 1', 'Fail')).toEqual({
    asked: [],
    error: 'configmaps "a" is forbidden: expression \'object.none == 1\' resulted in error: no such key: none',
  });
});
