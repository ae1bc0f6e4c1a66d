import { describe, expect, test, vi } from 'vitest';
import type { Pod } from '../../../src/api/gen/types/core-v1.ts';
import { isReady, mainOf, pod, startHollowCluster } from './hollow-cluster.ts';

const hasRestarted =
  (times: number) =>
  (pod: Pod): boolean =>
    (mainOf(pod)?.restartCount ?? 0) === times && mainOf(pod)?.state.running !== undefined;
const isWaiting =
  (reason: string) =>
  (pod: Pod): boolean =>
    mainOf(pod)?.state.waiting?.reason === reason;

describe('stages of a file', () => {
  test('Containers crash by the stages of a file, are restarted, and back off', async () => {
    await using cluster = await startHollowCluster({
      stages: `
apiVersion: orch.io/v1alpha1
kind: Stage
metadata:
  name: crash
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchLabels: {app: crashes}
  delay: {durationMilliseconds: 1000}
  next:
    containers: {state: Terminated, exitCode: 137, reason: OOMKilled}
`,
    });
    const { client, clock } = cluster;
    await client.core.v1.pods.create(pod({ name: 'web', metadata: { labels: { app: 'crashes' } } }));
    await cluster.podUntil('web', hasRestarted(0));
    clock.advance(1000);
    const restarted = await cluster.podUntil('web', hasRestarted(1));
    expect(mainOf(restarted)!.lastState.terminated).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
    clock.advance(1000);
    const waiting = await cluster.podUntil('web', isWaiting('CrashLoopBackOff'));
    expect(mainOf(waiting)).toMatchObject({
      restartCount: 1,
      state: {
        waiting: {
          message: `back-off 10s restarting failed container=main pod=web_default(${waiting.metadata.uid})`,
        },
      },
      lastState: { terminated: { exitCode: 137 } },
    });
    expect(waiting.status.phase).toBe('Running');
    clock.advance(10_000);
    await cluster.podUntil('web', hasRestarted(2));
    clock.advance(1000);
    const later = await cluster.podUntil('web', isWaiting('CrashLoopBackOff'));
    expect(mainOf(later)!.state.waiting!.message).toMatch(/^back-off 20s /);
  });

  test("kwok's stages write the status, and the life cycle goes on from it", async () => {
    await using cluster = await startHollowCluster({
      stages: `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata:
  name: slow-start
spec:
  resourceRef:
    apiGroup: v1
    kind: Pod
  selector:
    matchExpressions:
    - key: '.status.podIP'
      operator: DoesNotExist
  delay:
    durationFrom:
      expressionFrom: '.metadata.annotations["start-delay"]'
  next:
    event: {type: Normal, reason: Slow, message: takes its time}
    statusTemplate: |
      {{ $now := Now }}
      startTime: {{ $now | Quote }}
      podIP: {{ PodIPWith .spec.nodeName false .metadata.uid .metadata.name .metadata.namespace | Quote }}
      containerStatuses:
      {{ range .spec.containers }}
      - name: {{ .name | Quote }}
        image: {{ .image | Quote }}
        imageID: ""
        ready: false
        restartCount: 0
        state:
          waiting:
            reason: ImagePullBackOff
      {{ end }}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata:
  name: image-is-there
spec:
  resourceRef: {kind: Pod}
  selector:
    matchExpressions:
    - key: '.status.containerStatuses.[].state.waiting.reason'
      operator: In
      values: [ImagePullBackOff]
    - key: '.metadata.labels["image"]'
      operator: Exists
  next:
    statusTemplate: |
      phase: Running
      containerStatuses:
      {{ range .spec.containers }}
      - name: {{ .name | Quote }}
        image: {{ .image | Quote }}
        imageID: ""
        ready: true
        restartCount: 0
        state:
          terminated: {exitCode: 1, reason: Error, startedAt: {{ Now | Quote }}, finishedAt: {{ Now | Quote }}}
      {{ end }}
`,
    });
    const { client, clock } = cluster;
    const pods = client.core.v1.pods.namespace('default');
    await pods.create(pod({ name: 'web', metadata: { annotations: { 'start-delay': '5s' } } }));
    await client.core.v1.pods.create(pod({ name: 'other', nodeName: 'elsewhere' }));
    await vi.waitFor(async () => {
      clock.advance(1000);
      expect((await pods.get('web')).status.podIP).toBeDefined();
    });
    const held = await cluster.podUntil('web', isWaiting('ImagePullBackOff'));
    expect(held.status).toMatchObject({ phase: 'Pending', podIP: '10.128.0.2' });
    clock.advance(60_000);
    expect(isWaiting('ImagePullBackOff')(await pods.get('web'))).toBe(true);
    await pods.patch('web', { merge: { metadata: { labels: { image: 'there' } } } });
    // The container that the stage ended is started again by its restart policy.
    const running = await cluster.podUntil('web', hasRestarted(1));
    expect(mainOf(running)!.lastState.terminated).toMatchObject({ exitCode: 1 });
    expect(running.status.podIP).toBe('10.128.0.2');
    expect((await pods.get('other')).status.podIP).toBeUndefined();
    await vi.waitFor(async () => {
      const { items } = await client.core.v1.events.list();
      expect(items).toMatchObject([{ reason: 'Slow', message: 'takes its time', involvedObject: { name: 'web' } }]);
    });
  });

  test('A stop that takes longer than the grace ends with a kill', async () => {
    await using cluster = await startHollowCluster({
      stages: `
apiVersion: orch.io/v1alpha1
kind: Stage
metadata: {name: slow-stop}
spec:
  resourceRef: {kind: Pod}
  selector: {}
  delay: {durationMilliseconds: 60000}
  next:
    containers: {state: Stopped, exitCode: 0}
`,
    });
    const { client, clock } = cluster;
    const pods = client.core.v1.pods.namespace('default');
    await pods.create(pod({ name: 'web' }));
    await cluster.podUntil('web', isReady);
    const states = cluster.statesUntilGone('web');
    await pods.delete('web', { gracePeriodSeconds: 5 });
    await cluster.podUntil('web', ({ metadata }) => metadata.deletionTimestamp !== undefined);
    expect((await pods.get('web')).status.phase).toBe('Running');
    clock.advance(5000);
    expect((await states).at(-1)!.status).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { exitCode: 137, reason: 'Error' } } }],
    });
  });

  test('A stage deletes a pod, and finalizers are added and removed', async () => {
    await using cluster = await startHollowCluster({
      stages: `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: hold}
spec:
  resourceRef: {kind: Pod}
  selector:
    matchExpressions:
    - {key: '.metadata.finalizers', operator: DoesNotExist}
    - {key: '.metadata.deletionTimestamp', operator: DoesNotExist}
  next:
    finalizers: {add: [{value: example.com/hold}]}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: let-go}
spec:
  resourceRef: {kind: Pod}
  selector:
    matchExpressions:
    - {key: '.metadata.deletionTimestamp', operator: Exists}
  delay: {durationMilliseconds: 1000}
  next:
    finalizers: {empty: true}
    delete: true
`,
    });
    const { client, clock } = cluster;
    const pods = client.core.v1.pods.namespace('default');
    await pods.create(pod({ name: 'web' }));
    const { metadata } = await cluster.podUntil('web', isReady);
    expect(metadata.finalizers).toEqual(['example.com/hold']);
    const states = cluster.statesUntilGone('web');
    await pods.delete('web');
    await vi.waitFor(async () => {
      clock.advance(1000);
      await expect(pods.get('web')).rejects.toThrow('not found');
    });
    expect((await states).at(-1)!.status.phase).toBe('Running');
  });

  test('A node becomes unready as a stage says', async () => {
    await using cluster = await startHollowCluster({
      count: 1,
      stages: `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: node-not-ready}
spec:
  resourceRef: {apiGroup: v1, kind: Node}
  selector:
    matchLabels: {broken: 'true'}
    matchExpressions:
    - {key: '.status.conditions.[] | select( .type == "Ready" ) | .status', operator: In, values: ['True']}
  next:
    statusTemplate: |
      conditions:
      - type: Ready
        status: "False"
        reason: broken
        message: {{ printf "%s is broken" NodeName | Quote }}
        lastHeartbeatTime: {{ Now | Quote }}
        lastTransitionTime: {{ Now | Quote }}
`,
    });
    const { client } = cluster;
    await vi.waitFor(() => client.core.v1.nodes.get('hollow-node-0'), { timeout: 10_000 });
    await client.core.v1.nodes.patch('hollow-node-0', { merge: { metadata: { labels: { broken: 'true' } } } });
    await vi.waitFor(async () => {
      const { status } = await client.core.v1.nodes.get('hollow-node-0');
      expect(status.conditions!.at(-1)).toMatchObject({ status: 'False', message: 'hollow-node-0 is broken' });
    });
  });
});
