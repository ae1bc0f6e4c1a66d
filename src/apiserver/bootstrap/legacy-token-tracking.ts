/**
 * Which tokens in secrets are still in use: a label on each says when it was last, a config map since when that is
 * kept, so that others know what may be removed.
 * @see {@link
 *   https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#legacy-serviceaccount-token-tracking-controller
 *   | Legacy token tracking}
 */
import type { Secret } from '../../api/gen/types/core-v1.ts';
import type { Logger } from '../../base/logger.ts';
import { type KubeObject, metaOf } from '../../machinery/object-meta.ts';
import { legacyTokenLabels, trackingConfigMap } from '../../auth/service-accounts/legacy-claims.ts';
import type { LoopbackClient } from '../loopback/loopback-client.ts';

export interface LegacyTokenTrackingOptions {
  readonly writer: LoopbackClient;
  readonly now: () => Date;
  readonly log: Logger;
}

const dateOf = (now: Date): string => now.toISOString().slice(0, 10);

/** Marks a secret once a day, beside the request that used its token. */
export function legacyTokenTracking({ writer, now, log }: LegacyTokenTrackingOptions): (secret: Secret) => void {
  const marking = new Set<string>();
  return ({ metadata }) => {
    const today = dateOf(now());
    const { uid = '', name = '', namespace = '' } = metadata;
    if (metadata.labels?.[legacyTokenLabels.lastUsed] === today || marking.has(uid)) return;
    marking.add(uid);
    const mark = (secret: KubeObject): void =>
      void Object.assign((metaOf(secret).labels ??= {}), { [legacyTokenLabels.lastUsed]: today });
    writer
      .change({ group: '', resource: 'secrets', namespace, name }, mark)
      .catch((error: unknown) =>
        log.warn({ err: error, secret: `${namespace}/${name}` }, 'the use of a token in a secret could not be noted'),
      )
      .finally(() => marking.delete(uid));
  };
}

const trackingSince = {
  group: '',
  resource: 'configmaps',
  namespace: 'kube-system',
  name: trackingConfigMap,
};

/** Says since when uses are noted. */
export async function ensureTrackingSince(writer: LoopbackClient, now: Date): Promise<void> {
  if (!writer.isServed(trackingSince) || (await writer.find(trackingSince)) !== undefined) return;
  await writer.create(trackingSince, { data: { since: dateOf(now) } } as KubeObject);
}
