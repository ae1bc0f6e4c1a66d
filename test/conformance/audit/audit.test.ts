/**
 * The same requests to this server and to a kube-apiserver of 1.20, each with an audit log: the events must be equal
 * but for what is new with every request, and for what 1.20 has in another way.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startAnyEtcd } from '../../support/any-etcd.ts';
import { AuditedServer } from '../../support/audited-server.ts';
import type { RunningEtcd } from '../../support/etcd.ts';
import { KubeApiServer, kubeApiServerPath, noKubeApiServer } from '../../support/kube-apiserver.ts';
import { Client } from '../golden/client.ts';
import { type AuditedRequest, requests } from './requests.ts';

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** A namespace for each level. */
const levels = { metadata: 'Metadata', request: 'Request', full: 'RequestResponse' } as const;
const namespaces = Object.keys(levels);
const policy = `rules:\n${Object.entries(levels)
  .map(([name, level]) => `- {level: ${level}, namespaces: [${name}]}\n`)
  .join('')}- {level: Metadata}\n`;
const flags = ['--audit-log-path=DIRECTORY/audit.log', '--audit-log-mode=blocking'];
const rbac = '/apis/rbac.authorization.k8s.io/v1';

interface Side {
  readonly client: Client;
  readonly logPath: string;
}

async function send(
  { client }: Side,
  auditId: string,
  { method, path: target, user = 'admin', body, contentType = 'application/json', headers = {} }: AuditedRequest,
  namespace: string,
): Promise<number> {
  const named = (text: string): string => text.replaceAll('NS', namespace);
  const bytes =
    body === undefined ? undefined : Buffer.from(named(typeof body === 'string' ? body : JSON.stringify(body)));
  const all = {
    'user-agent': 'test',
    'audit-id': auditId,
    accept: 'application/json',
    ...(user === '' ? {} : { authorization: `Bearer ${user}-token` }),
    ...(bytes === undefined ? {} : { 'content-type': contentType }),
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, named(value)])),
  };
  return (
    await client.send({ method, path: named(target), headers: all, ...(bytes === undefined ? {} : { body: bytes }) })
  ).status;
}

async function eventsOf({ logPath }: Side, auditId: string): Promise<Json[]> {
  const lines = (await readFile(logPath, 'utf8')).split('\n').slice(0, -1);
  return lines
    .map((line) => JSON.parse(line) as { auditID: string } & Json)
    .filter(({ auditID }) => auditID === auditId);
}

/** Managed fields and descriptions of columns are compared elsewhere. */
const volatile = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'requestReceivedTimestamp',
  'stageTimestamp',
  'managedFields',
  'description',
]);
/** Of 1.32 alone: how long a slow request took; what an error says, and of what. */
const later = (name: string, parent: string): boolean =>
  name.startsWith('apiserver.latency.k8s.io/') ||
  (parent === 'responseStatus' && ['message', 'details'].includes(name));

/** What is new with every request is a word, so that it still must be there. */
function masked(value: Json, parent = ''): Json {
  if (Array.isArray(value)) return value.map((item) => masked(item, parent));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !later(name, parent));
  return Object.fromEntries(
    members.map(([name, member]) => [
      name,
      volatile.has(name) && parent !== 'user' && member !== null ? name : masked(member, name),
    ]),
  );
}

/** Without the members that a path names. */
function drop(value: Json, [name, ...rest]: readonly string[]): void {
  if (typeof value !== 'object' || value === null || name === undefined) return;
  const members = value as { [name: string]: Json };
  for (const key of name === '*' ? Object.keys(members) : [name]) {
    if (rest.length === 0) delete members[key];
    else if (members[key] !== undefined) drop(members[key], rest);
  }
}

function comparable(events: readonly Json[], { differs = {} }: AuditedRequest): Json {
  const all = events.map((event) => masked(event));
  for (const at of Object.keys(differs))
    drop(
      all,
      at.split('.').map((name) => name.replaceAll('%2e', '.')),
    );
  return all;
}

describe.skipIf(kubeApiServerPath === undefined)(`audit events and those of a kube-apiserver${noKubeApiServer}`, () => {
  let etcd: RunningEtcd;
  let kube: KubeApiServer;
  let server: AuditedServer;
  let theirs: Side;
  let ours: Side;

  beforeAll(async () => {
    etcd = await startAnyEtcd();
    kube = await KubeApiServer.start(etcd.url, ['--audit-policy-file=DIRECTORY/policy.yaml', ...flags], {
      'policy.yaml': `apiVersion: audit.k8s.io/v1\nkind: Policy\n${policy}`,
    });
    server = await AuditedServer.start({ policy, flags: ['--authorization-mode=RBAC', ...flags] });
    theirs = {
      client: new Client(
        kube.port,
        await readFile(path.join(kube.directory, 'certs', 'apiserver.crt'), 'utf8'),
        'kubernetes',
      ),
      logPath: path.join(kube.directory, 'audit.log'),
    };
    ours = { client: server.client, logPath: server.logPath };
    for (const side of [ours, theirs]) await prepare(side);
  });

  afterAll(async () => {
    theirs?.client.close();
    await server?.[Symbol.asyncDispose]();
    await kube?.[Symbol.asyncDispose]();
    await etcd?.[Symbol.asyncDispose]();
  });

  async function prepare(side: Side): Promise<void> {
    const create = async (target: string, body: object): Promise<void> =>
      expect(await send(side, 'prepare', { name: '', method: 'POST', path: target, body }, '')).toBe(201);
    for (const name of namespaces) await create('/api/v1/namespaces', { metadata: { name } });
    await create(`${rbac}/clusterroles`, {
      metadata: { name: 'tester' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['*'] }],
    });
    await create(`${rbac}/clusterrolebindings`, {
      metadata: { name: 'tester' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'tester' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }],
    });
    await vi.waitFor(
      async () =>
        expect(
          await send(
            side,
            'prepare',
            { name: '', method: 'GET', path: '/api/v1/namespaces/full/configmaps', user: 'jane' },
            '',
          ),
        ).toBe(200),
      { timeout: 20_000, interval: 50 },
    );
  }

  describe.each(namespaces)('in namespace %s', (namespace) => {
    test.each(requests)('Audit events and those of a kube-apiserver: $name', async (request) => {
      const auditId = `${namespace}: ${request.name}`;
      const statuses = [await send(ours, auditId, request, namespace), await send(theirs, auditId, request, namespace)];
      expect(statuses[0]).toBe(statuses[1]);
      // The last event of a watch comes after the end of the answer.
      const [mine, reference] = await vi.waitFor(
        async () => {
          const found = [await eventsOf(ours, auditId), await eventsOf(theirs, auditId)] as const;
          expect(found[0].length).toBe(found[1].length);
          expect(found[1].length).toBeGreaterThan(0);
          return found;
        },
        { timeout: 10_000, interval: 50 },
      );
      expect(comparable(mine, request)).toEqual(comparable(reference, request));
    });
  });
});
