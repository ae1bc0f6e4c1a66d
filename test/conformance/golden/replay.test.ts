import { describe, expect, test } from 'vitest';
import type { RecordedCase, RecordedStep } from './recording.ts';
import { replay, type ReplayTarget } from './replay.ts';

const definition = (version: string, status: unknown): unknown => ({
  metadata: { name: 'things', resourceVersion: version },
  status,
});

const recorded: RecordedCase = {
  name: 'a read that waits for a controller',
  servedVersion: 'protocol',
  namespaces: [],
  steps: [
    {
      request: { method: 'POST', path: '/things', body: {} },
      response: { status: 201, body: definition('<rv:1>', {}) },
    },
    {
      request: { method: 'GET', path: '/things/things', repeatedUntil: { path: 'status.accepted', is: 'True' } },
      response: { status: 200, body: definition('<rv:2>', { accepted: 'True' }) },
    },
  ],
};

/** Answers the requests in order, the last answer for all further ones. */
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
  test('A read that was repeated until a condition held is repeated here too', async () => {
    const early = definition('7', {});
    expect(
      await replay(recorded, {
        client: answering(early, early, early, definition('9', { accepted: 'True' })),
        compact,
      }),
    ).toEqual([]);
  });

  test('A read that was repeated until a condition held has to be above the version before', async () => {
    expect(
      await replay(recorded, {
        client: answering(definition('7', {}), definition('6', { accepted: 'True' })),
        compact,
      }),
    ).toEqual(['<rv:2> is not above <rv:1>']);
  });
});

test('A recorded read of an object that is being deleted is repeated until the server has come as far', async () => {
  const going = (version: string, status: unknown): unknown => ({
    metadata: { name: 'a', resourceVersion: version, deletionTimestamp: '<time>' },
    status,
  });
  const step = {
    request: { method: 'GET', path: '/things/a' },
    response: { status: 200, body: going('<rv:1>', 'cleaning up') },
  };
  const live = (version: string, status: unknown): unknown => ({
    metadata: { name: 'a', resourceVersion: version, deletionTimestamp: '2026-01-01T00:00:00Z' },
    status,
  });
  expect(
    await replay(
      { name: 'going', servedVersion: 'protocol', namespaces: [], steps: [step] },
      { client: answering(live('7', ''), live('8', 'cleaning up')), compact },
    ),
  ).toEqual([]);
});

describe('the version of a list, which grows with background writes of the server', () => {
  const list = (version: string): unknown => ({ items: [], metadata: { resourceVersion: version } });
  const table = (version: string): unknown => ({
    kind: 'Table',
    rows: [{ cells: ['a'], object: null }],
    metadata: { resourceVersion: version },
  });
  const object = (version: string): unknown => ({ metadata: { resourceVersion: version } });
  const read = (path: string, body: unknown): RecordedStep => ({
    request: { method: 'GET', path: `/api/v1/${path}` },
    response: { status: 200, body },
  });
  const wrong = (path: string, version: string): string =>
    `step 1 GET /api/v1/${path}: metadata.resourceVersion: expected "<${version}>", got`;
  const a = 'namespaces/default/things/a';

  test.each([
    {
      name: 'may be above that of the object before it',
      first: object,
      second: list,
      path: 'namespaces/default/things',
      versions: ['7', '9'],
      found: [],
    },
    {
      name: 'may be above it as a table',
      first: object,
      second: table,
      path: 'things',
      versions: ['7', '9'],
      found: [],
    },
    {
      name: 'may not be below it',
      first: object,
      second: list,
      path: 'things',
      versions: ['7', '6'],
      found: [`${wrong('things', 'from:1')} "6"`],
    },
    {
      name: 'may not be below it as a table',
      first: object,
      second: table,
      path: 'things',
      versions: ['7', '6'],
      found: [`${wrong('things', 'from:1')} "6"`],
    },
    {
      name: 'is the one of the request where that names it',
      first: object,
      second: list,
      path: 'things?resourceVersion=7&resourceVersionMatch=Exact',
      versions: ['7', '9'],
      found: [`${wrong('things?resourceVersion=7&resourceVersionMatch=Exact', 'exact:1')} "9"`],
    },
    {
      name: 'is not that of a table of one object',
      first: object,
      second: table,
      path: a,
      versions: ['7', '9'],
      found: [`${wrong(a, 'rv:1')} "9"`],
    },
  ])('The version of a list: $name', async ({ first, second, path, versions, found }) => {
    const bodies = [first(versions[0]!), second(versions[1]!)];
    expect(
      await replay(
        {
          name: 'an object and a list',
          servedVersion: 'protocol',
          namespaces: [],
          steps: [read(a, first('<rv:1>')), read(path, second('<rv:1>'))],
        },
        { client: answering(...bodies), compact },
      ),
    ).toEqual(found);
  });

  test.each([
    { name: 'is the same on each of its pages', versions: ['7', '9', '9'], found: [] },
    {
      name: 'does not change between its pages',
      versions: ['7', '9', '7'],
      found: ['step 2 GET /api/v1/things?limit=1&continue=x: metadata.resourceVersion: expected "<page:1>", got "7"'],
    },
  ])('The version of a list: $name', async ({ versions, found }) => {
    const steps = [
      read(a, object('<rv:1>')),
      read('things?limit=1', list('<rv:1>')),
      read('things?limit=1&continue=x', list('<rv:1>')),
    ];
    expect(
      await replay(
        { name: 'pages', servedVersion: 'protocol', namespaces: [], steps },
        { client: answering(object(versions[0]!), list(versions[1]!), list(versions[2]!)), compact },
      ),
    ).toEqual(found);
  });

  test('The version of a list is below that of an object that was written after it', async () => {
    const steps = [read('things', list('<rv:1>')), read(a, object('<rv:2>'))];
    expect(
      await replay(
        { name: 'a write after a list', servedVersion: 'protocol', namespaces: [], steps },
        { client: answering(list('7'), object('7')), compact },
      ),
    ).toEqual(['<from:1> is not below <rv:2>']);
  });
});
