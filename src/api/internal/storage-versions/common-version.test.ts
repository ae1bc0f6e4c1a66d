import { expect, test } from 'vitest';
import type { StorageVersion } from '../../gen/types/apiserverinternal-v1alpha1.ts';
import { withServers } from './common-version.ts';

const nowMs = Date.UTC(2024, 0, 1);
const server = (apiServerID: string, encodingVersion: string) => ({ apiServerID, encodingVersion });
const empty = { metadata: { name: 'apps.deployments' }, spec: {}, status: {} } as StorageVersion;
const agreed = withServers(empty, [server('a', 'apps/v1')], 0);
const shown = ({ status: { commonEncodingVersion, conditions = [] } }: StorageVersion): unknown[] => [
  commonEncodingVersion,
  ...conditions.map(({ status, reason, lastTransitionTime }) => `${status} ${reason} ${lastTransitionTime}`),
];
const set = 'CommonEncodingVersionSet';

test.each([
  { name: 'of one server is its own', before: empty, servers: ['v1'], is: ['v1', `True ${set} 2024-01-01T00:00:00Z`] },
  {
    name: 'of servers that disagree is none',
    before: empty,
    servers: ['v1', 'v1beta1'],
    is: [undefined, 'False CommonEncodingVersionUnset 2024-01-01T00:00:00Z'],
  },
  {
    name: 'that does not change leaves the time of its condition',
    before: agreed,
    servers: ['apps/v1', 'apps/v1'],
    is: ['apps/v1', `True ${set} 1970-01-01T00:00:00Z`],
  },
  {
    name: 'that is another now gives its condition the time of now',
    before: agreed,
    servers: ['v2', 'v2'],
    is: ['v2', `True ${set} 2024-01-01T00:00:00Z`],
  },
])('The common version $name', ({ before, servers, is }) => {
  const list = servers.map((version, i) => server(`s${i}`, version));
  expect(shown(withServers(before, list, nowMs))).toEqual(is);
});
