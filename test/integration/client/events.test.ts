/** Events as a server has them after they were recorded. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FakeClock } from '../../../src/base/testing/fake-clock.ts';
import { createEventRecorder } from '../../../src/client/events/recorder.ts';
import { createSeriesRecorder } from '../../../src/client/events/series-recorder.ts';
import { type ClientServer, startClientServer } from './client-server.ts';

let shared: ClientServer;
beforeAll(async () => {
  shared = await startClientServer();
});
afterAll(() => shared[Symbol.asyncDispose]());

const wallTime = (): number => Date.parse('2026-01-01T00:00:00.5Z');
const pod = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default', uid: 'u1' } });
const about = (name: string) =>
  shared.client.core.v1.events.namespace('default').list({
    fieldSelector: `involvedObject.name=${name}`,
  });

test('An event that is repeated is one event with a count', async () => {
  const recorder = createEventRecorder({ client: shared.client, component: 'tester', host: 'h', wallTime });
  for (let i = 0; i < 3; i++) recorder.event(pod('counted'), 'Warning', 'Failed', 'it failed');
  await recorder.flush();
  const { items } = await about('counted');
  expect(items).toMatchObject([
    {
      type: 'Warning',
      reason: 'Failed',
      message: 'it failed',
      count: 3,
      source: { component: 'tester', host: 'h' },
      reportingComponent: 'tester',
      reportingInstance: 'h',
      firstTimestamp: '2026-01-01T00:00:00Z',
      involvedObject: { kind: 'Pod', name: 'counted', namespace: 'default', uid: 'u1', apiVersion: 'v1' },
    },
  ]);
  await shared.client.core.v1.events.namespace('default').delete(items[0]!.metadata.name!);
  recorder.event(pod('counted'), 'Warning', 'Failed', 'it failed');
  await recorder.flush();
  expect((await about('counted')).items).toMatchObject([{ count: 4 }]);
  await recorder.stop();
});

test('An event of a cluster-wide object is in namespace default, and a long message is cut', async () => {
  const recorder = createEventRecorder({ client: shared.client, component: 'tester' });
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } };
  recorder.event(node, 'Normal', 'Long', 'x'.repeat(3000));
  await recorder.flush();
  const [event] = (await about('n')).items;
  expect(event?.message).toMatch(/^x{900,1021}\.\.\.$/);
});

test('Alike events of events.k8s.io are one event with a series, written again when it has ended', async () => {
  const clock = new FakeClock();
  const recorder = createSeriesRecorder({
    client: shared.client,
    reportingController: 'example.com/tester',
    reportingInstance: 'tester-0',
    clock,
    wallTime,
  });
  const record = (): void =>
    recorder.event({
      regarding: pod('series'),
      type: 'Normal',
      reason: 'Tried',
      action: 'Try',
      note: 'tried it',
    });
  const recorded = async () => {
    await recorder.flush();
    const { items } = await shared.client.events.v1.events.namespace('default').list();
    return items.filter(({ regarding }) => regarding.name === 'series');
  };
  record();
  const first = { note: 'tried it', action: 'Try', reportingController: 'example.com/tester' };
  expect(await recorded()).toMatchObject([first]);
  for (let i = 0; i < 4; i++) record();
  expect((await recorded()).map(({ series }) => series?.count)).toEqual([2]);
  await clock.advance(6 * 60_000);
  expect((await recorded()).map(({ series }) => series?.count)).toEqual([5]);
  record();
  expect(await recorded()).toHaveLength(2);
  const { metadata, ...changed } = pod('series');
  recorder.event({
    regarding: { ...changed, metadata: { ...metadata, resourceVersion: '2' } },
    type: 'Normal',
    reason: 'Tried',
    action: 'Try',
    note: 'tried it when it had changed',
  });
  recorder.event({
    regarding: pod('series'),
    type: 'Normal',
    reason: 'Tried',
    action: 'Try',
    note: 'tried something else',
  });
  const notes = ['tried it', 'tried it', 'tried it when it had changed', 'tried something else'];
  expect((await recorded()).map(({ note }) => note)).toEqual(notes);
  await recorder.stop();
});
