/**
 * Which requests belong together. @see {@link
 * https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#flowschema | FlowSchema}
 */
import type { FlowSchema, FlowSchemaSpec } from '../../gen/types/flowcontrol-v1.ts';
import { invalid, notSupported, required } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { isDns1123Subdomain } from '../../../machinery/formats/names.ts';
import { checkFormat } from '../../meta/checks.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta } from '../../meta/object-meta.ts';
import { checkFlowRule } from '../flow-rules.ts';
import { mandatoryFlowSchemas } from '../mandatory.ts';
import { checkStatusConditions } from '../status-conditions.ts';
import { shownStruct } from '../../shown-struct.ts';

const specPath = FieldPath.of('spec');
const defaultPrecedence = 1000;
const maxPrecedence = 10000;
const methods = ['ByNamespace', 'ByUser'];

export function setFlowSchemaDefaults({ spec }: FlowSchema): void {
  if ((spec.matchingPrecedence ?? 0) === 0) spec.matchingPrecedence = defaultPrecedence;
}

export function validateFlowSchema({ metadata, spec, status }: FlowSchema): FieldErrors {
  const { name = '' } = metadata;
  const errors = validateBuiltInMeta(metadata, { namespaced: false, validateName: subdomainName });
  checkSpec(spec, name, errors);
  const fixed = mandatoryFlowSchemas.get(name);
  if (fixed !== undefined && !isEqual(spec, fixed))
    errors.push(
      invalid(
        specPath,
        shownStruct('flowcontrol/v1.FlowSchemaSpec', spec),
        `spec of '${name}' must equal the fixed value`,
      ),
    );
  checkStatusConditions(status.conditions, errors);
  return errors;
}

export function validateFlowSchemaStatusUpdate({ status }: FlowSchema): FieldErrors {
  const errors = new FieldErrors();
  checkStatusConditions(status.conditions, errors);
  return errors;
}

function checkSpec(spec: FlowSchemaSpec, name: string, errors: FieldErrors): void {
  checkPrecedence(spec.matchingPrecedence ?? 0, name, specPath.child('matchingPrecedence'), errors);
  const method = spec.distinguisherMethod;
  if (method !== undefined && !methods.includes(method.type ?? ''))
    errors.push(
      notSupported(
        specPath.child('distinguisherMethod', 'type'),
        shownStruct('flowcontrol/v1.FlowDistinguisherMethod', method),
        methods,
      ),
    );
  const { name: level = '' } = spec.priorityLevelConfiguration;
  const levelPath = specPath.child('priorityLevelConfiguration', 'name');
  if (level === '') errors.push(required(levelPath, 'must reference a priority level'));
  else checkFormat(isDns1123Subdomain, level, levelPath, errors);
  spec.rules?.forEach((rule, i) => checkFlowRule(rule, specPath.child('rules').index(i), errors));
}

function checkPrecedence(precedence: number, name: string, path: FieldPath, errors: FieldErrors): void {
  if (precedence <= 0) errors.push(invalid(path, precedence, 'must be a positive value'));
  if (precedence > maxPrecedence) errors.push(invalid(path, precedence, `must not be greater than ${maxPrecedence}`));
  if (precedence === 1 && name !== 'exempt')
    errors.push(invalid(path, precedence, "only the schema named 'exempt' may have matchingPrecedence 1"));
}
