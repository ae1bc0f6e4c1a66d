/**
 * Selectors of a webhook or of a policy: the labels of the namespace, and those of the object as it is and as it was.
 *
 * @see {@link
 *   https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-namespaceselector
 *   | Matching requests: namespaceSelector}
 */
import type { Namespace } from '../../../api/gen/types/core-v1.ts';
import { type Labels, type LabelSelector, matchesLabels, requirementsOf } from '../../../machinery/label-selector.ts';
import { internalError, notFound } from '../../../machinery/status.ts';
import type { AdmissionAttributes } from '../../../registry/admission.ts';
import type { CachedObjects } from '../../loopback/cached-objects.ts';
import { namespaceOf } from './rules.ts';

export interface Selectors {
  /** Absent and empty select everything. */
  readonly namespaceSelector?: LabelSelector | undefined;
  readonly objectSelector?: LabelSelector | undefined;
}

export type SelectorMatch = (attributes: AdmissionAttributes) => Promise<boolean>;

/**
 * Compiles the selectors. The match throws 500 for a selector that cannot be understood, and 404 for a namespace that
 * is not there.
 */
export function createSelectorMatch(
  { namespaceSelector, objectSelector }: Selectors,
  objects: Pick<CachedObjects, 'find' | 'findFresh'>,
): SelectorMatch {
  const ofNamespace = matcherOf(namespaceSelector);
  const ofObject = matcherOf(objectSelector);
  return async (attributes) => {
    if (ofObject !== undefined && !matchesObject(ofObject(), attributes)) return false;
    if (ofNamespace === undefined) return true;
    const isAboutNamespace = attributes.resource.resource === 'namespaces';
    if (namespaceOf(attributes) === '' && !isAboutNamespace) return true;
    return ofNamespace()(await namespaceLabels(attributes, objects));
  };
}

/** A Scale has no labels, whatever those of the object are that it is a part of. */
function matchesObject(matches: LabelMatch, { object, oldObject, kind }: AdmissionAttributes): boolean {
  const hasLabels = kind.kind !== 'Scale';
  return [object, oldObject].some((one) => one !== undefined && matches(hasLabels ? one.metadata?.labels : undefined));
}

type LabelMatch = (labels: Labels | undefined) => boolean;

function matcherOf(selector: LabelSelector = {}): (() => LabelMatch) | undefined {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  if (Object.keys(matchLabels).length === 0 && matchExpressions.length === 0) return undefined;
  let matches: LabelMatch | undefined;
  return () => (matches ??= compiled(selector));
}

function compiled(selector: LabelSelector): LabelMatch {
  try {
    const requirements = requirementsOf(selector);
    return (labels) => matchesLabels(requirements, labels);
  } catch (error) {
    throw internalError((error as Error).message, { cause: error });
  }
}

/** Of a namespace that is made or changed they are those that it gets. */
async function namespaceLabels(
  attributes: AdmissionAttributes,
  objects: Pick<CachedObjects, 'find' | 'findFresh'>,
): Promise<Labels | undefined> {
  const { resource, subresource, operation, object } = attributes;
  if (resource.resource === 'namespaces' && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'))
    return object?.metadata?.labels;
  return (await namespaceNamed(namespaceOf(attributes), objects)).metadata.labels;
}

/** From the cache, or from the store where it is not there yet. Throws 404. */
export async function namespaceNamed(
  name: string,
  objects: Pick<CachedObjects, 'find' | 'findFresh'>,
): Promise<Namespace> {
  const found =
    (await objects.find<Namespace>('', 'namespaces', '', name)) ??
    (await objects.findFresh<Namespace>('', 'namespaces', '', name));
  if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, name);
  return found;
}
