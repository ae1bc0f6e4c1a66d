/** Writes with large bodies, which a thread of their own works on. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { KubeObject } from '../../src/machinery/object-meta.ts';
import { customDefinition, definitionsPath } from '../support/definitions.ts';
import { type Answer, startTestServer, type TestServer } from '../support/test-server.ts';

const namespace = '/api/v1/namespaces/default';
const large = 'x'.repeat(200_000);
const annotations = { large };

let server: TestServer;
beforeAll(async () => {
  // The thread is what was built.
  await promisify(execFile)(process.execPath, ['hack/build.mjs']);
  server = await startTestServer({ flags: ['--authorization-mode=RBAC'] });
});
afterAll(() => server[Symbol.asyncDispose]());

const configMap = (name: string, data: Readonly<Record<string, string>> = { a: '1' }): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, annotations },
  data,
});
const versionOf = (answer: Answer): string => answer.json<KubeObject>().metadata!.resourceVersion!;
const merge = { 'content-type': 'application/merge-patch+json' };

describe('a large object', () => {
  test('A large object is created, replaced, patched and applied like a small one', async () => {
    const created = await server.send('POST', `${namespace}/configmaps`, { body: configMap('life') });
    expect([created.status, created.json<KubeObject>().metadata!.uid]).toEqual([201, expect.any(String)]);
    const replaced = await server.send('PUT', `${namespace}/configmaps/life`, {
      body: { ...configMap('life', { a: '2' }) },
    });
    expect(replaced.json()).toMatchObject({ data: { a: '2' } });
    const patched = await server.send('PATCH', `${namespace}/configmaps/life`, {
      body: { data: { b: large } },
      headers: merge,
    });
    expect(patched.json()).toMatchObject({ data: { a: '2', b: large } });
    const applied = await server.send('PATCH', `${namespace}/configmaps/life?fieldManager=me&force=true`, {
      body: configMap('life', { c: '3' }),
      headers: { 'content-type': 'application/apply-patch+yaml' },
    });
    expect(applied.json<KubeObject>().metadata!.managedFields!.map(({ manager }) => manager)).toContain('me');
    const versions = [created, replaced, patched, applied].map((answer) => Number(versionOf(answer)));
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(versionOf(await server.send('GET', `${namespace}/configmaps/life`))).toBe(versionOf(applied));
  });

  test('A large object is not stored by a dry run', async () => {
    expect((await server.send('POST', `${namespace}/configmaps?dryRun=All`, { body: configMap('dry') })).status).toBe(
      201,
    );
    expect((await server.send('GET', `${namespace}/configmaps/dry`)).status).toBe(404);
  });

  test('A large object is refused with the same words as a small one', async () => {
    const answers = await Promise.all(
      [{}, annotations].map((more) =>
        server.send('POST', `${namespace}/pods`, {
          body: {
            kind: 'Pod',
            apiVersion: 'v1',
            metadata: { name: '-wrong-', annotations: more },
            spec: { containers: [] },
          },
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([422, 422]);
    expect(answers[0]!.text).toBe(answers[1]!.text);
  });

  test('A large object has the warnings of a small one', async () => {
    const port = { containerPort: 80 };
    const body = (more: object): object => ({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'ports', annotations: more },
      spec: { containers: [{ name: 'a', image: 'a', ports: [port, port] }] },
    });
    const [small, other] = await Promise.all(
      [{}, annotations].map((more) => server.send('POST', `${namespace}/pods?dryRun=All`, { body: body(more) })),
    );
    expect(small!.headers['warning']).toBeDefined();
    expect(other!.headers['warning']).toEqual(small!.headers['warning']);
  });

  test('A large object conflicts with a version that is gone', async () => {
    const created = await server.send('POST', `${namespace}/configmaps`, { body: configMap('conflict') });
    const again = {
      ...configMap('conflict', { a: '2' }),
      metadata: { name: 'conflict', annotations, resourceVersion: versionOf(created) },
    };
    expect((await server.send('PUT', `${namespace}/configmaps/conflict`, { body: again })).status).toBe(200);
    expect((await server.send('PUT', `${namespace}/configmaps/conflict`, { body: again })).status).toBe(409);
  });

  test('A large object is seen by a watch that is open', async () => {
    const { resourceVersion } = (await server.send('GET', `${namespace}/configmaps?limit=1`)).json<{
      metadata: { resourceVersion: string };
    }>().metadata;
    await server.send('POST', `${namespace}/configmaps`, { body: configMap('watched') });
    const { text } = await server.send(
      'GET',
      `${namespace}/configmaps?watch=1&resourceVersion=${resourceVersion}&timeoutSeconds=1`,
    );
    const events = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; object: KubeObject });
    expect(events.map(({ type, object }) => `${type} ${object.metadata!.name}`)).toContain('ADDED watched');
  });

  test('A large object of a custom resource is checked by its definition as it is now', async () => {
    const schema = (maxLength: number): object => ({
      openAPIV3Schema: { type: 'object', properties: { word: { type: 'string', maxLength } } },
    });
    const definition = customDefinition({ versions: [{ schema: schema(5) as never }] });
    await server.send('POST', definitionsPath, { body: definition });
    const thing = (name: string, word: string): object => ({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name, annotations },
      word,
      unknown: 1,
    });
    const at = '/apis/example.com/v1/namespaces/default/widgets';
    await expect.poll(async () => (await server.send('GET', at)).status).toBe(200);
    const created = await server.send('POST', at, { body: thing('one', 'short') });
    expect([created.status, created.json<Record<string, unknown>>()['unknown']]).toEqual([201, undefined]);
    expect((await server.send('POST', at, { body: thing('two', 'longer') })).status).toBe(422);
    await server.send('PATCH', `${definitionsPath}/widgets.example.com`, {
      body: [{ op: 'replace', path: '/spec/versions/0/schema', value: schema(6) }],
      headers: { 'content-type': 'application/json-patch+json' },
    });
    expect((await server.send('POST', at, { body: thing('two', 'longer') })).status).toBe(201);
  });

  test('A large object is refused by a policy with a parameter of a custom kind', async () => {
    const schema = { openAPIV3Schema: { type: 'object', properties: { longest: { type: 'integer' } } } };
    const definition = customDefinition({
      plural: 'bounds',
      kind: 'Bound',
      scope: 'Cluster',
      versions: [{ schema: schema as never }],
    });
    await server.send('POST', definitionsPath, { body: definition });
    const bounds = '/apis/example.com/v1/bounds';
    await expect.poll(async () => (await server.send('GET', bounds)).status).toBe(200);
    const group = '/apis/admissionregistration.k8s.io/v1';
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
    const bodies: readonly (readonly [string, object])[] = [
      [bounds, { apiVersion: 'example.com/v1', kind: 'Bound', metadata: { name: 'b' }, longest: 1000 }],
      [
        `${group}/validatingadmissionpolicies`,
        {
          metadata: { name: 'bounded' },
          spec: {
            paramKind: { apiVersion: 'example.com/v1', kind: 'Bound' },
            matchConstraints: { resourceRules: [rule], objectSelector: { matchLabels: { bounded: 'yes' } } },
            validations: [{ expression: 'size(object.metadata.annotations.large) <= params.longest' }],
          },
        },
      ],
      [
        `${group}/validatingadmissionpolicybindings`,
        {
          metadata: { name: 'bounded' },
          spec: {
            policyName: 'bounded',
            paramRef: { name: 'b', parameterNotFoundAction: 'Deny' },
            validationActions: ['Deny'],
          },
        },
      ],
    ];
    for (const [at, body] of bodies) expect((await server.send('POST', at, { body })).status).toBe(201);
    const bounded = (name: string, text: string): object => ({
      metadata: { name, labels: { bounded: 'yes' }, annotations: { large: text } },
    });
    const send = (name: string, text: string): Promise<Answer> =>
      server.send('POST', `${namespace}/configmaps?dryRun=All`, { body: bounded(name, text) });
    await expect.poll(async () => (await send('c', 'x'.repeat(2000))).status).toBe(422);
    const answer = await send('c', large);
    expect([answer.status, answer.json<{ message: string }>().message]).toEqual([
      422,
      "configmaps \"c\" is forbidden: ValidatingAdmissionPolicy 'bounded' with binding 'bounded' denied request: " +
        'failed expression: size(object.metadata.annotations.large) <= params.longest',
    ]);
    expect((await send('d', 'short')).status).toBe(201);
    expect((await server.send('GET', '/metrics')).text).toMatch(
      /apiserver_validating_admission_policy_check_total\{[^}]*policy="bounded"[^}]*\} 2/,
    );
  });

  test('A large object of a service gets an address', async () => {
    const body = {
      kind: 'Service',
      apiVersion: 'v1',
      metadata: { name: 'large', annotations },
      spec: { ports: [{ port: 80 }] },
    };
    const created = await server.send('POST', `${namespace}/services`, { body });
    expect(created.json<{ spec: { clusterIP: string } }>().spec.clusterIP).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
  });

  test('A large object of a role grants nothing that its writer does not have', async () => {
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const role = (name: string, verbs: readonly string[]): object => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name, annotations },
      rules: [{ apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], verbs }],
    });
    await server.send('POST', `${rbac}/clusterroles`, { body: role('writer', ['create']) });
    await server.send('POST', `${rbac}/clusterrolebindings`, {
      body: {
        metadata: { name: 'writer' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'writer' },
        subjects: [{ kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.k8s.io' }],
      },
    });
    await expect
      .poll(
        async () =>
          (await server.send('POST', `${rbac}/clusterroles`, { user: 'alice', body: role('same', ['create']) })).status,
      )
      .toBe(201);
    const refused = await server.send('POST', `${rbac}/clusterroles`, {
      user: 'alice',
      body: role('more', ['delete']),
    });
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining('is attempting to grant RBAC permissions not currently held'),
    ]);
  });
});

describe('the audit log', () => {
  test('The audit log has the object of a large request, and of its answer', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'orch-large-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const policy = path.join(directory, 'policy.json');
    const log = path.join(directory, 'audit.log');
    await writeFile(
      policy,
      JSON.stringify({
        apiVersion: 'audit.k8s.io/v1',
        kind: 'Policy',
        rules: [{ level: 'RequestResponse', verbs: ['create'], resources: [{ group: '', resources: ['configmaps'] }] }],
      }),
    );
    await using recorded = await startTestServer({
      flags: [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`],
    });
    await recorded.send('POST', `${namespace}/configmaps`, { body: configMap('recorded') });
    const events = (await readFile(log, 'utf8'))
      .trim()
      .split('\n')
      .map(
        (line) =>
          JSON.parse(line) as { objectRef?: { name: string }; requestObject?: KubeObject; responseObject?: KubeObject },
      );
    const event = events.find(({ objectRef }) => objectRef?.name === 'recorded');
    expect([event?.requestObject?.metadata?.name, event?.responseObject?.metadata?.uid]).toEqual([
      'recorded',
      expect.any(String),
    ]);
  });
});

describe('other requests', () => {
  test('Other requests are answered while a large one is worked on', async () => {
    const containers = Array.from({ length: 20_000 }, (_, i) => ({ name: `c-${i}`, image: 'a' }));
    const body = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'heavy' }, spec: { containers } };
    let isDone = false;
    const heavy = server.send('POST', `${namespace}/pods?dryRun=All`, { body }).finally(() => (isDone = true));
    let answered = 0;
    while (!isDone) {
      expect((await server.send('GET', '/livez')).status).toBe(200);
      answered++;
    }
    expect((await heavy).status).toBe(201);
    expect(answered).toBeGreaterThan(10);
  });
});

describe('the thread', () => {
  test('A thread that needs too much memory fails the request, not the server; the next gets another', async () => {
    await using small = await startTestServer({ largeRequests: { heapMegabytes: 24 } });
    const containers = Array.from({ length: 24_000 }, (_, i) => ({
      name: `c-${i}`,
      image: 'app:1',
      command: ['a', 'b', 'c', 'd'],
    }));
    const refused = await small.send('POST', `${namespace}/pods?dryRun=All`, {
      body: { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'heavy' }, spec: { containers } },
    });
    expect([refused.status, refused.text]).toEqual([
      500,
      expect.stringContaining('the request needed more memory than a request may have'),
    ]);
    expect((await small.send('POST', `${namespace}/configmaps`, { body: configMap('after') })).status).toBe(201);
  });
});
