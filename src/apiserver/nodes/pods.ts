/** What requests for logs and streams need to know of a pod. */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { badRequest } from '../../machinery/status.ts';
import type { ApiRequest } from '../request/request.ts';
import type { ServedResource } from '../served/served-resource.ts';

/** Rejects with 404 where there is none. */
export async function podOf(served: ServedResource, { info }: ApiRequest, name = info.name): Promise<Pod> {
  const store = served.store!;
  return store.decode(await store.get(info.namespace, name, { match: 'mostRecent' })) as Pod;
}

const namesOf = (containers: readonly { readonly name?: string }[] | undefined): string[] =>
  (containers ?? []).map(({ name = '' }) => name);

/** The container that a request is for; throws where it has to be named, or is not one of the pod. */
export function containerOf({ metadata: { name = '' }, spec }: Pod, wanted: string): string {
  const names = namesOf(spec.containers);
  const inits = namesOf(spec.initContainers);
  if (wanted !== '') {
    if (![...names, ...inits, ...namesOf(spec.ephemeralContainers)].includes(wanted))
      throw badRequest(`container ${wanted} is not valid for pod ${name}`);
    return wanted;
  }
  if (names.length === 1) return names[0]!;
  throw badRequest(
    `a container name must be specified for pod ${name}, choose one of: ` +
      `[${names.join(' ')}]${inits.length === 0 ? '' : ` or one of the init containers: [${inits.join(' ')}]`}`,
  );
}
