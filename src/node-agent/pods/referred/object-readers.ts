/** The readers of config maps and secrets, as the configuration says. */
import type { ConfigMap, Node, Secret } from '../../../api/gen/types/core-v1.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Client } from '../../../client/client.ts';
import { undefinedWhenGone } from '../../../client/undefined-when-gone.ts';
import { CachedObjects } from './cached-objects.ts';
import type { ChangeDetection, ObjectReaders, ObjectUse, ReferredKind } from './object-reader.ts';
import { WatchedObjects } from './watched-objects.ts';

export interface ObjectReadersOptions {
  readonly client: Client;
  readonly detection: ChangeDetection;
  readonly use: ObjectUse;
  readonly node: () => Node | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

const usualTtlMs = 60_000;
const ttlAnnotation = 'node.alpha.kubernetes.io/ttl';

export function createObjectReaders({ client, detection, use, node, ...shared }: ObjectReadersOptions): ObjectReaders {
  const { configmaps, secrets } = client.core.v1;
  if (detection === 'Watch') {
    const useOf = (kind: ReferredKind) => ({
      onChange: (namespace: string, name: string) => use.onChange(kind, namespace, name),
      isUsed: (namespace: string, name: string) => use.isUsed(kind, namespace, name),
    });
    const only = (name: string) => ({ fieldSelector: `metadata.name=${name}`, dropManagedFields: true });
    return {
      configMaps: new WatchedObjects<ConfigMap>({
        source: (namespace, name) => configmaps.namespace(namespace).source(only(name)),
        what: 'configmap',
        ...useOf('configMaps'),
        ...shared,
      }),
      secrets: new WatchedObjects<Secret>({
        source: (namespace, name) => secrets.namespace(namespace).source(only(name)),
        what: 'secret',
        ...useOf('secrets'),
        ...shared,
      }),
    };
  }
  const ttlMs = detection === 'Get' ? () => 0 : () => ttlOf(node());
  const { clock } = shared;
  return {
    configMaps: new CachedObjects<ConfigMap>({
      read: (namespace, name) => configmaps.namespace(namespace).get(name).catch(undefinedWhenGone),
      ttlMs,
      clock,
    }),
    secrets: new CachedObjects<Secret>({
      read: (namespace, name) => secrets.namespace(namespace).get(name).catch(undefinedWhenGone),
      ttlMs,
      clock,
    }),
  };
}

/** A controller makes it longer in large clusters. */
function ttlOf(node: Node | undefined): number {
  const text = node?.metadata.annotations?.[ttlAnnotation];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) * 1000 : usualTtlMs;
}
