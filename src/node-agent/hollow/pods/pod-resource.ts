/** The requests for pods, as short objects or as whole ones. */
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import type { Client } from '../../../client/client.ts';
import type { DeleteOptions, Patch } from '../../../client/resources/options.ts';
import type { SourceOptions } from '../../../client/resources/resource-client.ts';
import type { Source } from '../../../reconcile/source.ts';

export interface PodResource {
  source(options: SourceOptions): Source<Pod>;
  patch(pod: Pod, patch: Patch, subresource: string, signal: AbortSignal): Promise<Pod>;
  delete(pod: Pod, options: DeleteOptions): Promise<unknown>;
}

/**
 * @param isWhole objects come as JSON, with members that are zero: programs and templates of stages look at them. Else
 *   they come as protobuf, which costs less.
 */
export function podResource(client: Client, isWhole: boolean): PodResource {
  const all = isWhole ? client.dynamic<Pod>({ group: '', version: 'v1', resource: 'pods' }) : client.core.v1.pods;
  const typed = client.core.v1.pods;
  return {
    source: (options) => all.source(options),
    patch({ metadata }, patch, subresource, signal) {
      const name = metadata.name!;
      const namespaced = all.namespace(metadata.namespace!);
      if (subresource === '') return namespaced.patch(name, patch, { signal });
      if (subresource !== 'status') throw new Error(`stages do not write the subresource ${subresource} of pods`);
      return 'status' in namespaced
        ? namespaced.status.patch(name, patch, { signal })
        : namespaced.subresource('status').patch(name, patch, { signal });
    },
    delete: ({ metadata }, options) => typed.namespace(metadata.namespace!).delete(metadata.name!, options),
  };
}
