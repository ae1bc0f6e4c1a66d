import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AdmissionWebhook, type Answerer, patching, type WebhookCaller } from '../support/admission-webhook.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { writeWebhookCredentials } from '../support/webhook-credentials.ts';

/** What webhooks may do wrong costs the request that they are asked about, and nothing else. */
let server: TestServer;
let hooks: AdmissionWebhook;
/** Of the credentials for webhooks. */
let folder: string;

const group = '/apis/admissionregistration.k8s.io/v1';
const configMaps = '/api/v1/namespaces/default/configmaps';
let serial = 0;

const configMap = (hook: string, name = `m${serial++}`, data: Record<string, string> = { k: 'v' }): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { hook } },
  data,
});

/** A configuration is in effect when the cache that admission reads has it. */
async function configure(kind: 'mutating' | 'validating', webhooks: readonly object[], name = `c${serial++}`) {
  const path = `${group}/${kind}webhookconfigurations`;
  const answer = await server.send('POST', path, { body: { metadata: { name }, webhooks } });
  expect(answer.text).toContain('"uid"');
  const { resourceVersion } = answer.json<{ metadata: { resourceVersion: string } }>().metadata;
  await server.send('GET', `${path}?resourceVersion=${resourceVersion}&resourceVersionMatch=NotOlderThan`);
  return `${path}/${name}`;
}

const mutating = ['rename', 'move', 'kind', 'uid', 'version', 'deep', 'huge', 'grow', 'owners', 'shown'];
const validating = [
  'uid-lie',
  'kind-lie',
  'garbage',
  'patch-lie',
  'hang',
  'drip',
  'gigabyte',
  'cut',
  'cut-headers',
  'redirect',
  'code',
  'shown-to-all',
];

beforeAll(async () => {
  // The thread for large requests is what was built.
  await promisify(execFile)(process.execPath, ['hack/build.mjs']);
  hooks = await AdmissionWebhook.start(['shown.default.svc']);
  folder = await mkdtemp(path.join(tmpdir(), 'orch-hooks-'));
  const flags = [`--admission-control-config-file=${await writeWebhookCredentials(folder, hooks.port)}`];
  server = await startTestServer({ flags, largeRequests: { bodyBytes: 200_000 } });
  await configure(
    'mutating',
    mutating.map((name) => hooks.webhook(name, { reinvocationPolicy: 'IfNeeded' })),
  );
  await configure(
    'validating',
    validating.map((name) => hooks.webhook(name)),
  );
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await hooks[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const chunk = Buffer.alloc(1 << 16, ' ');
let sent = 0;

/** Sends as much as is taken. */
const flood: Answerer = ({ response }) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const more = (): void => {
    while (!response.destroyed && sent < 2 ** 30) {
      sent += chunk.length;
      if (!response.write(chunk)) return void response.once('drain', more);
    }
  };
  more();
};

const say =
  (text: string): Answerer =>
  ({ response }) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(text);
const review = (response: object, more: object = {}): string =>
  JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response, ...more });

test.each<{ name: string; hook: string; answer: Answerer; message: string }>([
  {
    name: 'answers another question',
    hook: 'uid-lie',
    answer: say(review({ uid: 'x', allowed: true })),
    message: 'expected response.uid=',
  },
  {
    name: 'answers with another kind',
    hook: 'kind-lie',
    answer: say(review({ allowed: true }, { kind: 'Pod' })),
    message: 'no kind "Pod" is registered',
  },
  { name: 'answers with garbage', hook: 'garbage', answer: say('<html>'), message: "couldn't get version/kind" },
  {
    name: 'patches although it may only refuse',
    hook: 'patch-lie',
    answer: ({ answer }) => answer(patching({ op: 'remove', path: '/data' })),
    message: 'validating webhook may not return response.patch',
  },
  { name: 'never answers', hook: 'hang', answer: () => undefined, message: 'context deadline exceeded' },
  {
    name: 'begins an answer and never ends it',
    hook: 'drip',
    answer: ({ response }) => void response.write('{"kind":'),
    message: 'context deadline exceeded',
  },
  { name: 'answers a gigabyte', hook: 'gigabyte', answer: flood, message: 'the answer is too long' },
  {
    name: 'closes the connection within its answer',
    hook: 'cut',
    answer: ({ response }) => void (response.write('{"kind":'), setImmediate(() => response.destroy())),
    message: 'failed to call webhook: Post',
  },
  {
    name: 'closes the connection before its answer',
    hook: 'cut-headers',
    answer: ({ response }) => void response.destroy(),
    message: 'EOF',
  },
  {
    name: 'sends the server elsewhere',
    hook: 'redirect',
    answer: ({ response }) => void response.writeHead(302, { location: 'https://127.0.0.1/' }).end(),
    message: 'status code 302',
  },
])('A webhook that $name fails its own request, and no other', async ({ hook, answer, message }) => {
  hooks.answers.set(hook, answer);
  const [refused, allowed] = await Promise.all([
    server.send('POST', configMaps, { body: configMap(hook) }),
    server.send('POST', configMaps, { body: configMap('none') }),
  ]);
  expect(refused.status).toBe(500);
  expect(refused.json<{ message: string }>().message).toContain(
    `Internal error occurred: failed calling webhook "${hook}.example.com": `,
  );
  expect(refused.text).toContain(message.replaceAll('"', '\\"'));
  expect(allowed.status).toBe(201);
});

test('Of an answer that is too long, the rest is not read', () => {
  expect(sent).toBeLessThan(64 * 2 ** 20);
});

test('A code that HTTP does not have is answered as 500', async () => {
  hooks.answers.set('code', ({ answer }) => answer({ allowed: false, status: { code: 1_000_000, message: 'm' } }));
  const answer = await server.send('POST', configMaps, { body: configMap('code') });
  expect([answer.status, answer.json<{ message: string }>().message]).toEqual([
    500,
    'admission webhook "code.example.com" denied the request: m',
  ]);
});

const deepPatch = `[{"op":"add","path":"/x","value":${'['.repeat(12_000)}${']'.repeat(12_000)}}]`;
const replace =
  (path: string, value: unknown): Answerer =>
  ({ answer }) =>
    answer(patching({ op: 'add', path, value }));

test.each<{ name: string; hook: string; answer: Answerer; status: number; message: string }>([
  {
    name: 'the name',
    hook: 'rename',
    answer: replace('/metadata/name', 'other'),
    status: 422,
    message: 'metadata.name: Invalid value: "other": field is immutable',
  },
  {
    name: 'the namespace',
    hook: 'move',
    answer: replace('/metadata/namespace', 'kube-system'),
    status: 400,
    message: 'the namespace of the provided object does not match the namespace sent on the request',
  },
  { name: 'the kind', hook: 'kind', answer: replace('/kind', 'Pod'), status: 500, message: 'unknown conversion' },
  { name: 'the uid', hook: 'uid', answer: replace('/metadata/uid', 'x'), status: 422, message: 'field is immutable' },
  {
    name: 'to a value that is too deep',
    hook: 'deep',
    answer: ({ answer }) => answer({ patchType: 'JSONPatch', patch: Buffer.from(deepPatch).toString('base64') }),
    status: 500,
    message: 'exceeded max depth',
  },
  {
    name: 'by an operation that multiplies it',
    hook: 'huge',
    answer: ({ answer }) =>
      answer(patching(...Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '/data', path: `/x${i}` })))),
    status: 500,
    message: 'the copy operations exceed the accumulated size limit',
  },
])('A webhook cannot change $name of an object', async ({ hook, answer, status, message }) => {
  hooks.answers.set(hook, ({ answer: allow }) => allow());
  const name = `m${serial++}`;
  const path = `${configMaps}/${name}`;
  const made = await server.send('POST', configMaps, { body: configMap(hook, name, { k: 'v'.repeat(100_000) }) });
  expect(made.status).toBe(201);
  hooks.answers.set(hook, answer);
  const refused = await server.send('PUT', path, { body: configMap(hook, name, { k: 'w'.repeat(100_000) }) });
  expect([refused.status, refused.json<{ message: string }>().message]).toEqual([
    status,
    expect.stringContaining(message),
  ]);
  const kept = await server.send('GET', path);
  expect(kept.json<{ data: { k: string } }>().data.k).toMatch(/^v/);
});

test('Field ownership that a webhook makes unreadable is as it was before, with a warning', async () => {
  hooks.answers.set('owners', replace('/metadata/managedFields/0/operation', 'Nonsense'));
  const answer = await server.send('POST', configMaps, { body: configMap('owners') });
  expect(answer.headers['warning']).toContain('.metadata.managedFields was in an invalid state after admission');
  expect(answer.json()).toMatchObject({ metadata: { managedFields: [{ operation: 'Update' }] } });
});

test('Webhooks are asked about writes with large bodies too, and change them', async () => {
  hooks.answers.set('grow', replace('/data/grown', 'yes'));
  const body = configMap('grow', 'large', { k: 'v'.repeat(300_000) });
  const answer = await server.send('POST', configMaps, { body });
  expect([answer.status, answer.json<{ data: { grown: string } }>().data.grown]).toEqual([201, 'yes']);
  const { text } = await server.send('GET', '/metrics');
  expect(text).toMatch(/^apiserver_admission_webhook_request_total\{[^}]*name="grow.example.com"[^}]*\} [12]$/m);
});

test('A webhook behind a service is reached at its address, and its certificate is that of the service', async () => {
  await using other = await AdmissionWebhook.start(['hook.default.svc']);
  const service = { metadata: { name: 'hook' }, spec: { type: 'ExternalName', externalName: '127.0.0.1' } };
  await server.send('POST', '/api/v1/namespaces/default/services', { body: service });
  const clientConfig = {
    service: { namespace: 'default', name: 'hook', path: '/svc', port: other.port },
    caBundle: other.caBundle,
  };
  await configure('validating', [other.webhook('svc', { clientConfig })]);
  other.answers.set('svc', ({ answer }) => answer({ allowed: false, status: { message: 'from the service' } }));
  const { text } = await server.send('POST', configMaps, { body: configMap('svc') });
  expect(text).toContain('from the service');
});

test('Another bundle, or another address, counts for the next request', async () => {
  await using other = await AdmissionWebhook.start();
  const path = await configure('validating', [
    other.webhook('moving', {
      clientConfig: { url: `https://127.0.0.1:${other.port}/moving`, caBundle: hooks.caBundle },
    }),
  ]);
  expect((await server.send('POST', configMaps, { body: configMap('moving') })).text).toContain(
    'certificate signed by unknown authority',
  );
  const patched = await server.send('PATCH', path, {
    headers: { 'content-type': 'application/json-patch+json' },
    body: [{ op: 'replace', path: '/webhooks/0/clientConfig/caBundle', value: other.caBundle }],
  });
  const { resourceVersion } = patched.json<{ metadata: { resourceVersion: string } }>().metadata;
  await server.send(
    'GET',
    `${path.slice(0, path.lastIndexOf('/'))}?resourceVersion=${resourceVersion}&resourceVersionMatch=NotOlderThan`,
  );
  expect((await server.send('POST', configMaps, { body: configMap('moving') })).status).toBe(201);
  expect(other.asked).toHaveLength(1);
});

const fromAddress = { authorization: 'Bearer for-the-address', commonName: 'the-server' };
const fromAll = { authorization: `Basic ${Buffer.from('any:server').toString('base64')}`, commonName: undefined };
const fromServices = { authorization: 'Bearer for-services', commonName: undefined };

describe('the users of the kubeconfigs in the admission configuration', () => {
  /** Who asked the webhook about a new config map. */
  async function callersOf(hook: string, data?: Record<string, string>): Promise<readonly WebhookCaller[]> {
    const callers: WebhookCaller[] = [];
    hooks.answers.set(hook, ({ caller, answer }) => (callers.push(caller), answer()));
    const { status } = await server.send('POST', configMaps, { body: configMap(hook, undefined, data) });
    expect(status).toBe(201);
    return callers;
  }
  const serviceAt = (namespace: string): Readonly<Record<string, unknown>> => ({
    clientConfig: {
      service: { namespace, name: 'shown', path: '/shown-service', port: hooks.port },
      caBundle: hooks.caBundle,
    },
  });

  test.each([
    { name: 'one that is called by its address', hook: 'shown', expected: fromAddress },
    { name: 'one of the other kind, by the kubeconfig of that', hook: 'shown-to-all', expected: fromAll },
  ])('A webhook sees the user for it: $name', async ({ hook, expected }) => {
    expect(await callersOf(hook)).toEqual([expected]);
    expect(await callersOf(hook, { k: 'v'.repeat(300_000) })).toEqual([expected]);
  });

  test('A webhook behind a service sees the user for the name of the service', async () => {
    const service = { metadata: { name: 'shown' }, spec: { type: 'ExternalName', externalName: '127.0.0.1' } };
    await server.send('POST', '/api/v1/namespaces/default/services', { body: service });
    await configure('mutating', [hooks.webhook('shown-service', serviceAt('default'))]);
    expect(await callersOf('shown-service')).toEqual([fromServices]);
  });

  test('A webhook whose credentials cannot be read is not called', async () => {
    await configure('mutating', [hooks.webhook('unread', serviceAt('team'))]);
    const answer = await server.send('POST', configMaps, { body: configMap('unread') });
    expect([answer.status, answer.json<{ message: string }>().message]).toEqual([
      500,
      'Internal error occurred: failed calling webhook "unread.example.com": could not get REST client: ' +
        `open ${folder}/missing: no such file or directory`,
    ]);
  });
});
