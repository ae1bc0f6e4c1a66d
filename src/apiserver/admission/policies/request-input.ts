/** What the expressions of all policies see of one request: made once, when the first of them asks. */
import type { Namespace } from '../../../api/gen/types/core-v1.ts';
import { CooperativeScheduler } from '../../../machinery/cooperative-scheduling.ts';
import type { Authorizer } from '../../../auth/authorization/authorizer.ts';
import { adaptAny, type Value } from '../../../cel/index.ts';
import { timeout } from '../../../machinery/status.ts';
import type { AdmissionAttributes, ResourceForm } from '../../../registry/admission.ts';
import { AuthorizerAnswers, requestJson } from '../matching/expression-input.ts';
import type { MatchConditions } from '../matching/match-conditions.ts';
import { namespaceNamed, type NamespaceReader } from '../matching/selectors.ts';
import { VersionedObjects } from '../matching/versioned-objects.ts';
import type { Bindings } from './expression-group.ts';
import type { ObservePolicy } from './observations.ts';

export interface RequestParts {
  readonly authorizer: Authorizer;
  readonly objects: NamespaceReader;
  readonly observe: ObservePolicy;
}

export class RequestInput {
  readonly attributes: AdmissionAttributes;
  readonly objects: VersionedObjects;
  readonly answers: AuthorizerAnswers;
  /** For all policies together: many small ones take as long as a few that are not. */
  readonly #scheduler = new CooperativeScheduler();
  readonly #parts: RequestParts;
  #namespace: Promise<Value> | undefined;

  constructor(attributes: AdmissionAttributes, parts: RequestParts) {
    this.attributes = attributes;
    this.objects = new VersionedObjects(attributes);
    this.answers = new AuthorizerAnswers(attributes, parts.authorizer);
    this.#parts = parts;
  }

  async next(): Promise<void> {
    await this.#scheduler.next();
    if (this.attributes.signal?.aborted === true) throw timeout('request did not complete within requested timeout');
  }

  /** Whether the conditions of a policy hold, or what keeps them from it. */
  async matches(
    policy: string,
    conditions: MatchConditions | undefined,
    form: ResourceForm,
    params: Value,
  ): Promise<{ readonly matches: boolean } | { readonly error: string }> {
    if (conditions === undefined) return { matches: true };
    const { attributes, objects } = this;
    const begin = performance.now();
    const result = await conditions.evaluate({ attributes, form, objects, params });
    const isError = result.error !== undefined;
    if (isError || !result.matches) {
      const { operation } = attributes;
      const seconds = (performance.now() - begin) / 1000;
      this.#parts.observe({ what: 'conditions', policy, operation, failed: result.failed, seconds });
    }
    return isError ? { error: result.error } : { matches: result.matches };
  }

  /** Without `authorizer`. Throws 404 for a namespace that is not there. */
  async bindings(form: ResourceForm, params: Value): Promise<Bindings> {
    const [object, oldObject, namespace] = await Promise.all([
      this.objects.object(form),
      this.objects.oldObject(form),
      this.namespace(),
    ]);
    return {
      object: object === undefined ? null : adaptAny(object),
      oldObject: oldObject === undefined ? null : adaptAny(oldObject),
      request: adaptAny(requestJson(this.attributes, form)),
      namespaceObject: namespace,
      params,
    };
  }

  /** Null for what is in none; a namespace is in none either. */
  namespace(): Promise<Value> {
    return (this.#namespace ??= this.#readNamespace());
  }

  async #readNamespace(): Promise<Value> {
    const { namespace, kind } = this.attributes;
    if (namespace === '' || (kind.group === '' && kind.kind === 'Namespace')) return null;
    return adaptAny(shownNamespace(await namespaceNamed(namespace, this.#parts.objects)));
  }
}

const shownMembers = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'finalizers',
] as const;

/** Owners and managed fields of the namespace are nothing for a policy. */
const shownNamespace = ({ metadata, spec, status }: Namespace): unknown => ({
  metadata: Object.fromEntries(shownMembers.map((name) => [name, metadata[name]])),
  spec,
  status,
});
