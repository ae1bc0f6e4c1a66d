import { describe, expect, test } from 'vitest';
import { type RecordedCase, replay, type ReplayTarget } from './replay.ts';

const definition = (version: string, status: unknown): unknown => ({ metadata: { name: 'things', resourceVersion: version }, status });

const recorded: RecordedCase = {
  name: 'a read that waits for a controller', form: 'protocol', namespaces: [],
  steps: [
    { request: { method: 'POST', path: '/things', body: {} }, response: { status: 201, body: definition('<rv:1>', {}) } },
    { request: { method: 'GET', path: '/things/things', repeatedUntil: { path: 'status.accepted', is: 'True' } }, response: { status: 200, body: definition('<rv:2>', { accepted: 'True' }) } },
  ],
};

/** Answers the requests in turn, the last one for ever. */
function answering(...bodies: readonly unknown[]): ReplayTarget['client'] {
  let next = 0;
  return {
    send: async ({ method }) => {
      const body = Buffer.from(JSON.stringify(bodies[Math.min(next++, bodies.length - 1)]));
      return { status: method === 'POST' ? 201 : 200, headers: { 'content-type': 'application/json' }, body };
    },
    open: () => Promise.reject(new Error('nothing is watched here')),
  };
}

const compact = async (): Promise<void> => undefined;

describe('a recorded read that was repeated until a condition held', () => {
  test('is repeated here too: an answer before its time binds nothing', async () => {
    const early = definition('7', {});
    expect(await replay(recorded, { client: answering(early, early, early, definition('9', { accepted: 'True' })), compact })).toEqual([]);
  });

  test('still has to be above the version before', async () => {
    expect(await replay(recorded, { client: answering(definition('7', {}), definition('6', { accepted: 'True' })), compact })).toEqual(['<rv:2> is not above <rv:1>']);
  });
});

test('a recorded read of an object that is being deleted is repeated until the server has come as far', async () => {
  const going = (version: string, status: unknown): unknown => ({ metadata: { name: 'a', resourceVersion: version, deletionTimestamp: '<time>' }, status });
  const step = { request: { method: 'GET', path: '/things/a' }, response: { status: 200, body: going('<rv:1>', 'cleaning up') } };
  const live = (version: string, status: unknown): unknown => ({ metadata: { name: 'a', resourceVersion: version, deletionTimestamp: '2026-01-01T00:00:00Z' }, status });
  expect(await replay({ name: 'going', form: 'protocol', namespaces: [], steps: [step] }, { client: answering(live('7', ''), live('8', 'cleaning up')), compact })).toEqual([]);
});

describe('a list that was recorded twice without a change', () => {
  const list = (version: string): unknown => ({ items: [], metadata: { resourceVersion: version } });
  const step = { request: { method: 'GET', path: '/things' }, response: { status: 200, body: list('<rv:1>') } };
  const twice: RecordedCase = { name: 'a list read twice', form: 'protocol', namespaces: [], steps: [step, step] };

  test.each([
    { name: 'may be newer the second time', versions: ['7', '9'], found: [] },
    { name: 'may not be older', versions: ['7', '6'], found: ['step 1 GET /things: metadata.resourceVersion: expected "<rv:1>", got "6"'] },
  ])('$name', async ({ versions, found }) => {
    expect(await replay(twice, { client: answering(...versions.map(list)), compact })).toEqual(found);
  });
});
