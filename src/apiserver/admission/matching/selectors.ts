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
export function createSelectorMatch(selectors: Selectors, objects: NamespaceReader): SelectorMatch {
  const { selectsObject, selectsNamespace } = createSelectorParts(selectors);
  return async (attributes) => {
    if (selectsObject?.(attributes) === false) return false;
    if (selectsNamespace === undefined) return true;
    const labels = await namespaceLabels(attributes, objects);
    return labels === undefined || selectsNamespace(labels);
  };
}

export type NamespaceReader = Pick<CachedObjects, 'find' | 'findFresh'>;

/** Each is absent where everything is selected. They throw 500 for a selector that cannot be understood. */
export interface SelectorParts {
  readonly selectsObject: ((attributes: AdmissionAttributes) => boolean) | undefined;
  readonly selectsNamespace: ((labels: Labels) => boolean) | undefined;
}

export function createSelectorParts({ namespaceSelector, objectSelector }: Selectors): SelectorParts {
  const ofNamespace = matcherOf(namespaceSelector);
  const ofObject = matcherOf(objectSelector);
  return {
    selectsNamespace: ofNamespace === undefined ? undefined : (labels) => ofNamespace()(labels),
    selectsObject: ofObject === undefined ? undefined : (attributes) => matchesObject(ofObject(), attributes),
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

const noLabels: Labels = {};

/**
 * What namespace selectors look at, the same object while the namespace stays as it is. Of a namespace that is made or
 * changed they are those that it gets. Undefined for what is in no namespace: every selector selects it. Throws 404.
 */
export async function namespaceLabels(
  attributes: AdmissionAttributes,
  objects: NamespaceReader,
): Promise<Labels | undefined> {
  const { resource, subresource, operation, object } = attributes;
  const isAboutNamespace = resource.resource === 'namespaces';
  const name = namespaceOf(attributes);
  if (name === '' && !isAboutNamespace) return undefined;
  if (isAboutNamespace && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'))
    return object?.metadata?.labels ?? noLabels;
  return (await namespaceNamed(name, objects)).metadata.labels ?? noLabels;
}

/** From the cache, or from the store where it is not there yet. Throws 404. */
export async function namespaceNamed(name: string, objects: NamespaceReader): Promise<Namespace> {
  const found =
    (await objects.find<Namespace>('', 'namespaces', '', name)) ??
    (await objects.findFresh<Namespace>('', 'namespaces', '', name));
  if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, name);
  return found;
}
