/** @see {@link https://kep.k8s.io/3521 | KEP-3521}: pods wait in the queue while they have gates. */
import { actions } from '../framework/cluster-event.ts';
import type { EnqueuePlugin, Has, PreEnqueuePlugin } from '../framework/plugin.ts';
import { unresolvable } from '../framework/status.ts';
import { isSamePod } from './shared/same-pod.ts';

const name = 'SchedulingGates';

export function createSchedulingGates(): Has<PreEnqueuePlugin & EnqueuePlugin> {
  return {
    name,
    preEnqueue({ pod }) {
      const gates = pod.spec.schedulingGates ?? [];
      if (gates.length === 0) return undefined;
      return unresolvable(name, `waiting for scheduling gates: [${gates.map((gate) => gate.name ?? '').join(' ')}]`);
    },
    events: [{ resource: 'UnscheduledPod', action: actions.updatePodGatesEliminated, hint: isSamePod }],
  };
}
