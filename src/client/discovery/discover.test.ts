import { describe, expect, it } from 'vitest';
import { discover } from './discover.ts';
import { failureMessage } from './resources.ts';
import type { PendingAnswer } from '../requests/sender.ts';

/** A server of documents by path. */
const serverOf = (documents: Readonly<Record<string, object>>) => ({
  request({ path }: { readonly path: string }): Promise<PendingAnswer> {
    const document = documents[path];
    const missing = { kind: 'Status', code: 503, reason: 'ServiceUnavailable', message: 'the backend is away' };
    return Promise.resolve({
      status: document === undefined ? 503 : 200,
      headers: new Headers({ 'content-type': 'application/json' }),
      body: [Buffer.from(JSON.stringify(document ?? missing))],
      end: () => undefined,
      release: () => undefined,
    } as unknown as PendingAnswer);
  },
});

const resource = (name: string, kind: string, verbs: readonly string[]): object => ({
  resource: name,
  responseKind: { group: '', version: '', kind },
  scope: 'Namespaced',
  verbs,
});
const aggregated = (items: readonly object[]): object => ({ kind: 'APIGroupDiscoveryList', items });
const version = (name: string, resources: readonly object[], freshness = 'Current'): object => ({
  version: name,
  freshness,
  resources,
});

const shown = async (documents: Readonly<Record<string, object>>): Promise<unknown> => {
  const discovery = await discover(serverOf(documents) as never);
  return {
    preferred: discovery.preferred.map(({ group, version, resource }) => `${group}/${version}/${resource}`),
    failures: Object.fromEntries(discovery.failures),
  };
};

const pods = { name: 'pods', kind: 'Pod', namespaced: true, verbs: ['list'] };
const status = { name: 'pods/status', kind: 'Pod', namespaced: true, verbs: ['get'] };

describe('what a server serves', () => {
  it.each([
    {
      name: 'is each resource in the first of the versions that have it',
      documents: {
        '/api': aggregated([{ metadata: {}, versions: [version('v1', [resource('pods', 'Pod', ['list'])])] }]),
        '/apis': aggregated([
          {
            metadata: { name: 'g' },
            versions: [
              version('v2', [resource('new', 'New', ['list'])]),
              version('v1', [resource('new', 'New', ['list']), resource('old', 'Old', ['list'])]),
            ],
          },
        ]),
      },
      expected: { preferred: ['/v1/pods', 'g/v2/new', 'g/v1/old'], failures: {} },
    },
    {
      name: 'is unknown in a version whose document is stale',
      documents: {
        '/api': aggregated([]),
        '/apis': aggregated([
          { metadata: { name: 'g' }, versions: [version('v1', [resource('a', 'A', ['list'])], 'Stale')] },
        ]),
      },
      expected: { preferred: [], failures: { 'g/v1': 'stale GroupVersion discovery: g/v1' } },
    },
    {
      name: 'is read version by version where documents are not aggregated',
      documents: {
        '/api': { kind: 'APIVersions', versions: ['v1'] },
        '/api/v1': { kind: 'APIResourceList', resources: [pods, status] },
        '/apis': {
          kind: 'APIGroupList',
          groups: [
            { name: 'g', versions: [{ version: 'v1' }, { version: 'v2' }], preferredVersion: { version: 'v2' } },
            { name: 'down', versions: [{ version: 'v1' }], preferredVersion: { version: 'v1' } },
          ],
        },
        '/apis/g/v1': { kind: 'APIResourceList', resources: [{ ...pods, name: 'a' }] },
        '/apis/g/v2': { kind: 'APIResourceList', resources: [{ ...pods, name: 'a' }] },
      },
      expected: { preferred: ['/v1/pods', 'g/v2/a'], failures: { 'down/v1': 'the backend is away' } },
    },
  ])('What a server serves: $name', async ({ documents, expected }) => {
    expect(await shown(documents as never)).toEqual(expected);
  });

  it('What a server serves is an error when the server cannot be asked', async () => {
    await expect(shown({ '/apis': aggregated([]) })).rejects.toMatchObject({ code: 503 });
  });

  it('What a server serves is found by kind in any version', async () => {
    const discovery = await discover(
      serverOf({
        '/api': aggregated([{ metadata: {}, versions: [version('v1', [resource('pods', 'Pod', ['list'])])] }]),
        '/apis': aggregated([]),
      }) as never,
    );
    expect(discovery.ofKind('v1', 'Pod')?.resource).toBe('pods');
    expect(discovery.ofKind('v2', 'Pod')).toBeUndefined();
  });

  it('What a server serves fails in the words of client-go', () => {
    const failures = new Map([
      ['b/v1', 'away'],
      ['a/v1', 'stale'],
    ]);
    expect(failureMessage(failures)).toBe(
      'unable to retrieve the complete list of server APIs: a/v1: stale, b/v1: away',
    );
  });
});
