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
import {
  dropTemplateFields,
  isChanged,
  templateRules,
  templateWarnings,
  workloadWarnings,
} from '../../core/pods/template.ts';
import type { ResourceStrategy, Strategy } from '../../strategy.ts';

export const daemonSetStrategy: ResourceStrategy<DaemonSet> = {
  generation: true,
  prepareForCreate(set, context) {
    checkTemplateGeneration(set);
    set.status = {};
    dropTemplateFields(set.spec.template, undefined, context);
    setTemplateGeneration(set, 1);
  },
  validate: (set, context) => validateDaemonSet(set, templateRules(context)),
  warningsOnCreate: workloadWarnings,

  prepareForUpdate(set, old, context) {
    checkTemplateGeneration(set);
    set.status = old.status;
    dropTemplateFields(set.spec.template, old.spec.template, context);
    const before = Number(old.metadata.annotations?.[templateGenerationAnnotation] ?? 0);
    setTemplateGeneration(set, isEqual(set.spec.template, old.spec.template) ? before : before + 1);
  },
  validateUpdate: (set, old, context) =>
    validateDaemonSetUpdate(set, old, templateRules(context, set.spec.template, old.spec.template)),
  warningsOnUpdate: (set, old) => (isChanged(set, old) ? templateWarnings(set.spec.template) : []),
  resetFields: [['status']],
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

export const daemonSetStatusStrategy: Strategy<DaemonSet> = {
  prepareForUpdate(set, old) {
    checkTemplateGeneration(set);
    set.spec = old.spec;
  },
  validateUpdate: validateDaemonSetStatusUpdate,
  resetFields: [['spec']],
};
