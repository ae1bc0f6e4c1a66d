/** The requests for pods, as short objects or as whole ones. */
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import type { Client } from '../../../client/client.ts';
import type { DeleteOptions, Patch } from '../../../client/resources/options.ts';
import type { ResourceClient, SourceOptions } from '../../../client/resources/resource-client.ts';
import type { Source } from '../../../reconcile/source.ts';

export interface PodResource {
  source(options: SourceOptions): Source<Pod>;
  /** Of short objects the answer may be the metadata alone. */
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
  /** The typed clients show the operations of a resource; all of them are of this class. */
  const statusAlone = typed as unknown as ResourceClient<Pod>;
  return {
    source: (options) => all.source(options),
    patch({ metadata }, patch, subresource, signal) {
      const name = metadata.name!;
      const namespaced = all.namespace(metadata.namespace!);
      if (subresource === '') return namespaced.patch(name, patch, { signal });
      if (subresource !== 'status') throw new Error(`stages do not write the subresource ${subresource} of pods`);
      if (!('status' in namespaced)) return namespaced.subresource('status').patch(name, patch, { signal });
      // What the answer has beside the metadata is known.
      const metadataAlone = statusAlone.namespace(metadata.namespace!).asMetadata().subresource<Pod>('status');
      return metadataAlone.patch(name, patch, { signal });
    },
    delete: ({ metadata }, options) => typed.namespace(metadata.namespace!).delete(metadata.name!, options),
  };
}
