import type { KubeObject } from '../../machinery/object-meta.ts';

/** What authenticators read of the API's objects. */
export interface ObjectReader {
  /** As the cache has it, which can be a moment behind. */
  find<T extends KubeObject>(group: string, resource: string, namespace: string, name: string): Promise<T | undefined>;
  /** Not older than any write acknowledged before the call. */
  findFresh<T extends KubeObject>(
    group: string,
    resource: string,
    namespace: string,
    name: string,
  ): Promise<T | undefined>;
}
