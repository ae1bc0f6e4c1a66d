import {
  validateStatefulSet,
  validateStatefulSetStatusUpdate,
  validateStatefulSetUpdate,
} from '../../../api/apps/stateful-sets/validation.ts';
import { claimSpecWarnings } from '../../../api/core/volumes/claim-warnings.ts';
import type { StatefulSet } from '../../../api/gen/types/apps-v1.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { dropTemplateFields, isChanged, templateRules, templateWarnings } from '../../core/pods/template.ts';
import type { ResourceStrategy, Strategy, StrategyContext } from '../../strategy.ts';

const claimsPath = FieldPath.of('spec', 'volumeClaimTemplates');

export const statefulSetStrategy: ResourceStrategy<StatefulSet> = {
  generation: true,
  prepareForCreate(set, context) {
    set.status = {};
    dropDisabled(set, undefined, context);
  },
  validate: (set, context) => validateStatefulSet(set, templateRules(context)),
  warningsOnCreate: warningsOf,

  prepareForUpdate(set, old, context) {
    set.status = old.status;
    dropDisabled(set, old, context);
  },
  validateUpdate: (set, old, context) =>
    validateStatefulSetUpdate(set, old, templateRules(context, set.spec.template, old.spec.template)),
  warningsOnUpdate: (set, old) => (isChanged(set, old) ? warningsOf(set) : []),
  resetFields: [['status']],
};

function dropDisabled(set: StatefulSet, old: StatefulSet | undefined, context: StrategyContext): void {
  dropTemplateFields(set.spec.template, old?.spec.template, context);
  const { rollingUpdate } = set.spec.updateStrategy;
  const isUsed = old?.spec.updateStrategy.rollingUpdate?.maxUnavailable !== undefined;
  if (!context.enabled('MaxUnavailableStatefulSet') && !isUsed && rollingUpdate?.maxUnavailable !== undefined)
    rollingUpdate.maxUnavailable = undefined as never;
}

function* warningsOf({ spec }: StatefulSet): Generator<string> {
  yield* templateWarnings(spec.template);
  for (const [i, claim] of spec.volumeClaimTemplates?.entries() ?? [])
    yield* claimSpecWarnings(claim.spec, claimsPath.index(i).child('Spec'));
}

export const statefulSetStatusStrategy: Strategy<StatefulSet> = {
  prepareForUpdate(set, old) {
    set.spec = old.spec;
  },
  validateUpdate: validateStatefulSetStatusUpdate,
  resetFields: [['spec']],
};
