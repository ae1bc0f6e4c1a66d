/** Attributes as a SubjectAccessReview, for services that judge them and for conditions about them. */
import type { FieldTerm } from '../../../machinery/field-selector.ts';
import type { Requirement } from '../../../machinery/label-selector.ts';
import type { AuthorizationAttributes } from '../authorizer.ts';

/** `spec` of a review of authorization.k8s.io/v1. */
export interface ReviewSpec {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly resourceAttributes?: Readonly<Record<string, unknown>>;
  readonly nonResourceAttributes?: { readonly path: string; readonly verb: string };
}

/** @param withSelectors feature gate AuthorizeWithSelectors */
export function reviewSpec(attributes: AuthorizationAttributes, withSelectors: boolean): ReviewSpec {
  const { user, verb, path, isResourceRequest } = attributes;
  const { name, uid = '', groups, extra } = user;
  return {
    ...(isResourceRequest ? { resourceAttributes: resourceOf(attributes, withSelectors) } : { nonResourceAttributes: { path, verb } }),
    user: name, ...(groups.length === 0 ? {} : { groups }), ...(extra === undefined ? {} : { extra }), ...(uid === '' ? {} : { uid }),
  };
}

function resourceOf({ namespace, verb, group, version, resource, subresource, name, fieldSelector = [], labelSelector = [] }: AuthorizationAttributes, withSelectors: boolean): Readonly<Record<string, unknown>> {
  const texts = Object.entries({ namespace, verb, group, version, resource, subresource, name }).filter(([, text]) => text !== '');
  const labels = labelSelector.map(labelRequirement).filter((requirement) => requirement !== undefined);
  return {
    ...Object.fromEntries(texts),
    ...(withSelectors && fieldSelector.length > 0 ? { fieldSelector: { requirements: fieldSelector.map(fieldRequirement) } } : {}),
    ...(withSelectors && labels.length > 0 ? { labelSelector: { requirements: labels } } : {}),
  };
}

const fieldRequirement = ({ field, operator, value }: FieldTerm): object => ({ key: field, operator: operator === '=' ? 'In' : 'NotIn', values: [value] });

/** What cannot be said in a review is left out: the request is then judged as if it asked for more. */
function labelRequirement({ key, operator, values }: Requirement): object | undefined {
  switch (operator) {
    case '=':
    case '==':
    case 'in': return { key, operator: 'In', values };
    case '!=':
    case 'notin': return { key, operator: 'NotIn', values };
    case 'exists': return { key, operator: 'Exists' };
    case '!': return { key, operator: 'DoesNotExist' };
    default: return undefined;
  }
}
