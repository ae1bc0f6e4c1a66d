/** A case is played on a real cluster, and what came out otherwise is reported: the replay itself can fail. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/machinery/value.ts';
import { type Cluster, startCluster } from './cluster.ts';
import type { RecordedCase, RecordedStep } from './recording.ts';
import { replay } from './run.ts';
import { rulesOf } from './sections.ts';

const labels = { app: 'web' };
const podTemplate = {
  metadata: { labels },
  spec: { schedulerName: 'recorder', containers: [{ name: 'app', image: 'a:1' }] },
};
const set = (replicas: number): JsonObject => ({ replicas, selector: { matchLabels: labels }, template: podTemplate });
const path = '/apis/apps/v1/namespaces/ns-<u>/replicasets';

const shownSet = (replicas: number): JsonObject => ({
  metadata: { uid: '<uid:1>' },
  spec: set(replicas),
  status: { replicas, fullyLabeledReplicas: replicas, observedGeneration: '<generation>' },
});

const ownerReferences = [
  {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: 'web',
    uid: '<uid:1>',
    controller: true,
    blockOwnerDeletion: true,
  },
];

const shownPod = (uid: number): JsonObject => ({
  metadata: { generateName: 'web-', uid: `<uid:${uid}>`, labels, ownerReferences },
  spec: podTemplate.spec,
  status: { phase: 'Pending', qosClass: 'BestEffort' },
});

const event = (reason: string, verb: string, pod: number): string =>
  `Normal ${reason} ReplicaSet/web [replicaset-controller] ${verb} pod: web-<random:${pod}>`;

const created: RecordedStep = {
  request: { method: 'POST', path, body: { metadata: { name: 'web' }, spec: set(2) } },
  response: { status: 201 },
};

const snapshot = (pods: readonly number[], events: readonly string[]): RecordedStep =>
  ({
    settle: {},
    snapshot: {
      replicasets: { web: shownSet(pods.length) },
      pods: Object.fromEntries(pods.map((pod) => [`web-<random:${pod}>`, shownPod(pod + 1)])),
      events,
    },
  }) as unknown as RecordedStep;

const scaled: RecordedStep = {
  request: {
    method: 'PATCH',
    path: `${path}/web`,
    contentType: 'application/merge-patch+json',
    body: { spec: { replicas: 1 } },
  },
  response: { status: 200 },
};

/** Both pods are alike until one goes, which the recording numbers as the first. */
const steps: readonly RecordedStep[] = [
  created,
  snapshot(
    [1, 2],
    [1, 2].map((pod) => event('SuccessfulCreate', 'Created', pod)),
  ),
  scaled,
  snapshot([2], [event('SuccessfulDelete', 'Deleted', 1)]),
];

const caseOf = (changed: readonly RecordedStep[]): RecordedCase => ({
  id: 'two pods, then one',
  section: 'test',
  namespaces: ['ns-<u>'],
  steps: changed,
});

const changed = (from: string | RegExp, to: string): RecordedCase =>
  caseOf(JSON.parse(JSON.stringify(steps).replace(from, to)) as RecordedStep[]);

describe('the replay', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  test.concurrent.each<{ name: string; recorded: RecordedCase; expected: readonly string[] }>([
    { name: 'finds nothing where all is as recorded', recorded: caseOf(steps), expected: [] },
    {
      name: 'reports a message that is another',
      recorded: changed('Deleted pod:', 'Removed pod:'),
      expected: [
        'step 3, events:',
        `  - ${event('SuccessfulDelete', 'Removed', 1)}`,
        `  + ${event('SuccessfulDelete', 'Deleted', 1)}`,
      ],
    },
    {
      name: 'reports an event that was not recorded',
      recorded: changed(`,${JSON.stringify(event('SuccessfulCreate', 'Created', 2))}`, ''),
      expected: ['step 1, events:', `  + ${event('SuccessfulCreate', 'Created', 2)}`],
    },
    {
      name: 'reports an event about another object',
      recorded: changed(event('SuccessfulDelete', 'Deleted', 1), event('SuccessfulDelete', 'Deleted', 2)),
      expected: [
        'step 3, events:',
        `  - ${event('SuccessfulDelete', 'Deleted', 2)}`,
        `  + ${event('SuccessfulDelete', 'Deleted', 1)}`,
      ],
    },
    {
      name: 'reports another count',
      recorded: changed('"fullyLabeledReplicas":1', '"fullyLabeledReplicas":2'),
      expected: [
        'step 3, replicasets:',
        '  web',
        '    - status.fullyLabeledReplicas: 2',
        '    + status.fullyLabeledReplicas: 1',
      ],
    },
    {
      name: 'reports a request with another answer, and ends there',
      recorded: changed('"status":200', '"status":409'),
      expected: [expect.stringMatching(/^step 2: PATCH .* answers 200, not 409/) as string],
    },
  ])('The replay of controllers: $name', async ({ recorded, expected }) => {
    expect(await replay(recorded, cluster, rulesOf('controllers-replicaset'))).toEqual(expected);
  });
});
