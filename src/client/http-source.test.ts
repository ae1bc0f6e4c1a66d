import { describe, expect, onTestFinished, test } from 'vitest';
import { FakeClock } from '../base/testing/fake-clock.ts';
import type { KubeObject } from '../machinery/object-meta.ts';
import { resourceExpired } from '../machinery/resource-expired.ts';
import { type Status, type StatusError, tooLargeResourceVersion, tooManyRequests } from '../machinery/status.ts';
import type { SourceListOptions } from '../reconcile/source.ts';
import { HttpSource, type HttpSourceOptions } from './http-source.ts';
import type { HttpAnswer, HttpFetch } from './http-fetch.ts';
import type { HttpWatch } from './http-watch.ts';

/** A body that the test writes. */
class Body implements AsyncIterable<Uint8Array> {
  readonly #chunks: Uint8Array[] = [];
  #end: { readonly error?: Error } | undefined;
  #wake: () => void = () => undefined;

  write(...texts: readonly (string | Uint8Array)[]): this {
    for (const text of texts) this.#chunks.push(typeof text === 'string' ? Buffer.from(text) : text);
    this.#wake();
    return this;
  }

  end(error?: Error): this {
    this.#end = error === undefined ? {} : { error };
    this.#wake();
    return this;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) yield chunk;
      else if (this.#end?.error !== undefined) throw this.#end.error;
      else if (this.#end !== undefined) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

const answer = (status: number, value: unknown): HttpAnswer => ({
  status,
  body: new Body().write(typeof value === 'string' ? value : JSON.stringify(value)).end(),
});
const failure = (error: StatusError): HttpAnswer => answer(error.code, error.toStatus());
const list = (names: readonly string[], resourceVersion: string, next?: string): HttpAnswer =>
  answer(200, {
    kind: 'PodList',
    apiVersion: 'v1',
    metadata: { resourceVersion, ...(next === undefined ? {} : { continue: next }) },
    items: names.map((name) => ({ metadata: { name, namespace: 'ns', resourceVersion: '1' } })),
  });

/** A source whose requests are answered one after the other. */
function setUp(answers: readonly (HttpAnswer | 'nothing')[], options: Partial<HttpSourceOptions> = {}) {
  const clock = new FakeClock();
  const paths: string[] = [];
  const left = [...answers];
  const fetch: HttpFetch = (path, { signal }) => {
    paths.push(path);
    const next = left.shift()!;
    if (next !== 'nothing') return Promise.resolve(next);
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  };
  const source = new HttpSource({ fetch, path: '/api/v1/pods', clock, random: () => 0.5, ...options });
  const read = async (
    more: Partial<SourceListOptions> = {},
  ): Promise<{ objects: KubeObject[]; versions: string[] }> => {
    const all = { objects: [] as KubeObject[], versions: [] as string[] };
    const { signal } = new AbortController();
    for await (const page of source.list({ notBefore: undefined, inPages: true, signal, ...more })) {
      all.objects.push(...page.objects);
      all.versions.push(page.version);
    }
    return all;
  };
  return { clock, paths, source, read };
}

const namesOf = (objects: readonly KubeObject[]): (string | undefined)[] =>
  objects.map(({ metadata }) => metadata?.name);

describe('a list over HTTP', () => {
  interface Row {
    readonly name: string;
    readonly options?: Partial<HttpSourceOptions>;
    readonly list?: Partial<SourceListOptions>;
    readonly answers: readonly HttpAnswer[];
    readonly paths: readonly string[];
  }

  test.each<Row>([
    {
      name: 'is any version of the cache at first',
      answers: [list(['a', 'b'], '7')],
      paths: ['/api/v1/pods?limit=500&resourceVersion=0'],
    },
    {
      name: 'is not older than what is known',
      list: { notBefore: '5' },
      answers: [list(['a', 'b'], '7')],
      paths: ['/api/v1/pods?limit=500&resourceVersion=5'],
    },
    {
      name: 'goes on with the token of each page',
      options: { pageSize: 1 },
      answers: [list(['a'], '7', 'x+y'), list(['b'], '7')],
      paths: ['/api/v1/pods?limit=1&resourceVersion=0', '/api/v1/pods?limit=1&continue=x%2By'],
    },
    {
      name: 'comes at once where pages would expire',
      list: { inPages: false },
      answers: [list(['a', 'b'], '7')],
      paths: ['/api/v1/pods?resourceVersion=0'],
    },
    {
      name: 'has the selectors',
      options: { labelSelector: 'app in (a,b)', fieldSelector: 'spec.nodeName=n' },
      answers: [list(['a', 'b'], '7')],
      paths: [
        '/api/v1/pods?limit=500&resourceVersion=0&labelSelector=app+in+%28a%2Cb%29&fieldSelector=spec.nodeName%3Dn',
      ],
    },
    {
      name: 'is the most recent when the known version has expired',
      list: { notBefore: '5' },
      answers: [failure(resourceExpired('too old')), list(['a', 'b'], '9')],
      paths: ['/api/v1/pods?limit=500&resourceVersion=5', '/api/v1/pods?limit=500'],
    },
    {
      name: 'is the most recent when the server has not come to the known version',
      list: { notBefore: '5' },
      answers: [failure(tooLargeResourceVersion('Too large resource version: 5, current: 3')), list(['a', 'b'], '3')],
      paths: ['/api/v1/pods?limit=500&resourceVersion=5', '/api/v1/pods?limit=500'],
    },
  ])('A list over HTTP: $name', async ({ options, list: how, answers, paths }) => {
    const t = setUp(answers, options);
    expect(namesOf((await t.read(how)).objects)).toEqual(['a', 'b']);
    expect(t.paths).toEqual(paths);
    expect(t.clock.pending).toBe(0);
  });

  test('A list over HTTP says of each object what it is', async () => {
    const { objects, versions } = await setUp([list(['a'], '7')]).read();
    expect(objects).toEqual([
      { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a', namespace: 'ns', resourceVersion: '1' } },
    ]);
    expect(versions).toEqual(['7']);
  });

  test('A list over HTTP of nothing has one page', async () => {
    const empty = answer(200, { kind: 'PodList', metadata: { resourceVersion: '7' }, items: null });
    expect(await setUp([empty]).read()).toEqual({ objects: [], versions: ['7'] });
  });

  test.each([
    {
      name: 'the Status of the server',
      failed: failure(tooManyRequests('slow down', 3)),
      error: { code: 429, message: 'slow down', details: { retryAfterSeconds: 3 } },
    },
    {
      name: 'what a server says that sends no Status',
      failed: answer(502, 'Bad Gateway'),
      error: { code: 502, message: 'the server answered with status 502: Bad Gateway' },
    },
    {
      name: 'a version that expires between pages',
      failed: failure(resourceExpired('The provided continue parameter is too old')),
      error: { code: 410, reason: 'Expired' },
    },
  ])('A list over HTTP fails with $name', async ({ failed, error }) => {
    const t = setUp([list(['a'], '7', 'next'), failed]);
    await expect(t.read()).rejects.toMatchObject(error);
    expect(t.clock.pending).toBe(0);
  });

  test('A list over HTTP of a server that says nothing is given up', async () => {
    const t = setUp(['nothing'], { requestTimeoutMs: 10_000 });
    const refused = expect(t.read()).rejects.toThrow('the server did not answer within 10 s');
    await t.clock.advance(10_000);
    await refused;
  });

  test('A list over HTTP is given up when it is asked to', async () => {
    const t = setUp(['nothing']);
    const abort = new AbortController();
    const refused = expect(t.read({ signal: abort.signal })).rejects.toThrow('stopping');
    abort.abort(new Error('stopping'));
    await refused;
    expect(t.clock.pending).toBe(0);
  });
});

const event = (type: string, name: string, resourceVersion: string): string =>
  `${JSON.stringify({ type, object: { kind: 'Pod', apiVersion: 'v1', metadata: { name, resourceVersion } } })}\n`;

async function openWatch(body: Body, options: Partial<HttpSourceOptions> = {}) {
  const t = setUp([{ status: 200, body }], options);
  const lines: string[] = [];
  const opened: { watch?: HttpWatch<KubeObject> } = {};
  const take = (): void => {
    for (const { type, object } of opened.watch?.take() ?? [])
      lines.push(`${type} ${object?.metadata?.name ?? ''}`.trim());
  };
  const watch = await t.source.watch({ after: '5', signal: new AbortController().signal, onReady: take });
  opened.watch = watch;
  onTestFinished(() => watch.close());
  /** Lets what was written arrive. */
  const settle = (): Promise<void> => t.clock.advance(0);
  return { ...t, lines, watch, settle };
}

describe('a watch over HTTP', () => {
  test('A watch over HTTP asks for bookmarks and for an end after five to ten minutes', async () => {
    const t = await openWatch(new Body());
    expect(t.paths).toEqual(['/api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion=5&timeoutSeconds=450']);
  });

  const two = event('ADDED', 'ä', '6') + event('DELETED', 'b', '7');
  const bytes = Buffer.from(two);

  test.each<{ name: string; chunks: readonly (string | Uint8Array)[] }>([
    { name: 'one chunk', chunks: [two] },
    { name: 'a chunk for each event', chunks: [event('ADDED', 'ä', '6'), event('DELETED', 'b', '7')] },
    { name: 'a chunk for each byte', chunks: Array.from(bytes, (_, i) => bytes.subarray(i, i + 1)) },
    {
      name: 'chunks with empty lines between events',
      chunks: [`\n${event('ADDED', 'ä', '6')}\n`, event('DELETED', 'b', '7')],
    },
  ])('A watch over HTTP reads events from $name', async ({ chunks }) => {
    const t = await openWatch(new Body().write(...chunks));
    await t.settle();
    expect([t.lines, t.watch.version]).toEqual([['ADDED ä', 'DELETED b'], '7']);
  });

  test('A watch over HTTP is where the last event or bookmark was that was taken', async () => {
    const body = new Body();
    const t = await openWatch(body);
    expect(t.watch.version).toBe('5');
    body.write(event('MODIFIED', 'a', '8'));
    await t.settle();
    expect(t.watch.version).toBe('8');
    body.write(event('BOOKMARK', '', '20'));
    await t.settle();
    expect([t.watch.version, t.lines]).toEqual(['20', ['MODIFIED a', 'BOOKMARK']]);
  });

  interface End {
    readonly name: string;
    readonly end: (body: Body) => void;
    readonly lines?: readonly string[];
    readonly error: object | undefined;
  }

  const error410: Status = resourceExpired('too old resource version').toStatus();

  test.each<End>([
    { name: 'without an error when its time is over', end: (body) => body.end(), error: undefined },
    {
      name: 'with the error of a connection that broke',
      end: (body) => body.end(new Error('ECONNRESET')),
      error: { message: 'ECONNRESET' },
    },
    {
      name: 'without half an event, when the connection ends in it',
      end: (body) => body.write('{"type":"ADDED","object":{"meta').end(),
      error: undefined,
    },
    {
      name: 'with the Status that the server sends, after the events before it',
      end: (body) =>
        body.write(event('ADDED', 'a', '6') + JSON.stringify({ type: 'ERROR', object: error410 }) + '\n').end(),
      lines: ['ADDED a'],
      error: { code: 410, reason: 'Expired', message: 'too old resource version' },
    },
    {
      name: 'with an error where it cannot be read',
      end: (body) => body.write('<html>\n').end(),
      error: { name: 'JsonSyntaxError' },
    },
  ])('A watch over HTTP ends $name', async ({ end, lines = [], error }) => {
    const body = new Body();
    const t = await openWatch(body);
    end(body);
    await t.settle();
    expect(t.lines).toEqual(lines);
    expect(t.watch.ended).toBeDefined();
    if (error === undefined) expect(t.watch.ended?.error).toBeUndefined();
    else expect(t.watch.ended?.error).toMatchObject(error);
    expect(t.clock.pending).toBe(0);
  });

  test('A watch over HTTP is given up when the server does not end it, half a minute after its time', async () => {
    const aborts: Error[] = [];
    const body = new Body();
    const clock = new FakeClock();
    const source = new HttpSource({
      path: '/api/v1/pods',
      clock,
      random: () => 0,
      minWatchSeconds: 60,
      fetch: (_, { signal }) => {
        signal.addEventListener('abort', () => {
          aborts.push(signal.reason as Error);
          body.end(signal.reason as Error);
        });
        return Promise.resolve({ status: 200, body });
      },
    });
    const watch = await source.watch({ after: '5', signal: new AbortController().signal, onReady: () => undefined });
    await clock.advance(89_999);
    expect(watch.ended).toBeUndefined();
    await clock.advance(1);
    expect(watch.ended?.error).toMatchObject({ name: 'TimeoutError' });
    expect(aborts).toHaveLength(1);
  });

  test('A watch over HTTP that does not begin is given up in time', async () => {
    const t = setUp(['nothing'], { requestTimeoutMs: 10_000 });
    const { signal } = new AbortController();
    const refused = expect(t.source.watch({ after: '5', signal, onReady: () => undefined })).rejects.toThrow(
      'the server did not answer within 10 s',
    );
    await t.clock.advance(10_000);
    await refused;
    expect(t.clock.pending).toBe(0);
  });

  test('A watch over HTTP that is refused rejects with the Status of the server', async () => {
    const t = setUp([failure(resourceExpired('too old'))]);
    const { signal } = new AbortController();
    await expect(t.source.watch({ after: '5', signal, onReady: () => undefined })).rejects.toMatchObject({ code: 410 });
    expect(t.clock.pending).toBe(0);
  });

  test('A watch over HTTP ends its connection when it is closed, and tells nothing any more', async () => {
    const body = new Body();
    const t = await openWatch(body);
    t.watch.close();
    body.write(event('ADDED', 'a', '6'));
    await t.settle();
    expect([t.lines, t.clock.pending]).toEqual([[], 0]);
  });
});
