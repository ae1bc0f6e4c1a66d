/** What kinds that keep pods running demand of their selector and template. */
import type { PodTemplateSpec } from '../../gen/types/core-v1.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { type GoSyntax, goStringMap } from '../../../machinery/go-quote.ts';
import { type LabelSelector, matchesLabels, nothing, type Requirements } from '../../../machinery/label-selector.ts';
import { checkLabelSelector, isEmptySelector, type LabelSelectorRules } from '../../meta/label-selector.ts';
import { shownStruct } from '../../shown-struct.ts';

export const shownSelector = (selector: LabelSelector | undefined): GoSyntax =>
  shownStruct('meta/v1.LabelSelector', selector);

/** `kind` is how messages name the owner. */
export function checkSelector(
  selector: LabelSelector | undefined,
  kind: string,
  path: FieldPath,
  errors: FieldErrors,
  rules: LabelSelectorRules = {},
): void {
  if (selector === undefined) return void errors.push(required(path));
  checkLabelSelector(selector, path, errors, rules);
  if (isEmptySelector(selector))
    errors.push(invalid(path, shownSelector(selector), `empty selector is invalid for ${kind}`));
}

export const mismatchedLabels = ({ metadata: { labels } }: PodTemplateSpec, path: FieldPath): FieldError =>
  invalid(path.child('metadata', 'labels'), goStringMap(labels), '`selector` does not match template `labels`');

/** The pods of the template must be those that the selector finds. `path` is that of the template. */
export function checkSelectsTemplate(
  template: PodTemplateSpec,
  selector: Requirements,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (selector !== nothing && selector.length === 0) return;
  if (!matchesLabels(selector, template.metadata.labels)) errors.push(mismatchedLabels(template, path));
}

/** Pods that are to run for ever are always restarted and have no deadline. */
export function checkAlwaysRunning(
  { spec: { restartPolicy, activeDeadlineSeconds } }: PodTemplateSpec,
  kind: string,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (restartPolicy !== 'Always')
    errors.push(notSupported(path.child('spec', 'restartPolicy'), restartPolicy ?? '', ['Always']));
  if (activeDeadlineSeconds !== undefined)
    errors.push(
      forbidden(path.child('spec', 'activeDeadlineSeconds'), `activeDeadlineSeconds in ${kind} is not Supported`),
    );
}
