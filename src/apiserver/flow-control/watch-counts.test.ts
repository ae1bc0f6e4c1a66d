import { expect, test } from 'vitest';
import { parseRequestInfo } from '../request/request-info.ts';
import { WatchCounts } from './watch-counts.ts';

const infoOf = (method: string, target: string) => {
  const url = new URL(target, 'https://server');
  return parseRequestInfo(method, url.pathname, url.searchParams);
};

const watches = [
  '/api/v1/pods?watch=1',
  '/api/v1/namespaces/a/pods?watch=1',
  '/api/v1/namespaces/a/pods?watch=1&fieldSelector=metadata.name%3Dx',
  '/api/v1/namespaces/b/pods?watch=1',
  '/apis/apps/v1/deployments?watch=1',
  '/api/v1/nodes?watch=1',
];

test.each([
  { name: 'a pod', target: '/api/v1/namespaces/a/pods/x', count: 3 },
  { name: 'another pod of the namespace', target: '/api/v1/namespaces/a/pods/y', count: 2 },
  { name: 'a new pod', method: 'POST', target: '/api/v1/namespaces/a/pods', count: 2 },
  { name: 'a pod of a namespace without watches', target: '/api/v1/namespaces/c/pods/x', count: 1 },
  { name: 'a node', target: '/api/v1/nodes/x', count: 1 },
  { name: 'a config map', target: '/api/v1/namespaces/a/configmaps/x', count: 0 },
])(
  'A write concerns the watches of its object, its namespace and its resource: $name',
  ({ method = 'PUT', target, count }) => {
    const counts = new WatchCounts();
    const ends = watches.map((watch) => counts.begin(infoOf('GET', watch)));
    expect(counts.concerned(infoOf(method, target))).toBe(count);
    for (const end of [...ends, ...ends]) end();
    expect(counts.concerned(infoOf(method, target))).toBe(0);
  },
);
