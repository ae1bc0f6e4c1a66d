/**
 * Pods of a Job carry its name and uid as labels, and it finds them by the uid, so that no other Job does.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/controllers/job/#specifying-your-own-pod-selector | Pod
 *   selectors of Jobs}
 */
import type { Job } from '../../gen/types/batch-v1.ts';
import type { ObjectMeta } from '../../gen/types/meta-v1.ts';
import { invalid, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { goStringMap } from '../../../machinery/go-quote.ts';
import { matchesLabels } from '../../../machinery/label-selector.ts';
import { createMap } from '../../../machinery/value.ts';
import { shownSelector } from '../../core/pod-templates/workload.ts';
import { understoodSelector } from '../../meta/label-selector.ts';

export const jobNameLabel = 'batch.kubernetes.io/job-name';
export const controllerUidLabel = 'batch.kubernetes.io/controller-uid';
const oldJobNameLabel = 'job-name';
const oldControllerUidLabel = 'controller-uid';

/** Labels that are there already stay, right or wrong: validation judges. Needs the uid. */
export function generateSelector({ metadata, spec }: Job): void {
  if (spec.manualSelector === true) return;
  const { name = '', uid = '' } = metadata;
  const labels = (spec.template.metadata.labels ??= createMap<string>());
  labels[oldJobNameLabel] ??= name;
  labels[jobNameLabel] ??= name;
  labels[oldControllerUidLabel] ??= uid;
  labels[controllerUidLabel] ??= uid;
  const selected = ((spec.selector ??= {}).matchLabels ??= createMap<string>());
  selected[controllerUidLabel] ??= uid;
}

/** Jobs of old servers have the labels without a prefix only. */
export const hasPrefixedLabels = ({ spec }: Job): boolean => {
  const { labels } = spec.template.metadata;
  return labels?.[jobNameLabel] !== undefined && labels[controllerUidLabel] !== undefined;
};

const specPath = FieldPath.of('spec');
const uidPath = FieldPath.of('metadata', 'uid');

export function checkGeneratedSelector(
  { metadata, spec }: Job,
  needsPrefixedLabels: boolean,
  errors: FieldErrors,
): void {
  if (spec.manualSelector === true || spec.selector === undefined) return;
  const { name = '', uid = '' } = metadata;
  if (uid === '') errors.push(required(uidPath));
  const expected: Record<string, string> = { [oldControllerUidLabel]: uid, [oldJobNameLabel]: name };
  if (needsPrefixedLabels) Object.assign(expected, { [controllerUidLabel]: uid, [jobNameLabel]: name });
  for (const label in expected) checkLabel(spec.template.metadata, label, expected[label]!, errors);
  const understood = understoodSelector(spec.selector);
  if (understood !== undefined && !matchesLabels(understood, expected))
    errors.push(invalid(specPath.child('selector'), shownSelector(spec.selector), '`selector` not auto-generated'));
}

/** An absent label is both missing and different. */
function checkLabel({ labels }: ObjectMeta, label: string, expected: string, errors: FieldErrors): void {
  const actual = labels?.[label];
  if (actual === expected) return;
  const path = specPath.child('template', 'metadata', 'labels').key(label);
  const detail = `must be '${expected}'`;
  if (actual === undefined) errors.push(required(path, detail));
  if ((actual ?? '') !== expected) errors.push(invalid(path, goStringMap(labels), detail));
}
