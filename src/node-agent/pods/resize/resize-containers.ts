/** Gives running containers what their pod has now: by the runtime, or by a new start where their policy says so. */
import type { Container, Pod } from '../../../api/gen/types/core-v1.ts';
import { runtimeErrorText } from '../../runtime/container-runtime.ts';
import { containerResources } from '../config/resources.ts';
import { allContainersOf, killOne } from '../kill-pod.ts';
import type { PodContext } from '../pod-context.ts';
import { isRunning, nameOf, type RuntimePod } from '../runtime-pod.ts';
import { writePodGroup } from './pod-group.ts';

/** @param pod with what it has. @returns whether anything was done, which the status shows next */
export async function resizeContainers(pod: Pod, runtimePod: RuntimePod, context: PodContext): Promise<boolean> {
  const { resizes, runtime, config } = context;
  if (resizes === undefined) return false;
  const uid = pod.metadata.uid ?? '';
  const specs = new Map(allContainersOf(pod).map((container) => [container.name, container]));
  let hasStopped = false;
  let hasChanged = false;
  for (const container of runtimePod.containers.filter(isRunning)) {
    const spec = specs.get(nameOf(container));
    if (spec?.role !== 'main') continue;
    const containerId = container.status.id ?? '';
    const action = resizes.actionOf(uid, containerId, spec.spec as Container);
    if (action === 'none') continue;
    // The group of the pod is as large as its containers, before and after them.
    if (!hasChanged) await writePodGroup(pod, config);
    hasChanged = true;
    if (action === 'restart') {
      hasStopped = true;
      const message = `Container ${spec.name} resize requires restart`;
      await killOne(pod, spec, container, context, { message });
      continue;
    }
    try {
      const linux = containerResources(spec.spec, pod.spec, config.resources);
      await runtime.updateContainerResources({ containerId, linux });
    } catch (error) {
      throw new Error(`container ${spec.name} could not be resized: ${runtimeErrorText(error)}`, { cause: error });
    }
    resizes.applied(uid, containerId, spec.spec as Container);
  }
  if (hasChanged) await writePodGroup(pod, config);
  const isDone = !hasStopped && resizes.done(uid);
  return hasChanged || isDone;
}
