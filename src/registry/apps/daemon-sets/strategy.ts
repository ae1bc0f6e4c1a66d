import { templateGenerationAnnotation } from '../../../api/apps/daemon-sets/defaults.ts';
import {
  validateDaemonSet,
  validateDaemonSetStatusUpdate,
  validateDaemonSetUpdate,
} from '../../../api/apps/daemon-sets/validation.ts';
import type { DaemonSet } from '../../../api/gen/types/apps-v1.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { parseInteger } from '../../../machinery/parse-integer.ts';
import { badRequest } from '../../../machinery/status.ts';
import { createMap } from '../../../machinery/value.ts';
import { workloadStatusStrategy, workloadStrategy } from '../../workloads/strategy.ts';
import type { ResourceStrategy, Strategy } from '../../strategy.ts';

const workload = workloadStrategy<DaemonSet>({ validate: validateDaemonSet, validateUpdate: validateDaemonSetUpdate });

export const daemonSetStrategy: ResourceStrategy<DaemonSet> = {
  ...workload,
  prepareForCreate(set, context) {
    checkTemplateGeneration(set);
    workload.prepareForCreate(set, context);
    setTemplateGeneration(set, 1);
  },
  prepareForUpdate(set, old, context) {
    checkTemplateGeneration(set);
    workload.prepareForUpdate(set, old, context);
    const before = Number(old.metadata.annotations?.[templateGenerationAnnotation] ?? 0);
    setTemplateGeneration(set, isEqual(set.spec.template, old.spec.template) ? before : before + 1);
  },
};

/** Upstream keeps the count as a number, and reads it from the annotation with the rest of a body. */
function checkTemplateGeneration({ metadata }: DaemonSet): void {
  const count = metadata.annotations?.[templateGenerationAnnotation];
  try {
    if (count !== undefined) parseInteger(count);
  } catch (error) {
    throw badRequest(`DaemonSet in version "v1" cannot be handled as a DaemonSet: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** The server alone counts: what a client sends is overwritten. */
function setTemplateGeneration({ metadata }: DaemonSet, generation: number): void {
  metadata.annotations ??= createMap();
  metadata.annotations[templateGenerationAnnotation] = String(generation);
}

const statusOfWorkload = workloadStatusStrategy<DaemonSet>(validateDaemonSetStatusUpdate);

export const daemonSetStatusStrategy: Strategy<DaemonSet> = {
  ...statusOfWorkload,
  prepareForUpdate(set, old) {
    checkTemplateGeneration(set);
    statusOfWorkload.prepareForUpdate(set, old);
  },
};
