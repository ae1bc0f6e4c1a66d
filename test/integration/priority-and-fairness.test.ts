/** Priority and fairness in a whole server: who waits for whom, and what clients are told. */
import https from 'node:https';
import { describe, expect, test } from 'vitest';
import { observed, type StoreCalls } from '../support/observed-store.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const flowControl = '/apis/flowcontrol.apiserver.k8s.io/v1';
const dumps = '/debug/api_priority_and_fairness';
const schemaHeader = 'x-kubernetes-pf-flowschema-uid';
const levelHeader = 'x-kubernetes-pf-prioritylevel-uid';

const objectNames = async (server: TestServer, resource: string): Promise<ReadonlyMap<string, string>> => {
  const { items } = (await server.send('GET', `${flowControl}/${resource}`)).json<{
    items: { metadata: { uid: string; name: string } }[];
  }>();
  return new Map(items.map(({ metadata }) => [metadata.uid, metadata.name]));
};

const level = (limitResponse: object) => ({
  metadata: { name: 'narrow' },
  spec: {
    type: 'Limited',
    limited: { nominalConcurrencyShares: 1, lendablePercent: 0, borrowingLimitPercent: 0, limitResponse },
  },
});
const schema = {
  metadata: { name: 'alice' },
  spec: {
    priorityLevelConfiguration: { name: 'narrow' },
    matchingPrecedence: 500,
    distinguisherMethod: { type: 'ByUser' },
    rules: [
      {
        subjects: [{ kind: 'User', user: { name: 'alice' } }],
        resourceRules: [{ verbs: ['*'], apiGroups: [''], resources: ['*'], namespaces: ['*'], clusterScope: true }],
      },
    ],
  },
};

/** The first list of a resource, which fills its cache. */
const fills =
  (resource: string) =>
  (method: string, args: readonly unknown[]): boolean =>
    method === 'list' && String(args[0]).includes(`/${resource}/`);

/** The level of alice: what waits and what runs. */
async function narrowLevel(server: TestServer): Promise<{ waiting: number; running: number; cancelled: number }> {
  const { text } = await server.send('GET', `${dumps}/dump_priority_levels`);
  const cells = text
    .split('\n')
    .find((line) => line.startsWith('narrow,'))!
    .split(',');
  return { waiting: Number(cells[4]), running: Number(cells[5]), cancelled: Number(cells[9]) };
}

/** Sends a request of alice. Returns what closes its connection. */
function sendAndLeave(server: TestServer, path: string): () => void {
  const headers = { authorization: 'Bearer alicetoken' };
  const sent = https.get(`${server.url}${path}`, { ca: server.ca, headers, agent: false });
  // It is closed before it is answered.
  sent.on('error', () => undefined);
  return () => void sent.destroy();
}

/** A server with a level of one seat for alice, and her first request, which has it until the store is released. */
async function withHeldSeat(
  limitResponse: object,
  check: (server: TestServer, end: () => Promise<number>, calls: StoreCalls) => Promise<void>,
): Promise<void> {
  const { calls, wrap } = observed();
  await using server = await startTestServer({
    flags: ['--max-requests-inflight=20', '--max-mutating-requests-inflight=10'],
    settled: true,
    wrap,
  });
  await server.send('POST', `${flowControl}/prioritylevelconfigurations`, { body: level(limitResponse) });
  await server.send('POST', `${flowControl}/flowschemas`, { body: schema });
  const isAlices = async (): Promise<boolean> => {
    const { headers } = await server.send('GET', configMaps, { user: 'alice' });
    return (await objectNames(server, 'flowschemas')).get(String(headers[schemaHeader])) === 'alice';
  };
  while (!(await isAlices()));
  calls.hang = fills('secrets');
  const reached = calls.next(calls.hang);
  const held = server.send('GET', '/api/v1/secrets', { user: 'alice' });
  await reached;
  try {
    const end = async (): Promise<number> => {
      calls.release();
      return (await held).status;
    };
    await check(server, end, calls);
  } finally {
    calls.release();
  }
}

test('A server starts, answers and stops without a warning of Node', async () => {
  const warnings: string[] = [];
  const note = ({ name, message }: Error): void => void warnings.push(`${name}: ${message}`);
  process.on('warning', note);
  try {
    await using server = await startTestServer({ settled: true });
    // A warning is told a tick after its cause.
    expect((await server.send('GET', configMaps)).status).toBe(200);
  } finally {
    process.off('warning', note);
  }
  expect(warnings).toEqual([]);
});

test('A server without priority and fairness names no flow schema, and has no pages about its queues', async () => {
  await using server = await startTestServer({ flags: ['--enable-priority-and-fairness=false'], settled: true });
  const { status, headers } = await server.send('GET', configMaps, { user: 'alice' });
  expect(status).toBe(200);
  expect(headers).not.toHaveProperty(schemaHeader);
  expect(headers).not.toHaveProperty(levelHeader);
  expect((await server.send('GET', `${dumps}/dump_priority_levels`)).status).toBe(404);
  expect((await server.send('GET', '/metrics')).text).not.toContain('apiserver_flowcontrol_');
});

describe('a level of one seat', () => {
  test('A level that rejects answers 429 in plain text, with the names of its objects, and others go on', () =>
    withHeldSeat({ type: 'Reject' }, async (server, end) => {
      const refused = await server.send('GET', configMaps, { user: 'alice', headers: { accept: 'application/yaml' } });
      expect(refused).toMatchObject({
        status: 429,
        headers: { 'content-type': 'text/plain; charset=utf-8', 'retry-after': '1' },
        text: 'Too many requests, please try again later.\n',
      });
      const [schemas, levels] = [
        await objectNames(server, 'flowschemas'),
        await objectNames(server, 'prioritylevelconfigurations'),
      ];
      expect(schemas.get(String(refused.headers[schemaHeader]))).toBe('alice');
      expect(levels.get(String(refused.headers[levelHeader]))).toBe('narrow');
      const admins = await server.send('GET', configMaps);
      expect(admins.status).toBe(200);
      expect(levels.get(String(admins.headers[levelHeader]))).toBe('exempt');
      expect(await end()).toBe(200);
      expect((await server.send('GET', configMaps, { user: 'alice' })).status).toBe(200);
    }));

  test('A request that waits in a queue is shown, gives up after a quarter of its time, or goes on', () =>
    withHeldSeat({ type: 'Queue', queuing: { queues: 2, handSize: 1, queueLengthLimit: 5 } }, async (server, end) => {
      expect((await server.send('GET', `${configMaps}?timeout=200ms`, { user: 'alice' })).status).toBe(429);
      const waiting = server.send('GET', configMaps, { user: 'alice' });
      const shown = async (): Promise<string | undefined> =>
        (await server.send('GET', `${dumps}/dump_requests?includeRequestDetails=1`)).text
          .replace(/ +/g, ' ')
          .split('\n')
          .find((line) => /^narrow, alice, \d, 0, /.test(line));
      while ((await shown()) === undefined);
      expect(await shown()).toMatch(/, alice, list, \S+configmaps, default, , v1, configmaps, $/);
      expect((await server.send('GET', `${dumps}/dump_priority_levels`)).text.replace(/ +/g, ' ')).toContain(
        'narrow, 1, false, false, 1, 1, ',
      );
      const { text } = await server.send('GET', '/metrics');
      const labels = 'flow_schema="alice",priority_level="narrow",reason="time-out"';
      expect(text).toContain(`apiserver_flowcontrol_rejected_requests_total{${labels}} 1`);
      expect(await end()).toBe(200);
      expect((await waiting).status).toBe(200);
      expect((await server.send('GET', `${dumps}/nonsense`)).status).toBe(404);
    }));

  test('A client that closes its connection leaves no seat taken, whether its request waits or runs', () =>
    withHeldSeat(
      { type: 'Queue', queuing: { queues: 2, handSize: 1, queueLengthLimit: 5 } },
      async (server, end, calls) => {
        const leaveQueue = sendAndLeave(server, configMaps);
        while ((await narrowLevel(server)).waiting === 0);
        leaveQueue();
        while ((await narrowLevel(server)).waiting > 0);
        expect(await narrowLevel(server)).toEqual({ waiting: 0, running: 1, cancelled: 1 });
        expect(await end()).toBe(200);
        calls.hang = fills('podtemplates');
        const reached = calls.next(calls.hang);
        const leave = sendAndLeave(server, '/api/v1/podtemplates');
        await reached;
        expect(await narrowLevel(server)).toMatchObject({ running: 1 });
        leave();
        while ((await narrowLevel(server)).running > 0);
        const watches = [1, 2].map(() => sendAndLeave(server, `${configMaps}?watch=1`));
        expect((await server.send('GET', configMaps, { user: 'alice' })).status).toBe(200);
        for (const close of watches) close();
        expect(await narrowLevel(server)).toMatchObject({ waiting: 0, running: 0 });
      },
    ));
});
