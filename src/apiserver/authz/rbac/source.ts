/** The roles and bindings of this server. */
import { rbacGroup } from '../../../api/rbac/defaults.ts';
import type { Logger } from '../../../base/logger.ts';
import type { KubeObject } from '../../../machinery/object-meta.ts';
import type { RegistryCatalog } from '../../../registry/catalog.ts';
import type { SharedDecoder } from '../../loopback/shared-decoder.ts';
import { type IndexedResource, ResourceInformers } from '../resource-informers.ts';
import { RbacPolicy } from './policy.ts';

export interface RbacSourceOptions {
  readonly registry: Pick<RegistryCatalog, 'storeOf'>;
  readonly decode: SharedDecoder;
  readonly log: Logger;
}

export class RbacSource {
  readonly #policy = new RbacPolicy();
  readonly #resources: ResourceInformers;

  constructor({ registry, decode, log }: RbacSourceOptions) {
    const policy = this.#policy;
    const indexed = <T extends KubeObject>(
      resource: string,
      change: (before: T | undefined, after: T | undefined) => void,
    ): IndexedResource => ({
      group: rbacGroup,
      resource,
      onChange: (before, after, store) =>
        change(
          before === undefined ? undefined : decode<T>(store, before),
          after === undefined ? undefined : decode<T>(store, after),
        ),
    });
    this.#resources = new ResourceInformers(registry, log, [
      indexed('clusterroles', policy.changeRole.bind(policy)),
      indexed('roles', policy.changeRole.bind(policy)),
      indexed('clusterrolebindings', policy.changeBinding.bind(policy)),
      indexed('rolebindings', policy.changeBinding.bind(policy)),
    ]);
  }

  /** Begins to read. Without it the first request has to wait. */
  start(): void {
    this.#resources.start();
  }

  /** The policy, at once when it has been read. Rejects when that takes too long. */
  readonly policy = (): RbacPolicy | Promise<RbacPolicy> =>
    this.#resources.loading()?.then(() => this.#policy) ?? this.#policy;

  stop(): Promise<void> {
    return this.#resources.stop();
  }
}
