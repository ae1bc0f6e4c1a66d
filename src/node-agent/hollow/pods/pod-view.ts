/** What is kept of the pods that the informer sees: tens of thousands of them are held by one process. */
import type { Container, Pod, PodPhase, PodSpec } from '../../../api/gen/types/core-v1.ts';
import { runSecondsAnnotation } from '../stages/default-stages.ts';

/** Of two states of a pod the later one: a write is known before the informer tells it. */
export function newerPod(seen: Pod, written: Pod | undefined): Pod {
  if (written === undefined) return seen;
  return Number(written.metadata.resourceVersion) > Number(seen.metadata.resourceVersion) ? written : seen;
}

/** A pod of another node: enough to know that. */
export const foreignPod = ({ metadata, spec }: Pod): Pod =>
  ({
    metadata: {
      name: metadata.name,
      namespace: shared(metadata.namespace),
      resourceVersion: metadata.resourceVersion,
    },
    spec: { nodeName: shared(spec.nodeName) },
    status: {},
  }) as Pod;

/**
 * What the life cycle and the built-in stages ask for.
 * @param withStatus for pods that are new to this process: some of them run already
 */
export function reducedPod({ metadata, spec, status }: Pod, withStatus: boolean): Pod {
  const seconds = metadata.annotations?.[runSecondsAnnotation];
  const { name, namespace, uid, resourceVersion, deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return {
    metadata: {
      name,
      namespace: shared(namespace),
      uid,
      resourceVersion,
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp, deletionGracePeriodSeconds }),
      ...(seconds === undefined ? {} : { annotations: { [runSecondsAnnotation]: seconds } }),
      ...(owner === undefined ? {} : { ownerReferences: [{ kind: shared(owner.kind) }] }),
    },
    spec: reducedSpec(spec),
    status: withStatus ? status : statusOfKnown(spec, status),
  } as Pod;
}

/** Others write conditions that readiness gates name. */
const statusOfKnown = ({ readinessGates }: PodSpec, { phase, conditions }: Pod['status']): Pod['status'] =>
  readinessGates === undefined ? statusOfPhase(phase) : { ...statusOfPhase(phase), conditions: conditions ?? [] };

const statuses = new Map<string, Pod['status']>();
const statusOfPhase = (phase: PodPhase = 'Pending'): Pod['status'] => remembered(statuses, phase, { phase });

function reducedSpec(spec: PodSpec): PodSpec {
  const { nodeName, terminationGracePeriodSeconds, activeDeadlineSeconds } = spec;
  const { restartPolicy, hostNetwork, readinessGates, containers, initContainers, ephemeralContainers } = spec;
  return {
    nodeName: shared(nodeName),
    restartPolicy: shared(restartPolicy),
    ...(hostNetwork === true ? { hostNetwork } : {}),
    ...(terminationGracePeriodSeconds === undefined ? {} : { terminationGracePeriodSeconds }),
    ...(activeDeadlineSeconds === undefined ? {} : { activeDeadlineSeconds }),
    ...(readinessGates === undefined ? {} : { readinessGates }),
    containers: reducedContainers(containers),
    ...(initContainers === undefined ? {} : { initContainers: reducedContainers(initContainers) }),
    ...(ephemeralContainers === undefined ? {} : { ephemeralContainers: reducedContainers(ephemeralContainers) }),
  } as PodSpec;
}

/** Pods that were made from one template share their containers. */
function reducedContainers<C extends Partial<Container>>(containers: readonly C[] = []): readonly C[] {
  const reduced = containers.map(({ name, image, restartPolicy, volumeMounts }) => ({
    name,
    image,
    ...(restartPolicy === undefined ? {} : { restartPolicy }),
    ...(volumeMounts === undefined || volumeMounts.length === 0 ? {} : { volumeMounts }),
  })) as unknown as readonly C[];
  return remembered(sharedContainers, JSON.stringify(reduced), reduced) as readonly C[];
}

const mostShared = 10_000;
const sharedContainers = new Map<string, readonly unknown[]>();
const sharedTexts = new Map<string, string>();

/** One text for many that are equal. */
const shared = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : remembered(sharedTexts, text, text);

function remembered<T>(known: Map<string, T>, key: string, value: T): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size >= mostShared) known.clear();
  known.set(key, value);
  return value;
}
