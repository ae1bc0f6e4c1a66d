/**
 * Pods run on the nodes that their namespace selects, by an annotation or by the configuration of the plugin.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#podnodeselector |
 *   PodNodeSelector}
 */
import type { Namespace, Pod } from '../../api/gen/types/core-v1.ts';
import { fieldErrorText, invalid } from '../../machinery/field-error.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { isLabelValue, isQualifiedName } from '../../machinery/formats/names.ts';
import { forbidden, internalError, plainError, type StatusError } from '../../machinery/status.ts';
import { createMap } from '../../machinery/value.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../registry/admission.ts';
import type { CachedObjects } from '../loopback/cached-objects.ts';
import { isAbout } from './attributes.ts';
import type { PodNodeSelectorConfiguration } from './configuration/plugin-configuration.ts';

const annotation = 'scheduler.alpha.kubernetes.io/node-selector';

type Labels = Readonly<Record<string, string>>;

export interface PodNodeSelectorOptions {
  readonly objects: CachedObjects;
  readonly configuration: PodNodeSelectorConfiguration | undefined;
}

export function createPodNodeSelector({ objects, configuration }: PodNodeSelectorOptions): AdmissionPlugin {
  const { clusterDefault = '', allowed = {} } = configuration ?? {};
  const selectorOf = async (name: string): Promise<Labels> => {
    const namespace =
      (await objects.find<Namespace>('', 'namespaces', '', name)) ??
      (await objects.findFresh<Namespace>('', 'namespaces', '', name));
    if (namespace === undefined) throw internalError(`namespace ${name} does not exist`);
    return labelsOf(namespace.metadata?.annotations?.[annotation] ?? clusterDefault);
  };
  const check = (attributes: AdmissionAttributes, selector: Labels): void => {
    const { nodeSelector = {} } = (attributes.object as Pod).spec;
    if (Object.entries(selector).some(([key, value]) => (nodeSelector[key] ?? value) !== value))
      throw refused(attributes, 'pod node label selector conflicts with its namespace node label selector');
  };
  const checkAllowed = (attributes: AdmissionAttributes): void => {
    const { nodeSelector = {} } = (attributes.object as Pod).spec;
    const own = labelsOf(Object.hasOwn(allowed, attributes.namespace) ? allowed[attributes.namespace]! : '');
    if (Object.keys(own).length === 0) return;
    if (Object.entries(nodeSelector).some(([key, value]) => own[key] !== value))
      throw refused(attributes, 'pod node label selector labels conflict with its namespace whitelist');
  };
  return {
    name: 'PodNodeSelector',
    handles: (operation) => operation === 'CREATE',
    async admit(attributes) {
      if (!isAbout(attributes, '', 'pods')) return;
      const selector = await selectorOf(attributes.namespace);
      check(attributes, selector);
      const { spec } = attributes.object as Pod;
      if (Object.keys(selector).length > 0)
        spec.nodeSelector = Object.assign(createMap<string>(), selector, spec.nodeSelector);
      checkAllowed(attributes);
    },
    async validate(attributes) {
      if (!isAbout(attributes, '', 'pods')) return;
      check(attributes, await selectorOf(attributes.namespace));
      checkAllowed(attributes);
    },
  };
}

/** A pod without a name is called by none. */
const refused = ({ object }: AdmissionAttributes, why: string): StatusError =>
  forbidden({ group: '', resource: 'pods' }, object?.metadata?.name ?? '', why);

/**
 * Equalities alone, `k=v,k=v`. Throws what upstream's server answers with: an error of the server, since it is not the
 * client's that is wrong.
 */
export function labelsOf(selector: string): Labels {
  const labels = createMap<string>();
  if (selector === '') return labels;
  for (const term of selector.split(',')) {
    const parts = term.split('=');
    if (parts.length !== 2) throw plainError(`invalid selector: [${parts.join(' ')}]`);
    const [key, value] = parts.map((part) => part.trim()) as [string, string];
    const [keyErrors, valueErrors] = [isQualifiedName(key), isLabelValue(value)];
    if (keyErrors.length > 0) throw plainError(errorText('<nil>', key, keyErrors));
    if (valueErrors.length > 0) throw plainError(errorText(`[${key}]`, value, valueErrors));
    labels[key] = value;
  }
  return labels;
}

const errorText = (field: string, value: string, messages: readonly string[]): string =>
  fieldErrorText({ ...invalid(FieldPath.of(''), value, messages.join('; ')), field });
