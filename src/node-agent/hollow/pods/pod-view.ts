/** What is kept of the pods that the informer sees: tens of thousands of them are held by one process. */
import type { Container, Pod, PodSpec } from '../../../api/gen/types/core-v1.ts';
import { runSecondsAnnotation } from '../stages/default-stages.ts';

export const isTerminal = ({ status }: Pick<Pod, 'status'>): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Of two states of a pod the later one: a write is known before the informer tells it. */
export function newerPod(seen: Pod, written: Pod | undefined): Pod {
  if (written === undefined) return seen;
  return Number(written.metadata.resourceVersion) > Number(seen.metadata.resourceVersion) ? written : seen;
}

/** A pod of another node: enough to know that. */
export const foreignPod = ({ metadata, spec }: Pod): Pod =>
  ({
    metadata: { name: metadata.name, namespace: metadata.namespace, resourceVersion: metadata.resourceVersion },
    spec: { nodeName: spec.nodeName },
    status: {},
  }) as Pod;

/**
 * What the life cycle and the built-in stages ask for.
 * @param withStatus for pods that are new to this process: some of them run already
 */
export function reducedPod({ metadata, spec, status }: Pod, withStatus: boolean): Pod {
  const seconds = metadata.annotations?.[runSecondsAnnotation];
  const { name, namespace, uid, resourceVersion, deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  const owners = (metadata.ownerReferences ?? []).filter(({ controller }) => controller === true);
  return {
    metadata: defined({
      name,
      namespace,
      uid,
      resourceVersion,
      deletionTimestamp,
      deletionGracePeriodSeconds,
      annotations: seconds === undefined ? undefined : { [runSecondsAnnotation]: seconds },
      ownerReferences: owners.length === 0 ? undefined : owners.map(({ kind = '' }) => ({ kind })),
    }),
    spec: reducedSpec(spec),
    status: withStatus ? status : statusOfKnown(spec, status),
  } as Pod;
}

/** Others write conditions that readiness gates name. */
const statusOfKnown = ({ readinessGates }: PodSpec, { phase, conditions }: Pod['status']): Pod['status'] =>
  readinessGates === undefined
    ? { phase: phase ?? 'Pending' }
    : { phase: phase ?? 'Pending', conditions: conditions ?? [] };

function reducedSpec(spec: PodSpec): PodSpec {
  const {
    nodeName,
    restartPolicy,
    hostNetwork,
    terminationGracePeriodSeconds,
    activeDeadlineSeconds,
    readinessGates,
    containers = [],
    initContainers,
    ephemeralContainers,
  } = spec;
  return defined({
    nodeName,
    restartPolicy,
    hostNetwork,
    terminationGracePeriodSeconds,
    activeDeadlineSeconds,
    readinessGates,
    containers: containers.map(reducedContainer),
    initContainers: initContainers?.map(reducedContainer),
    ephemeralContainers: ephemeralContainers?.map(reducedContainer),
  }) as PodSpec;
}

const reducedContainer = <C extends Partial<Container>>({ name, image, restartPolicy, volumeMounts }: C): C =>
  defined({ name, image, restartPolicy, volumeMounts: volumeMounts?.length === 0 ? undefined : volumeMounts }) as C;

/** Without members that are undefined: each of them takes memory. */
const defined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
