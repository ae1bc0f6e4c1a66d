/**
 * Which containers that have ended are kept. The newest instance of a container stays whatever the limits say: the
 * status of its pod is read from it. Pure.
 * @see {@link https://kubernetes.io/docs/concepts/architecture/garbage-collection/#container-image-garbage-collection |
 *   Container garbage collection}
 */
import type { DeadContainerLimits } from './pods-config.ts';
import { isRunning, nameOf, type RuntimeContainer } from './runtime-pod.ts';

/** What is too much of a pod. @param containers of the pod, the newest first */
export function tooManyOfPod(
  containers: readonly RuntimeContainer[],
  { perContainer, minAgeMs }: DeadContainerLimits,
  nowMs: number,
): readonly RuntimeContainer[] {
  if (perContainer < 0) return [];
  const ended = new Map<string, number>();
  const newest = new Set<string>();
  return containers.filter((container) => {
    const name = nameOf(container);
    const isNewest = !newest.has(name);
    newest.add(name);
    if (isRunning(container)) return false;
    const before = ended.get(name) ?? 0;
    ended.set(name, before + 1);
    return !isNewest && before >= perContainer && isOld(container, minAgeMs, nowMs);
  });
}

/** What is too much of all pods together: the oldest first. @param pods their containers, the newest first */
export function tooManyOfNode(
  pods: readonly (readonly RuntimeContainer[])[],
  { total, minAgeMs }: DeadContainerLimits,
  nowMs: number,
): readonly RuntimeContainer[] {
  if (total < 0) return [];
  const ended = pods.flatMap((containers) => containers.filter((container) => !isRunning(container)));
  const dispensable = pods
    .flatMap((containers) => {
      const newest = new Set<string>();
      return containers.filter((container) => {
        const isNewest = !newest.has(nameOf(container));
        newest.add(nameOf(container));
        return !isNewest && !isRunning(container) && isOld(container, minAgeMs, nowMs);
      });
    })
    .sort((a, b) => createdMs(a) - createdMs(b));
  return dispensable.slice(0, Math.max(0, ended.length - total));
}

const createdMs = ({ status }: RuntimeContainer): number => Number(BigInt(status.createdAt ?? 0) / 1_000_000n);

const isOld = (container: RuntimeContainer, minAgeMs: number, nowMs: number): boolean =>
  nowMs - createdMs(container) >= minAgeMs;
