/**
 * Recorded answers of a 1.32 server about priority and fairness, replayed: which flow schema and which level each
 * request belongs to. Cases whose requests are held up by a webhook are not among them.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasShared, sharedPath } from '../../support/shared.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';

interface Step {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers?: Record<string, string>;
    readonly user?: 'admin' | 'alice';
    readonly body?: unknown;
  };
  readonly response: { readonly status?: number; readonly flowSchema?: string; readonly priorityLevel?: string };
}

interface Case {
  readonly id: string;
  readonly namespaces?: readonly string[];
  readonly steps: readonly Step[];
}

const replayed = [
  'dangling-not-used',
  'default-schemas-system',
  'no-headers',
  'match-resources',
  'match-cluster-scope',
  'match-paths',
  'match-subjects',
  'match-any-verb',
];
const group = '/apis/flowcontrol.apiserver.k8s.io/v1';

const casesOf = (text: string, token: string): Case[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line, i) => JSON.parse(line.replaceAll('<u>', `${token}${String(i).padStart(2, '0')}`)) as Case)
    .filter(({ id }) => replayed.includes(id));

/** Names of the objects whose uids are in the headers of an answer; undefined where it has none. */
async function namesOf(server: TestServer, headers: Readonly<Record<string, unknown>>): Promise<object> {
  const nameOf = async (resource: string, uid: unknown): Promise<string | undefined> => {
    if (uid === undefined) return undefined;
    const { items } = (await server.send('GET', `${group}/${resource}`)).json<{
      items: { metadata: { uid: string; name: string } }[];
    }>();
    return items.find(({ metadata }) => metadata.uid === uid)?.metadata.name ?? '<unknown>';
  };
  return {
    flowSchema: await nameOf('flowschemas', headers['x-kubernetes-pf-flowschema-uid']),
    priorityLevel: await nameOf('prioritylevelconfigurations', headers['x-kubernetes-pf-prioritylevel-uid']),
  };
}

/** Which level the writer of these has is not recorded. */
const setsUp = /^\/apis\/(flowcontrol\.apiserver|rbac\.authorization)\.k8s\.io\//;

/** What was written before is in effect a moment later: a read is repeated so often until then. */
const mostReads = 100;

async function replay(server: TestServer, { request, response }: Step): Promise<void> {
  if (request.method === '(wait)') return;
  const { status, flowSchema, priorityLevel } = response;
  const wanted = { status, flowSchema, priorityLevel };
  for (let left = request.method === 'GET' ? mostReads : 1; ; left--) {
    const answer = await server.send(request.method, request.path, {
      headers: request.headers ?? {},
      ...(request.user === undefined ? {} : { user: request.user }),
      ...(request.body === undefined ? {} : { body: request.body }),
    });
    const names = setsUp.test(request.path) ? {} : await namesOf(server, answer.headers);
    const found = { flowSchema: undefined, priorityLevel: undefined, ...names, status: answer.status };
    if (left > 1 && JSON.stringify(Object.entries(found).sort()) !== JSON.stringify(Object.entries(wanted).sort()))
      continue;
    expect(found, `${request.method} ${request.path}`).toEqual(wanted);
    return;
  }
}

describe.skipIf(!hasShared('golden'))('recorded flow schemas of requests (skipped without the recordings)', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({
      settled: true,
      flags: [
        '--authorization-mode=Node,RBAC',
        '--disable-admission-plugins=ServiceAccount',
        '--max-requests-inflight=20',
        '--max-mutating-requests-inflight=10',
      ],
    });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const cases = hasShared('golden')
    ? casesOf(readFileSync(sharedPath('golden', 'fairness.jsonl'), 'utf8'), 'uabcd')
    : [];
  test.each(cases)('Requests belong to the recorded flow schemas: $id', async ({ namespaces = [], steps }) => {
    for (const name of namespaces) await server.send('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
    for (const step of steps) await replay(server, step);
  });
});
