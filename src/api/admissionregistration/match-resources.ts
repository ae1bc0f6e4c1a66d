import type { MatchResources } from '../gen/types/admissionregistration-v1.ts';
import { required } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import type { LabelSelector } from '../../machinery/label-selector.ts';
import { checkEnum } from '../meta/checks.ts';
import { checkLabelSelector } from '../meta/label-selector.ts';
import { checkNamedRule, setRuleDefaults } from './rules.ts';
import { matchPolicies } from './webhooks.ts';

export function setMatchResourcesDefaults(resources: MatchResources | undefined): void {
  if (resources === undefined) return;
  resources.matchPolicy ??= 'Equivalent';
  resources.namespaceSelector ??= {};
  resources.objectSelector ??= {};
  resources.resourceRules?.forEach(setRuleDefaults);
  resources.excludeResourceRules?.forEach(setRuleDefaults);
}

export function checkMatchResources(resources: MatchResources, path: FieldPath, errors: FieldErrors): void {
  if (resources.matchPolicy === undefined) errors.push(required(path.child('matchPolicy')));
  else checkEnum(resources.matchPolicy, matchPolicies, path.child('matchPolicy'), errors);
  checkSelector(resources.namespaceSelector, path.child('namespaceSelector'), errors);
  // Errors call it by another name than the field has.
  checkSelector(resources.objectSelector, path.child('labelSelector'), errors);
  resources.resourceRules?.forEach((rule, i) => checkNamedRule(rule, path.child('resourceRules').index(i), errors));
  resources.excludeResourceRules?.forEach((rule, i) =>
    checkNamedRule(rule, path.child('excludeResourceRules').index(i), errors),
  );
}

function checkSelector(selector: LabelSelector | undefined, path: FieldPath, errors: FieldErrors): void {
  if (selector === undefined) errors.push(required(path));
  else checkLabelSelector(selector, path, errors);
}
