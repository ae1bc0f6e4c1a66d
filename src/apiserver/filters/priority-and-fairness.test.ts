import { describe, expect, test } from 'vitest';
import type { FlowSchema, PriorityLevelConfiguration } from '../../api/gen/types/flowcontrol-v1.ts';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { allMetrics, MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { ClientGone, type ApiResponse, type Exchange } from '../../server/exchange.ts';
import { FlowControl } from '../flow-control/flow-control.ts';
import { FlowControlMetrics } from '../flow-control/flow-control-metrics.ts';
import type { PriorityLevel } from '../flow-control/priority-level.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { ApiRequest } from '../request/request.ts';
import { queueFairly } from './priority-and-fairness.ts';

const answer: ApiResponse = { status: 200, headers: {} };
const configMap = '/api/v1/namespaces/ns/configmaps/a';
const schema: FlowSchema = {
  metadata: { name: 'everyone' },
  spec: {
    priorityLevelConfiguration: { name: 'narrow' },
    matchingPrecedence: 2,
    distinguisherMethod: { type: 'ByUser' },
    rules: [
      {
        subjects: [{ kind: 'User', user: { name: '*' } }],
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }],
      },
    ],
  },
  status: {},
};
/** Beside the mandatory level of five shares: two seats of ten. */
const narrow = (limitResponse: object): PriorityLevelConfiguration => ({
  metadata: { name: 'narrow' },
  spec: {
    type: 'Limited',
    limited: { nominalConcurrencyShares: 1, borrowingLimitPercent: 0, limitResponse },
  } as PriorityLevelConfiguration['spec'],
  status: {},
});
const queuing = narrow({ type: 'Queue', queuing: { queues: 2, handSize: 1, queueLengthLimit: 2 } });
const seatsOfLevel = 2;

/** A request in the chain, whose handler ends when the test says so. */
interface Sent {
  readonly request: ApiRequest;
  /** What was answered, for those who send it. */
  readonly response: Promise<ApiResponse>;
  /** The exchange is over. */
  readonly close: () => void;
  readonly hasBegun: () => boolean;
  readonly end: (result: ApiResponse | Error) => void;
  /** Its code. */
  readonly answered: Promise<number>;
}

class Scene {
  readonly clock = new FakeClock();
  readonly registry = new MetricRegistry(allMetrics);
  readonly control = new FlowControl({
    seats: 10,
    clock: this.clock,
    countOf: () => undefined,
    metrics: new FlowControlMetrics(this.registry, () => this.clock.now()),
  });
  readonly inFlight: Record<string, number> = {};
  readonly inQueue: Record<string, number> = {};
  readonly level: PriorityLevel;
  readonly #filter = queueFairly(
    { control: this.control, requestTimeoutMs: 60_000, clock: this.clock },
    {
      terminated: () => undefined,
      inFlight: (kind, count) => void (this.inFlight[kind] = count),
      inQueue: (kind, count) => void (this.inQueue[kind] = count),
    },
  );

  constructor(level = queuing) {
    this.control.configure([level], [schema]);
    this.level = this.control.levels.find(({ name }) => name === 'narrow')!;
    expect(this.level.queues.limit).toBe(seatsOfLevel);
  }

  send(target = configMap, method = 'GET'): Sent {
    const [path = '', query = ''] = target.split('?');
    const closed: (() => void)[] = [];
    const onClose = (listener: () => void): void => void closed.push(listener);
    const exchange = { method, onClose } as unknown as Exchange;
    const request = new ApiRequest(exchange, path, new URLSearchParams(query), '', 0);
    request.info = parseRequestInfo(method, path, request.query);
    request.user = { name: 'alice', groups: [] };
    let end: Sent['end'] = () => undefined;
    const ended = new Promise<ApiResponse>((resolve, reject) => {
      end = (result) => (result instanceof Error ? reject(result) : resolve(result));
    });
    // It may never be asked for.
    ended.catch(() => undefined);
    let hasBegun = false;
    const answered = this.#filter(request, () => {
      hasBegun = true;
      return ended;
    });
    answered.catch(() => undefined);
    return {
      request,
      response: answered,
      close: () => closed.forEach((listener) => listener()),
      hasBegun: () => hasBegun,
      end,
      answered: answered.then(
        ({ status }) => status,
        (error: unknown) => (error as { code?: number }).code ?? 500,
      ),
    };
  }

  /** Requests that have all seats of the level. */
  fill(): Sent[] {
    return Array.from({ length: seatsOfLevel }, () => this.send());
  }

  get state() {
    const { running, waiting, seatsInUse, seatsWaiting, active, unqueued } = this.level.queues;
    return {
      counts: { running, waiting, seatsInUse, seatsWaiting, unqueued: unqueued.size },
      active: active.size,
    };
  }

  /** Everything is as before the first request: in the level, its queues, the metrics, and for those who come next. */
  async expectNothingKept(): Promise<void> {
    expect(this.state).toEqual({
      counts: { running: 0, waiting: 0, seatsInUse: 0, seatsWaiting: 0, unqueued: 0 },
      active: 0,
    });
    expect(Object.values(this.inFlight).filter((count) => count !== 0)).toEqual([]);
    const lines = (await this.registry.metrics()).split('\n');
    const current = lines.filter((line) => /^apiserver_flowcontrol_current_(executing|inqueue)_/.test(line));
    expect(current.filter((line) => !line.endsWith(' 0'))).toEqual([]);
    expect(this.clock.pending).toBe(0);
    const next = this.fill();
    await settled();
    expect(next.map(({ hasBegun }) => hasBegun())).toEqual([true, true]);
    for (const { end } of next) end(answer);
    expect(await Promise.all(next.map(({ answered }) => answered))).toEqual([200, 200]);
  }
}

const settled = (): Promise<void> => new Promise(setImmediate);

const pieces = (count: number) => Array.from({ length: count }, () => Buffer.from('piece'));

describe('seats of answers that are sent piece by piece', () => {
  const list = '/api/v1/pods';
  const held = { running: 1, seatsInUse: 1 };

  test.each<{ name: string; end: (sent: Sent, scene: Scene) => void | Promise<void> }>([
    { name: 'all of it is sent, or the client has gone', end: ({ close }) => close() },
    { name: 'the client takes nothing for two seconds', end: (_, { clock }) => clock.advance(2000) },
  ])('A list holds its seats until $name', async ({ end }) => {
    const scene = new Scene();
    const sent = scene.send(list);
    sent.end({ ...answer, chunks: pieces(3) });
    expect(await sent.answered).toBe(200);
    expect(scene.state.counts).toMatchObject(held);
    await end(sent, scene);
    await scene.expectNothingKept();
    sent.close();
    await scene.expectNothingKept();
  });

  test('A list whose client takes it slowly holds its seats until the time of its request is over', async () => {
    const scene = new Scene();
    const sent = scene.send(list);
    sent.end({ ...answer, chunks: pieces(100) });
    const { chunks } = (await sent.response) as { chunks: Iterable<Buffer> };
    let seconds = 0;
    for (const _ of chunks) {
      if (scene.state.counts.running === 0) break;
      await scene.clock.advance(1000);
      seconds++;
    }
    expect(seconds).toBe(60);
    await scene.expectNothingKept();
  });

  test('A list that is compressed holds its seats until the last of it is written', async () => {
    const scene = new Scene();
    const sent = scene.send(list);
    let written: () => void = () => undefined;
    sent.end({ ...answer, stream: () => new Promise((resolve) => (written = resolve)) });
    const { stream } = (await sent.response) as { stream: (sink: unknown) => Promise<void> };
    const streamed = stream({});
    expect(scene.state.counts).toMatchObject(held);
    written();
    await streamed;
    await scene.expectNothingKept();
  });
});

describe('seats of requests that end', () => {
  test.each<{ name: string; target?: string; method?: string; end: (sent: Sent) => void; code: number }>([
    { name: 'answered', end: ({ end }) => end(answer), code: 200 },
    { name: 'refused by its handler', end: ({ end }) => end(Object.assign(new Error(), { code: 404 })), code: 404 },
    { name: 'a handler that fails unexpectedly', end: ({ end }) => end(new TypeError('no')), code: 500 },
    {
      name: 'the client goes away, and the handler ends by its signal',
      end: ({ request, end }) => {
        request.signal.addEventListener('abort', () => end(Object.assign(new Error(), { code: 499 })));
        request.abort(new ClientGone());
      },
      code: 499,
    },
    {
      name: 'the client goes away, and the handler answers all the same',
      end: ({ request, end }) => (request.abort(new ClientGone()), end(answer)),
      code: 200,
    },
    {
      name: 'a watch that has begun: its body goes on',
      target: '/api/v1/pods?watch=1',
      end: ({ end }) => end({ ...answer, body: new ReadableStream() as never }),
      code: 200,
    },
    { name: 'a watch that is refused', target: '/api/v1/pods?watch=1', end: ({ end }) => end(new Error()), code: 500 },
    {
      name: 'another server answers, and fails',
      end: ({ request, end }) => (request.handOver(), end(new Error())),
      code: 500,
    },
    { name: 'a write', method: 'DELETE', end: ({ end }) => end(answer), code: 200 },
  ])('A request that ends gives its seat back once: $name', async ({ target, method, end, code }) => {
    const scene = new Scene();
    const sent = scene.send(target, method);
    expect(scene.state.counts).toMatchObject({ running: 1, seatsInUse: 1 });
    end(sent);
    expect(await sent.answered).toBe(code);
    await scene.expectNothingKept();
  });

  test.each<{ name: string; end: (sent: Sent, scene: Scene) => void | Promise<void>; code: number }>([
    { name: 'the client goes away', end: ({ request }) => request.abort(new ClientGone()), code: 429 },
    { name: 'it times out', end: (_, { clock }) => clock.advance(15_000), code: 429 },
  ])('A request that ends in its queue takes no seat: $name', async ({ end, code }) => {
    const scene = new Scene();
    const running = scene.fill();
    const sent = scene.send();
    expect(scene.state.counts).toMatchObject({ running: 2, waiting: 1, seatsWaiting: 1 });
    await end(sent, scene);
    expect(await sent.answered).toBe(code);
    expect(sent.hasBegun()).toBe(false);
    for (const one of running) one.end(answer);
    await settled();
    await scene.expectNothingKept();
  });

  test('A request whose client has gone before it is queued takes no seat', async () => {
    const scene = new Scene();
    const running = scene.fill();
    const sent = scene.send('/api/v1/pods?watch=1');
    sent.request.abort(new ClientGone());
    const gone = scene.send();
    gone.request.abort(new ClientGone());
    expect(await Promise.all([sent.answered, gone.answered])).toEqual([429, 429]);
    for (const one of running) one.end(answer);
    await settled();
    await scene.expectNothingKept();
  });

  test('A client that goes away in the moment in which its request gets seats leaves none behind', async () => {
    const scene = new Scene();
    const [first, second] = scene.fill();
    const sent = scene.send();
    void sent.request.signal;
    first!.end(answer);
    second!.end(answer);
    await first!.answered;
    sent.request.abort(new ClientGone());
    await settled();
    expect(sent.hasBegun()).toBe(true);
    sent.end(new ClientGone());
    expect(await sent.answered).toBe(500);
    await scene.expectNothingKept();
  });

  test.each([
    { name: 'the queue is full', level: queuing, waiting: 4 },
    { name: 'the level has no queues', level: narrow({ type: 'Reject' }), waiting: 0 },
  ])('A request that is refused takes no seat: $name', async ({ level, waiting }) => {
    const scene = new Scene(level);
    const sent = Array.from({ length: 20 }, () => scene.send());
    const allowed = sent.slice(0, 2);
    expect(scene.state.counts).toMatchObject({ running: 2, seatsInUse: 2 });
    expect(scene.state.counts.waiting).toBeLessThanOrEqual(waiting);
    for (const one of allowed) one.end(answer);
    for (const one of sent) one.end(answer);
    const codes = await Promise.all(sent.map(({ answered }) => answered));
    expect(new Set(codes)).toEqual(new Set([200, 429]));
    await scene.expectNothingKept();
  });

  test.each(['exec', 'attach', 'portforward', 'log', 'proxy'])(
    'An upgraded connection needs no seat, whatever runs: %s',
    async (subresource) => {
      const scene = new Scene();
      const running = scene.fill();
      const sent = scene.send(`/api/v1/namespaces/ns/pods/a/${subresource}`, 'POST');
      expect(sent.hasBegun()).toBe(true);
      expect(scene.state.counts).toMatchObject({ running: 2, waiting: 0 });
      for (const one of [sent, ...running]) one.end(answer);
      expect(await sent.answered).toBe(200);
      await settled();
      await scene.expectNothingKept();
    },
  );

  test.each<{ name: string; change: (scene: Scene) => void }>([
    { name: 'from queues to none', change: ({ control }) => control.configure([narrow({ type: 'Reject' })], [schema]) },
    {
      name: 'to fewer queues',
      change: ({ control }) =>
        control.configure(
          [narrow({ type: 'Queue', queuing: { queues: 1, handSize: 1, queueLengthLimit: 2 } })],
          [schema],
        ),
    },
    {
      name: 'away and back',
      change: ({ control }) => (control.configure([], []), control.configure([queuing], [schema])),
    },
  ])('A level that changes gets all seats back, of what runs and of what waits: $name', async ({ change }) => {
    const scene = new Scene();
    const sent = [...scene.fill(), scene.send(), scene.send()];
    change(scene);
    for (const one of sent) one.end(answer);
    expect(await Promise.all(sent.map(({ answered }) => answered))).toEqual([200, 200, 200, 200]);
    scene.control.configure([queuing], [schema]);
    await scene.expectNothingKept();
  });

  test('A level that is deleted is kept until the last of its requests has ended, and then forgotten', async () => {
    const scene = new Scene();
    const sent = [...scene.fill(), scene.send()];
    scene.control.configure([], []);
    const names = (): string[] => scene.control.levels.map(({ name }) => name);
    expect(names()).toContain('narrow');
    for (const one of sent) one.end(answer);
    expect(await Promise.all(sent.map(({ answered }) => answered))).toEqual([200, 200, 200]);
    expect(names()).not.toContain('narrow');
  });
});
