/** Where policies and bindings come from: informers, or a list for each request where there is no cache. */
import type { Logger } from '../../../base/logger.ts';
import type { KubeObject } from '../../../machinery/object-meta.ts';
import { forbidden } from '../../../machinery/status.ts';
import type { AdmissionAttributes } from '../../../registry/admission.ts';
import type { RegistryCatalog } from '../../../registry/catalog.ts';
import { type IndexedResource, ResourceInformers } from '../../authz/resource-informers.ts';
import type { CachedObjects } from '../../loopback/cached-objects.ts';
import type { SharedDecoder } from '../../loopback/shared-decoder.ts';
import {
  type Binding,
  BoundPolicies,
  type CompilePolicy,
  type Policy,
  type PolicyIndex,
  versionOf,
} from './bound-policies.ts';

export interface PolicySource<P extends Policy, B extends Binding, C> {
  /** At once, but while policies are read for the first time. Rejects with 403 while they cannot be read. */
  current(attributes: AdmissionAttributes): PolicyIndex<P, B, C> | Promise<PolicyIndex<P, B, C>>;
}

export interface PolicyResources {
  /** Plural names. */
  readonly policies: string;
  readonly bindings: string;
}

export interface PolicySources {
  create<P extends Policy, B extends Binding, C>(
    resources: PolicyResources,
    compile: CompilePolicy<P, C>,
  ): PolicySource<P, B, C>;
}

const group = 'admissionregistration.k8s.io';

export interface WatchedPoliciesOptions {
  readonly registry: Pick<RegistryCatalog, 'storeOf'>;
  readonly decode: SharedDecoder;
  readonly log: Logger;
}

/** Policies are watched from the first request on that they could be for. */
export class WatchedPolicies implements PolicySources {
  readonly #options: WatchedPoliciesOptions;
  readonly #informers: ResourceInformers[] = [];

  constructor(options: WatchedPoliciesOptions) {
    this.#options = options;
  }

  create<P extends Policy, B extends Binding, C>(
    resources: PolicyResources,
    compile: CompilePolicy<P, C>,
  ): PolicySource<P, B, C> {
    const bound = new BoundPolicies<P, B, C>(compile);
    const policies = new Map<string, P>();
    const bindings = new Map<string, B>();
    let known: PolicyIndex<P, B, C> | undefined;
    const onChange = (): void => void (known = undefined);
    const { registry, log } = this.#options;
    const informers = new ResourceInformers(registry, log, [
      this.#kept(resources.policies, policies, onChange),
      this.#kept(resources.bindings, bindings, onChange),
    ]);
    this.#informers.push(informers);
    const index = (): PolicyIndex<P, B, C> => (known ??= bound.index(policies.values(), bindings.values()));
    return {
      current: (attributes) =>
        informers.loading()?.then(index, (): never => {
          throw notReady(attributes);
        }) ?? index(),
    };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#informers.map((informers) => informers.stop()));
  }

  /** A change of the status is none. */
  #kept<T extends KubeObject>(resource: string, objects: Map<string, T>, changed: () => void): IndexedResource {
    return {
      group,
      resource,
      onChange: (before, after, store) => {
        if (after === undefined) {
          objects.delete(before!.attributes.name);
          return changed();
        }
        const object = this.#options.decode<T>(store, after);
        const known = objects.get(after.attributes.name);
        objects.set(after.attributes.name, object);
        if (known === undefined || versionOf(known) !== versionOf(object)) changed();
      },
    };
  }
}

const notReady = ({ resource, name }: AdmissionAttributes): Error =>
  forbidden(resource, name, 'not yet ready to handle request');

/** Reads all policies and bindings for each request. */
export const listedPolicies = (objects: Pick<CachedObjects, 'list'>): PolicySources => ({
  create: <P extends Policy, B extends Binding, C>(
    resources: PolicyResources,
    compile: CompilePolicy<P, C>,
  ): PolicySource<P, B, C> => {
    const bound = new BoundPolicies<P, B, C>(compile);
    return {
      async current() {
        const [policies, bindings] = await Promise.all([
          objects.list<P>(group, resources.policies),
          objects.list<B>(group, resources.bindings),
        ]);
        return bound.index(policies, bindings);
      },
    };
  },
});
