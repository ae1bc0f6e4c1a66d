import type { KubeObject } from '../machinery/object-meta.ts';
import type { GroupResource } from '../machinery/status.ts';
import type { UserInfo } from '../machinery/user.ts';

/**
 * What an admission plugin may know of a write. No request, no transport: plugins are tested without HTTP.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/ | Admission Control}
 */
export interface AdmissionAttributes {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly resource: GroupResource & { readonly version: string };
  readonly subresource: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly namespace: string;
  /** Empty for a create with generateName. */
  readonly name: string;
  /** In the form of the storage version; plugins may change it while they mutate. Absent for DELETE. */
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  readonly options: Readonly<Record<string, unknown>>;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Adds a Warning header. */
  warn(text: string): void;
}

/** Refuse by throwing a StatusError. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Operations it looks at. */
  handles(operation: AdmissionAttributes['operation']): boolean;
  /** May change `object`. */
  admit?(attributes: AdmissionAttributes): Promise<void> | void;
  /** Sees the final object. */
  validate?(attributes: AdmissionAttributes): Promise<void> | void;
}

/** Plugins in execution order, as one. */
export interface Admission {
  admit(attributes: AdmissionAttributes): Promise<void>;
  validate(attributes: AdmissionAttributes): Promise<void>;
}

export function createAdmissionChain(plugins: readonly AdmissionPlugin[]): Admission {
  return {
    async admit(attributes) {
      for (const plugin of plugins) {
        if (plugin.admit === undefined || !plugin.handles(attributes.operation)) continue;
        const pending = plugin.admit(attributes);
        if (pending !== undefined) await pending;
      }
    },
    async validate(attributes) {
      for (const plugin of plugins) {
        if (plugin.validate === undefined || !plugin.handles(attributes.operation)) continue;
        const pending = plugin.validate(attributes);
        if (pending !== undefined) await pending;
      }
    },
  };
}
