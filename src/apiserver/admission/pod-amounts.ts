import type { PodSpec } from '../../api/gen/types/core-v1.ts';
import { addAll, containerSums } from '../../api/core/pods/pod-resources.ts';

/** What a pod asks for as a whole: what its containers need at the same time, and the overhead on top. */
export function podAmounts(spec: PodSpec, part: 'requests' | 'limits'): Record<string, string> {
  const { overhead = {} } = spec;
  const running = containerSums(spec, part);
  for (const name of Object.keys(overhead))
    if (part === 'requests' || running.get(name)?.isZero() === false) addAll(running, { [name]: overhead[name]! });
  return Object.fromEntries([...running].map(([name, amount]) => [name, amount.toString()]));
}
