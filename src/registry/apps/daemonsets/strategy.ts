import { templateGenerationAnnotation } from '../../../api/apps/daemon-set/defaults.ts';
import { validateDaemonSet, validateDaemonSetStatusUpdate, validateDaemonSetUpdate } from '../../../api/apps/daemon-set/validation.ts';
import type { DaemonSet } from '../../../api/gen/types/apps-v1.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { createMap } from '../../../machinery/value.ts';
import { dropTemplateFields, isChanged, podNameWarnings, templateRules, templateWarnings } from '../../core/pods/template.ts';
import type { ResourceStrategy, Strategy } from '../../strategy.ts';

export const daemonSetStrategy: ResourceStrategy<DaemonSet> = {
  generation: true,
  prepareForCreate(set, context) {
    set.status = {};
    dropTemplateFields(set.spec.template, undefined, context);
    setTemplateGeneration(set, 1);
  },
  validate: (set, context) => validateDaemonSet(set, templateRules(context)),
  warningsOnCreate: ({ metadata, spec }) => [...podNameWarnings(metadata), ...templateWarnings(spec.template)],

  prepareForUpdate(set, old, context) {
    set.status = old.status;
    dropTemplateFields(set.spec.template, old.spec.template, context);
    const before = Number(old.metadata.annotations?.[templateGenerationAnnotation] ?? 0);
    setTemplateGeneration(set, isEqual(set.spec.template, old.spec.template) ? before : before + 1);
  },
  validateUpdate: (set, old, context) => validateDaemonSetUpdate(set, old, templateRules(context, set.spec.template, old.spec.template)),
  warningsOnUpdate: (set, old) => (isChanged(set, old) ? templateWarnings(set.spec.template) : []),
  resetFields: [['status']],
};

/** The server alone counts: what a client sends is overwritten. */
function setTemplateGeneration({ metadata }: DaemonSet, generation: number): void {
  metadata.annotations ??= createMap();
  metadata.annotations[templateGenerationAnnotation] = String(generation);
}

export const daemonSetStatusStrategy: Strategy<DaemonSet> = {
  prepareForUpdate(set, old) {
    set.spec = old.spec;
  },
  validateUpdate: validateDaemonSetStatusUpdate,
  resetFields: [['spec']],
};
