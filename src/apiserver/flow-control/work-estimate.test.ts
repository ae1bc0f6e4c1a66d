import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { ObjectCounts } from './object-counts.ts';
import { estimateSeats } from './work-estimate.ts';

const counts = new Map([
  ['configmaps', 250],
  ['deployments.apps', 5000],
  ['secrets', 0],
]);

function seatsOf(target: string, method = 'GET', maxSeats = 10): number {
  const { pathname, searchParams } = new URL(target, 'http://localhost');
  const info = parseRequestInfo(method, pathname, searchParams);
  return estimateSeats(info, searchParams, { countOf: (resource) => counts.get(resource), maxSeats });
}

describe('seats of a request', () => {
  const list = '/api/v1/namespaces/ns/configmaps';
  test.each([
    { name: 'a read of one object', target: `${list}/a`, seats: 1 },
    { name: 'a list, by all objects of the resource', target: list, seats: 3 },
    { name: 'a first page, which goes through the cache', target: `${list}?limit=1`, seats: 3 },
    { name: 'a list from the cache', target: `${list}?resourceVersion=0`, seats: 3 },
    { name: 'a list of one name', target: `${list}?fieldSelector=metadata.name%3Df000`, seats: 1 },
    { name: 'a further page', target: `${list}?limit=20&continue=x`, seats: 1 },
    { name: 'a further page with a selector', target: `${list}?limit=200&continue=x&labelSelector=a`, seats: 5 },
    { name: 'a list at a version', target: `${list}?resourceVersion=5&resourceVersionMatch=Exact`, seats: 5 },
    { name: 'a list of many', target: '/apis/apps/v1/deployments', seats: 10 },
    { name: 'a list of none', target: '/api/v1/secrets', seats: 1 },
    { name: 'a list of what is not counted', target: '/apis/metrics.k8s.io/v1/pods', seats: 1 },
    { name: 'a list with a limit that is no number', target: `${list}?limit=nonsense`, seats: 10 },
    { name: 'a watch', target: `${list}?watch=1`, seats: 1 },
    { name: 'a watch that begins with a list', target: `${list}?watch=1&sendInitialEvents=true`, seats: 3 },
    { name: 'a path that is no resource', target: '/version', seats: 1 },
  ])('Seats are taken by $name', ({ target, seats }) => {
    expect(seatsOf(target)).toBe(seats);
  });

  test('A write takes one seat', () => {
    expect(seatsOf(list, 'POST')).toBe(1);
    expect(seatsOf(list, 'DELETE')).toBe(1);
  });

  test('A list takes no more seats than its level allows', () => {
    expect(seatsOf(list, 'GET', 2)).toBe(2);
  });
});

test('A count is not trusted when it was not renewed', async () => {
  const clock = new FakeClock();
  const counted = new ObjectCounts(clock);
  counted.set('pods', 5);
  counted.set('nodes', -1);
  await clock.advance(180_000);
  expect([counted.get('pods'), counted.get('nodes')]).toEqual([5, undefined]);
  await clock.advance(1);
  expect(counted.get('pods')).toBe(Infinity);
});
