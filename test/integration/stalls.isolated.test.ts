/** What the log says of a request that holds up the event loop, wherever on its way through the server it does. */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AdmissionPlugin } from '../../src/registry/admission.ts';
import { configMaps } from '../../src/registry/core/config-maps/index.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { JsonBody } from '../../src/machinery/json/body.ts';
import { Encoder } from '../../src/apiserver/representation/encoder.ts';
import { holdUntilSeen } from '../../src/server/stall-detector/testing/stall.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

/** Where the next request is to be held up. */
const hold = vi.hoisted(() => ({ at: '' }));

function holdAt(step: string): void {
  if (hold.at !== step) return;
  hold.at = '';
  holdUntilSeen();
}

vi.mock(import('../../src/apiserver/admission/namespace-lifecycle.ts'), async (original) => {
  const { createNamespaceLifecycle } = await original();
  return {
    createNamespaceLifecycle: (options) => {
      const plugin = createNamespaceLifecycle(options);
      return {
        ...plugin,
        admit: async function admitSlowly(attributes) {
          await plugin.admit?.(attributes);
          holdAt('admission');
        },
      } satisfies AdmissionPlugin;
    },
  };
});

vi.mock(import('../../src/apiserver/representation/watch-events.ts'), async (original) => {
  const actual = await original();
  return {
    ...actual,
    watchRepresentation: (...of) => {
      const encoder = actual.watchRepresentation(...of);
      return {
        ...encoder,
        event: function encodeEventSlowly(event) {
          holdAt('an event of a watch');
          return encoder.event(event);
        },
      };
    },
  };
});

/** A method that is held up before it does what it does. */
function holdIn<T extends object, K extends keyof T & string>(target: T, method: K, step: string, name: string): void {
  const original = target[method] as (...args: unknown[]) => unknown;
  const held = {
    [name](this: unknown, ...args: unknown[]): unknown {
      holdAt(step);
      return original.apply(this, args);
    },
  };
  vi.spyOn(target as Record<string, (...args: unknown[]) => unknown>, method).mockImplementation(held[name]!);
}

const lines: Record<string, unknown>[] = [];
let wake: () => void = () => undefined;
let server: TestServer;
beforeAll(async () => {
  holdIn(JsonBody.prototype, 'typeMeta', 'decode', 'decodeSlowly');
  holdIn(configMaps.strategy, 'validate', 'validation', 'validateSlowly');
  holdIn(configMaps.strategy, 'validateUpdate', 'validation of an update', 'validateUpdateSlowly');
  holdIn(Encoder.prototype, 'json', 'serialization', 'encodeSlowly');
  holdIn(Encoder.prototype, 'jsonItem', 'serialization of an item', 'encodeItemSlowly');
  server = await startTestServer({
    flags: ['--event-loop-stall-threshold=100ms', '--authorization-mode=AlwaysAllow'],
    log: {
      ...silentLogger,
      warn: (details, message) => {
        if (message !== 'the event loop stood still') return;
        lines.push(details as Record<string, unknown>);
        wake();
      },
    },
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  vi.restoreAllMocks();
});
beforeEach(() => {
  lines.length = 0;
});

/** The line about the stall that this test made; a busy machine may make others. */
async function lineWith(frame: string): Promise<Record<string, unknown>> {
  for (;;) {
    const line = lines.find(({ stack }) =>
      (stack as string[]).some((text) => text.startsWith(`${frame} (`) || text.startsWith(`Object.${frame} (`)),
    );
    if (line !== undefined) return line;
    await new Promise<void>((resolve) => (wake = resolve));
  }
}

const collection = '/api/v1/namespaces/default/configmaps';
const named = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: 'b' } });

const rows: readonly {
  at: string;
  frame: string;
  method: string;
  path?: string;
  body?: unknown;
  headers?: Record<string, string>;
  verb: string;
  name?: string;
}[] = [
  { at: 'decode', frame: 'decodeSlowly', method: 'POST', body: named('decoded'), verb: 'create' },
  { at: 'admission', frame: 'admitSlowly', method: 'POST', body: named('admitted'), verb: 'create' },
  { at: 'validation', frame: 'validateSlowly', method: 'POST', body: named('validated'), verb: 'create' },
  {
    at: 'serialization',
    frame: 'encodeSlowly',
    method: 'GET',
    path: `${collection}/stored`,
    verb: 'get',
    name: 'stored',
  },
  { at: 'serialization of an item', frame: 'encodeItemSlowly', method: 'GET', verb: 'list' },
  {
    at: 'validation of an update',
    frame: 'validateUpdateSlowly',
    method: 'PUT',
    path: `${collection}/stored`,
    body: { ...named('stored'), data: { c: 'd' } },
    verb: 'update',
    name: 'stored',
  },
  {
    at: 'validation of an update',
    frame: 'validateUpdateSlowly',
    method: 'PATCH',
    path: `${collection}/stored`,
    body: { data: { e: 'f' } },
    headers: { 'content-type': 'application/merge-patch+json' },
    verb: 'patch',
    name: 'stored',
  },
];

describe('a request that holds up the event loop is named in the log', () => {
  beforeAll(async () => {
    expect((await server.send('POST', collection, { body: named('stored') })).status).toBe(201);
  });

  test.each(rows)(
    'A stalling request is named in the log in its $at: $verb',
    async ({ at, frame, method, path = collection, body, headers, verb, name }) => {
      hold.at = at;
      const { status } = await server.send(method, path, {
        user: 'alice',
        ...(body === undefined ? {} : { body }),
        ...(headers === undefined ? {} : { headers }),
      });
      expect(status).toBeLessThan(300);
      const line = await lineWith(frame);
      expect(line).toMatchObject({
        verb,
        resource: 'configmaps',
        version: 'v1',
        namespace: 'default',
        user: 'alice',
        ...(name === undefined ? {} : { name }),
      });
      expect(line['seconds']).toBeGreaterThan(0.1);
    },
  );

  test('A request that holds up the event loop in an event of its watch is named in the log', async () => {
    const target = `${collection}?watch=1&fieldSelector=metadata.name%3Dwatched`;
    const watch = server.send('GET', `${target}&timeoutSeconds=1`, { user: 'alice' });
    await server.send('GET', `${collection}/stored`); // the watch is there
    hold.at = 'an event of a watch';
    await server.send('POST', collection, { body: named('watched') });
    expect(await lineWith('encodeEventSlowly')).toMatchObject({ verb: 'watch', resource: 'configmaps', user: 'alice' });
    await watch;
  });

  test('A request that holds up the event loop is named in the log while others wait for their answers', async () => {
    hold.at = 'validation';
    const others = Array.from({ length: 8 }, (_, i) => server.send('GET', `${collection}/stored?other=${i}`));
    const slow = server.send('POST', collection, { user: 'alice', body: named('among-others') });
    await Promise.all([...others, slow]);
    expect(await lineWith('validateSlowly')).toMatchObject({ verb: 'create', user: 'alice' });
  });
});

test('Metrics count stalls and their seconds', async () => {
  const count = async (): Promise<number> =>
    Number(/^orch_event_loop_stalls_total (\d+)$/m.exec((await server.send('GET', '/metrics')).text)![1]);
  const before = await count();
  hold.at = 'validation';
  await server.send('POST', collection, { body: named('counted') });
  await lineWith('validateSlowly');
  expect(await count()).toBeGreaterThan(before);
  expect((await server.send('GET', '/metrics')).text).toMatch(/^orch_event_loop_stall_duration_seconds_count [1-9]/m);
});
