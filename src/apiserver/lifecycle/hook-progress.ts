/**
 * Which of the post-start hooks are done, under the names that upstream 1.32 has for them and in its order: monitoring
 * and conformance tests look for them in `/livez?verbose`.
 */
import { timeLimit } from '../../base/time-limit.ts';
import { Latch } from '../../base/latch.ts';
import type { HealthCheck } from '../../server/health.ts';

/** A hook of upstream without a line here has nothing behind it in this server. */
const hookNames = [
  'poststarthook/start-apiserver-admission-initializer',
  'poststarthook/generic-apiserver-start-informers',
  'poststarthook/priority-and-fairness-config-consumer',
  'poststarthook/priority-and-fairness-filter',
  'poststarthook/max-in-flight-filter',
  'poststarthook/storage-object-count-tracker-hook',
  'poststarthook/storage-readiness',
  'poststarthook/start-encryption-provider-config-automatic-reload',
  'poststarthook/start-apiextensions-informers',
  'poststarthook/start-apiextensions-controllers',
  'poststarthook/crd-informer-synced',
  'poststarthook/start-system-namespaces-controller',
  'poststarthook/start-cluster-authentication-info-controller',
  'poststarthook/start-kube-apiserver-identity-lease-controller',
  'poststarthook/start-kube-apiserver-identity-lease-garbage-collector',
  'poststarthook/start-legacy-token-tracking-controller',
  'poststarthook/start-service-ip-repair-controllers',
  'poststarthook/rbac/bootstrap-roles',
  'poststarthook/scheduling/bootstrap-system-priority-classes',
  'poststarthook/priority-and-fairness-config-producer',
  'poststarthook/bootstrap-controller',
  'poststarthook/start-kube-apiserver-coordinated-leader-election-controller',
  'poststarthook/start-kube-aggregator-informers',
  'poststarthook/apiservice-status-local-available-controller',
  'poststarthook/apiservice-status-remote-available-controller',
  'poststarthook/apiservice-registration-controller',
  'poststarthook/apiservice-wait-for-first-sync',
  'poststarthook/apiservice-discovery-controller',
  'poststarthook/built-in-resources-storage-version-updater',
  'poststarthook/kube-apiserver-autoregistration',
  'autoregister-completion',
  'poststarthook/apiservice-openapi-controller',
  'poststarthook/apiservice-openapiv3-controller',
] as const;

export type HookName = (typeof hookNames)[number];

/** Those that a server with these settings does not have. */
export type AbsentHooks = ReadonlySet<HookName>;

/**
 * What is made once the server is ready for requests, so that they go first. A probe that comes earlier waits a moment
 * for it, or every start would show a failed one.
 */
const comesLate: ReadonlySet<HookName> = new Set<HookName>([
  'poststarthook/rbac/bootstrap-roles',
  'poststarthook/priority-and-fairness-config-consumer',
  'poststarthook/priority-and-fairness-config-producer',
  'autoregister-completion',
]);
const lateMs = 500;

export class HookProgress {
  readonly #latches = new Map<HookName, Latch>();
  /** Ends for all checks of all probes together, so that a start that does not end is told at once. */
  #patience: AbortSignal | undefined;

  constructor(absent: AbsentHooks) {
    for (const name of hookNames) if (!absent.has(name)) this.#latches.set(name, new Latch());
  }

  /** In the order of upstream. */
  get checks(): HealthCheck[] {
    return [...this.#latches].map(([name, latch]) => ({
      name,
      check: async (signal) => {
        if (latch.isOpen) return;
        if (comesLate.has(name)) {
          this.#patience ??= timeLimit(lateMs);
          await latch.wait(AbortSignal.any([signal, this.#patience])).catch(() => undefined);
        }
        if (!latch.isOpen) throw new Error('not finished');
      },
    }));
  }

  done(...names: readonly HookName[]): void {
    for (const name of names) this.#latches.get(name)?.open();
  }

  isDone(name: HookName): boolean {
    return this.#latches.get(name)?.isOpen === true;
  }
}
