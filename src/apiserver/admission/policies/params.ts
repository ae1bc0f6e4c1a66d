/**
 * The objects that parameterize a policy: of any kind that is served, custom resources too, by name or by label.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/ | Validating
 *   Admission Policy: parameter resources}
 */
import type { ParamKind, ParamRef } from '../../../api/gen/types/admissionregistration-v1.ts';
import { schemas } from '../../../api/schemas.ts';
import { adaptAny, type Value } from '../../../cel/index.ts';
import { createJsonEncoder } from '../../../machinery/managed-fields/json-encoder.ts';
import { matchesLabels, requirementsOf } from '../../../machinery/label-selector.ts';
import { asJson } from '../../../machinery/object-meta.ts';
import { settled } from '../../../registry/generic/pending.ts';
import type { StoredKind } from '../../../registry/resource-stores.ts';
import type { StoredObject } from '../../../storage/objects.ts';

/** What is wrong with a policy or a binding: `failed to configure binding: …`. */
export class ConfigurationProblem extends Error {
  override readonly name = 'ConfigurationProblem';
}

/** One object, or null where the expressions have none. */
export interface Param {
  readonly value: Value;
  /** Names it for what remembers which policies were asked. */
  readonly key: string;
}

const noParam: readonly Param[] = [{ value: null, key: '' }];

export interface KindDirectory {
  /** Undefined for what is not served. */
  kindOf(apiVersion: string, kind: string): StoredKind | undefined | Promise<StoredKind | undefined>;
}

export class ParamReader {
  readonly #kinds: KindDirectory;
  readonly #encode = createJsonEncoder(schemas);
  /** By the version that a policy names. */
  readonly #values = new WeakMap<StoredObject, Map<string, Value>>();

  constructor(kinds: KindDirectory) {
    this.#kinds = kinds;
  }

  /** Undefined for a policy without parameters. Throws a ConfigurationProblem for a kind that is not served. */
  async kindOf(paramKind: ParamKind | undefined): Promise<StoredKind | undefined> {
    if (paramKind === undefined) return undefined;
    const { apiVersion = '', kind = '' } = paramKind;
    const found = await this.#kinds.kindOf(apiVersion, kind);
    if (found !== undefined) return found;
    // An apiVersion without a group is shown with the slash that a group would have before it.
    const shown = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
    throw new ConfigurationProblem(`failed to find resource referenced by paramKind: '${shown}, Kind=${kind}'`);
  }

  /**
   * The parameters of a binding for a request in a namespace, which is empty for cluster-scoped objects. None where the
   * binding is for nothing then. Throws a ConfigurationProblem.
   */
  async collect(
    kind: StoredKind | undefined,
    ref: ParamRef | undefined,
    requestNamespace: string,
  ): Promise<readonly Param[]> {
    if (kind === undefined || ref === undefined) return noParam;
    const namespace = namespaceFor(kind, ref, requestNamespace);
    const found = await this.#find(kind, ref, namespace);
    if (found.length === 0 && ref.parameterNotFoundAction === 'Deny')
      throw new ConfigurationProblem('no params found for policy binding with `Deny` parameterNotFoundAction');
    return Promise.all(found.map(async (stored) => ({ key: stored.key, value: await this.#valueOf(kind, stored) })));
  }

  async #find({ store }: StoredKind, ref: ParamRef, namespace: string): Promise<readonly StoredObject[]> {
    const { name = '', selector, parameterNotFoundAction } = ref;
    if (name !== '') {
      const cached = await store.find(namespace, name, { match: 'any' });
      // What a request is refused for is asked of the store.
      const stored =
        cached ??
        (parameterNotFoundAction === 'Deny' ? await store.find(namespace, name, { match: 'mostRecent' }) : undefined);
      return stored === undefined ? [] : [stored];
    }
    const { objects } = await store.list({
      version: { match: 'any' },
      ...(namespace === '' ? {} : { selection: { namespace } }),
    });
    const requirements = requirementsOf(selector);
    return objects.filter(({ attributes }) => matchesLabels(requirements, attributes.labels));
  }

  async #valueOf({ store, servedVersion }: StoredKind, stored: StoredObject): Promise<Value> {
    let values = this.#values.get(stored);
    if (values === undefined) this.#values.set(stored, (values = new Map()));
    let value = values.get(servedVersion.apiVersion);
    if (value === undefined) {
      const object = await settled(() => servedVersion.fromStored(store.decode(stored)));
      const { apiVersion, kind, custom, typeId } = servedVersion;
      value = adaptAny(
        custom === undefined ? { kind, apiVersion, ...this.#encode(asJson(object), typeId) } : asJson(object),
      );
      values.set(apiVersion, value);
    }
    return value;
  }
}

function namespaceFor({ store }: StoredKind, { namespace = '' }: ParamRef, ofRequest: string): string {
  if (!store.namespaced) {
    if (namespace === '') return '';
    throw new ConfigurationProblem('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  const chosen = namespace === '' ? ofRequest : namespace;
  if (chosen !== '') return chosen;
  throw new ConfigurationProblem(
    'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
  );
}
