import {
  validateStatefulSet,
  validateStatefulSetStatusUpdate,
  validateStatefulSetUpdate,
} from '../../../api/apps/stateful-sets/validation.ts';
import { claimSpecWarnings } from '../../../api/core/volumes/claim-warnings.ts';
import type { StatefulSet } from '../../../api/gen/types/apps-v1.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isChanged, templateWarnings } from '../../core/pods/template.ts';
import { workloadStatusStrategy, workloadStrategy } from '../../workloads/strategy.ts';
import type { ResourceStrategy, StrategyContext } from '../../strategy.ts';

const claimsPath = FieldPath.of('spec', 'volumeClaimTemplates');

const workload = workloadStrategy<StatefulSet>({
  validate: validateStatefulSet,
  validateUpdate: validateStatefulSetUpdate,
});

export const statefulSetStrategy: ResourceStrategy<StatefulSet> = {
  ...workload,
  prepareForCreate(set, context) {
    workload.prepareForCreate(set, context);
    dropDisabled(set, undefined, context);
  },
  warningsOnCreate: warningsOf,

  prepareForUpdate(set, old, context) {
    workload.prepareForUpdate(set, old, context);
    dropDisabled(set, old, context);
  },
  warningsOnUpdate: (set, old) => (isChanged(set, old) ? warningsOf(set) : []),
};

function dropDisabled(set: StatefulSet, old: StatefulSet | undefined, context: StrategyContext): void {
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

export const statefulSetStatusStrategy = workloadStatusStrategy<StatefulSet>(validateStatefulSetStatusUpdate);
