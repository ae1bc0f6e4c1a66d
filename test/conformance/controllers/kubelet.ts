/** Plays the kubelet's part, as the recorded cases did. */
import type { JsonObject, JsonValue } from '../../../src/machinery/value.ts';
import type { Api, ReadObject } from './api.ts';
import type { KubeletStep } from './recording.ts';

interface Pod extends ReadObject {
  readonly spec: {
    readonly nodeName?: string;
    readonly schedulingGates?: readonly unknown[];
    readonly containers: readonly { readonly name: string; readonly image: string }[];
    readonly affinity?: {
      readonly nodeAffinity?: {
        readonly requiredDuringSchedulingIgnoredDuringExecution?: {
          readonly nodeSelectorTerms: readonly {
            readonly matchFields?: readonly { readonly key: string; readonly values: readonly string[] }[];
          }[];
        };
      };
    };
  };
  readonly status: {
    readonly phase: string;
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly { readonly restartCount: number }[];
  };
}

/** By creation, then by name, as all cases number what they pick. */
export const byAge = (a: ReadObject, b: ReadObject): number =>
  compare(a.metadata.creationTimestamp, b.metadata.creationTimestamp) || compare(a.metadata.name, b.metadata.name);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Whether an object has the label of a selector `label=value`. */
export function hasLabel(object: ReadObject, selector: string): boolean {
  const [label = '', value] = selector.split('=');
  return object.metadata.labels?.[label] === value;
}

/** Does one step for the pods of a namespace; how many pods it was done for. */
export async function play(api: Api, namespace: string, step: KubeletStep): Promise<number> {
  const pods = ((await api.list('pods', namespace)) as Pod[]).sort(byAge);
  const meant = pods.filter(
    (pod) =>
      (step.selector === undefined || hasLabel(pod, step.selector)) &&
      (step.name === undefined || pod.metadata.name === step.name) &&
      (step.on === undefined || pod.spec.nodeName === step.on),
  );
  const path = `/api/v1/namespaces/${namespace}/pods`;
  let done = 0;
  for (const pod of meant) {
    if (done >= (step.count ?? Infinity)) break;
    if (await playOne(api, `${path}/${pod.metadata.name}`, pod, step)) done++;
  }
  return done;
}

/** Whether there was something to do. Pods may be gone by then. */
async function playOne(api: Api, path: string, pod: Pod, step: KubeletStep): Promise<boolean> {
  const isGoing = pod.metadata.deletionTimestamp !== undefined;
  if (step.to === 'gone') {
    if (!isGoing) return false;
    await api.send('DELETE', path, { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 });
    return true;
  }
  if ((pod.spec.schedulingGates ?? []).length > 0) return false;
  if (step.to === 'bind') {
    const node = step.node ?? affineNode(pod);
    if (pod.spec.nodeName !== undefined || isGoing || node === undefined) return false;
    await api.send('POST', `${path}/binding`, {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: pod.metadata.name },
      target: { apiVersion: 'v1', kind: 'Node', name: node },
    });
    return true;
  }
  const isPassedOver = ['Succeeded', 'Failed'].includes(pod.status.phase) || (isGoing && step.terminating !== true);
  if (isPassedOver || isThere(pod, step)) return false;
  await api.send('PATCH', `${path}/status`, { status: statusOf(pod, step) }, 'application/strategic-merge-patch+json');
  return true;
}

/** The node that a DaemonSet made the pod for. */
function affineNode(pod: Pod): string | undefined {
  const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const fields = (terms ?? []).flatMap(({ matchFields }) => matchFields ?? []);
  return fields.find(({ key }) => key === 'metadata.name')?.values[0];
}

const phases = {
  ready: 'Running',
  running: 'Running',
  unready: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
} as const;

type State = keyof typeof phases;

function isThere({ status }: Pod, { to, ip, restarts }: KubeletStep): boolean {
  const isReady = (status.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True');
  return (
    status.phase === phases[to as State] &&
    isReady === (to === 'ready') &&
    (ip === undefined || ip === status.podIP) &&
    (restarts === undefined || restarts === status.containerStatuses?.[0]?.restartCount)
  );
}

function statusOf({ spec }: Pod, { to, ip, reason, exit, restarts = 0, conditions = [] }: KubeletStep): JsonObject {
  const state = to as State;
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const whyNot = state === 'succeeded' ? 'PodCompleted' : 'ContainersNotReady';
  const readiness =
    state === 'ready' ? { status: 'True', reason: null } : ({ status: 'False', reason: whyNot } satisfies JsonObject);
  return {
    phase: phases[state],
    startTime: now,
    ...(ip === undefined ? {} : { podIP: ip, podIPs: [{ ip }] }),
    ...(reason === undefined ? {} : { reason }),
    conditions: [
      ...['Initialized', 'PodScheduled'].map((type) => ({ type, status: 'True', lastTransitionTime: now })),
      ...['Ready', 'ContainersReady'].map((type) => ({ type, ...readiness, lastTransitionTime: now })),
      ...conditions.map((condition) => ({ lastTransitionTime: now, ...condition })),
    ],
    containerStatuses: spec.containers.map(({ name, image }) => ({
      name,
      image,
      imageID: '',
      ready: state === 'ready',
      started: phases[state] === 'Running',
      restartCount: restarts,
      lastState: {},
      state: containerState(state, now, exit),
    })),
  };
}

function containerState(state: State, now: string, exit: number | undefined): JsonValue {
  if (phases[state] === 'Running') return { running: { startedAt: now } };
  const [code, reason] = state === 'succeeded' ? [0, 'Completed'] : [1, 'Error'];
  return { terminated: { exitCode: exit ?? code, reason, startedAt: now, finishedAt: now } };
}
