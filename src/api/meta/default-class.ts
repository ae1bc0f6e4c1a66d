/** Which class those get that name none: of those that are marked as default the newest, then the lower name. */
import type { KubeObject } from '../../machinery/object-meta.ts';

export const storageClassMarkers: readonly string[] = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/** @param markers annotations, any of which marks a class. @returns its name */
export function defaultClass(classes: Iterable<KubeObject>, markers: readonly string[]): string | undefined {
  const marked = [...classes].filter(({ metadata }) =>
    markers.some((marker) => metadata?.annotations?.[marker] === 'true'),
  );
  const created = ({ metadata }: KubeObject): number => Date.parse(metadata!.creationTimestamp!);
  marked.sort((a, b) => created(b) - created(a) || (a.metadata!.name! < b.metadata!.name! ? -1 : 1));
  return marked[0]?.metadata?.name;
}
