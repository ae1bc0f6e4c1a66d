import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import type { ExtenderConfig } from '../config/types.ts';
import { emptyDiagnosis } from '../framework/fit-error.ts';
import { NodeStatuses } from '../framework/node-statuses.ts';
import { testCluster } from '../testing/cluster.ts';
import { podInfo } from '../testing/objects.ts';
import { Extenders } from './extenders.ts';
import { HttpExtender } from './http-extender.ts';

const never = new AbortController().signal;
const usual: Omit<ExtenderConfig, 'urlPrefix'> = {
  filterVerb: 'filter',
  preemptVerb: 'preempt',
  prioritizeVerb: 'score',
  bindVerb: 'bind',
  weight: 2,
  timeoutMs: 5000,
  nodeCacheCapable: true,
  managedResources: [],
  ignorable: false,
  enableHttps: false,
  tls: {},
};

class Service implements AsyncDisposable {
  readonly asked: { path: string; body: Record<string, unknown> }[] = [];
  readonly #server;
  readonly #extenders: Extenders[] = [];

  /** @param answers by path; a number is a status, and none where there is no row */
  constructor(answers: Readonly<Record<string, unknown>>) {
    this.#server = createServer((request, response) => {
      void request.toArray().then((chunks) => {
        const path = request.url!;
        this.asked.push({ path, body: JSON.parse(Buffer.concat(chunks as Buffer[]).toString()) as never });
        const answer = answers[path];
        if (answer === undefined) return;
        response.writeHead(typeof answer === 'number' ? answer : 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(answer));
      });
    });
  }

  async extenders(config: Partial<ExtenderConfig> = {}): Promise<Extenders> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const urlPrefix = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
    const extenders = new Extenders([new HttpExtender({ urlPrefix, ...usual, ...config })], silentLogger);
    this.#extenders.push(extenders);
    return extenders;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const extenders of this.#extenders) await extenders.close();
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const { cluster } = testCluster([{ name: 'a' }, { name: 'b' }, { name: 'c' }], [{ name: 'victim', node: 'a' }]);
const nodes = cluster.nodes;
const info = podInfo({ requests: { 'example.com/gpu': '1' } });

describe('an extender that filters', () => {
  const names = { NodeNames: ['a', 'c'], FailedNodes: { b: 'too far' } };
  test.each([
    { name: 'by name', answer: names, config: {} },
    {
      name: 'in members of another case',
      answer: { nodenames: ['a', 'c'], failedNodes: { b: 'too far' } },
      config: {},
    },
    {
      name: 'with whole nodes',
      answer: {
        Nodes: { items: [{ metadata: { name: 'a' } }, { metadata: { name: 'c' } }] },
        FailedNodes: { b: 'too far' },
      },
      config: { nodeCacheCapable: false },
    },
  ])('An extender that filters: $name leaves nodes, and says why others are left out', async ({ answer, config }) => {
    await using service = new Service({ '/filter': answer });
    const diagnosis = emptyDiagnosis(new NodeStatuses());
    const left = await (await service.extenders(config)).filter(info, nodes, diagnosis, never);
    expect(left.map(({ name }) => name)).toEqual(['a', 'c']);
    expect(diagnosis.statuses.get('b')).toMatchObject({ code: 'Unschedulable', reasons: ['too far'] });
    expect([...diagnosis.unschedulablePlugins]).toEqual(['Extender']);
    expect(service.asked[0]!.body['Pod']).toMatchObject({ metadata: { name: 'p' } });
  });

  test('An extender that filters can say that the removal of pods does not help', async () => {
    await using service = new Service({ '/filter': { NodeNames: [], FailedAndUnresolvableNodes: { a: 'never' } } });
    const diagnosis = emptyDiagnosis(new NodeStatuses());
    await (await service.extenders()).filter(info, nodes, diagnosis, never);
    expect(diagnosis.statuses.get('a')?.code).toBe('UnschedulableAndUnresolvable');
  });

  test.each([
    { name: 'answers an error', answer: { Error: 'no idea' }, message: 'no idea' },
    { name: 'answers another status', answer: 500, message: 'code 500' },
  ])(
    'An extender that filters and $name fails the attempt, unless it may be passed over',
    async ({ answer, message }) => {
      await using service = new Service({ '/filter': answer });
      const extenders = await service.extenders();
      const diagnosis = emptyDiagnosis(new NodeStatuses());
      await expect(extenders.filter(info, nodes, diagnosis, never)).rejects.toThrow(message);
      await using other = new Service({ '/filter': answer });
      const ignorable = await other.extenders({ ignorable: true });
      expect(await ignorable.filter(info, nodes, diagnosis, never)).toEqual(nodes);
    },
  );

  test('An extender that filters and does not answer in its time fails the attempt', async () => {
    await using service = new Service({});
    const extenders = await service.extenders({ timeoutMs: 20 });
    const failing = extenders.filter(info, nodes, emptyDiagnosis(new NodeStatuses()), never);
    await expect(failing).rejects.toThrow('timeout');
    expect(service.asked).toHaveLength(1);
  });

  test.each([
    { name: 'one of its resources', resource: 'example.com/gpu', calls: 1 },
    { name: 'none of its resources', resource: 'example.com/other', calls: 0 },
  ])('An extender that filters is asked about pods with $name $calls times', async ({ resource, calls }) => {
    await using service = new Service({ '/filter': names });
    const extenders = await service.extenders({ managedResources: [{ name: resource, ignoredByScheduler: false }] });
    await extenders.filter(info, nodes, emptyDiagnosis(new NodeStatuses()), never);
    expect(service.asked).toHaveLength(calls);
  });
});

test('Scores of extenders are added with their weight, and missing when it fails', async () => {
  await using service = new Service({
    '/score': [
      { Host: 'b', Score: 5 },
      { host: 'c', score: 10 },
    ],
  });
  const totals = Float64Array.from([1, 2, 3]);
  await (await service.extenders()).addScores(info, nodes, totals, never);
  expect([...totals]).toEqual([1, 102, 203]);
  await using broken = new Service({ '/score': 503 });
  await (await broken.extenders()).addScores(info, nodes, totals, never);
  expect([...totals]).toEqual([1, 102, 203]);
});

test('An extender binds in place of the plugins', async () => {
  await using service = new Service({ '/bind': {} });
  const extenders = await service.extenders();
  await extenders.binderOf(info)!.bind(info, 'a', never);
  expect(service.asked).toEqual([
    { path: '/bind', body: { PodName: 'p', PodNamespace: 'default', PodUID: 'default/p', Node: 'a' } },
  ]);
  await using refusing = new Service({ '/bind': { Error: 'no' } });
  await expect((await refusing.extenders()).binderOf(info)!.bind(info, 'a', never)).rejects.toThrow('no');
});

test('An extender says which pods give way', async () => {
  const victim = [...cluster.node('a')!.pods.values()][0]!;
  const candidates = ['a', 'b'].map((nodeName) => ({
    nodeName,
    victims: { pods: nodeName === 'a' ? [victim] : [], violations: 0 },
  }));
  await using service = new Service({
    '/preempt': { NodeNameToMetaVictims: { a: { Pods: [{ UID: victim.uid }], NumPDBViolations: 1 } } },
  });
  const left = await (await service.extenders()).narrow(info, candidates, cluster, never);
  expect(left).toEqual([{ nodeName: 'a', victims: { pods: [victim], violations: 1 } }]);
});
