/** Which parts of the scheduler are there, by feature gates. */
import { type GateSettings, isGateOn } from '../api/feature-gates.ts';
import type { SchedulerFeatures } from '../scheduler/config/types.ts';

/** @param gates what was set, stages spelled out */
export const featuresOf = (gates: GateSettings): SchedulerFeatures => ({
  dynamicResources: isGateOn('DynamicResourceAllocation', gates),
  volumeCapacityPriority: isGateOn('VolumeCapacityPriority', gates),
});
