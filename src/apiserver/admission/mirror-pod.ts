/**
 * Pods that a node shows for what it runs by itself: they must be its own, and refer to nothing it could read through
 * them.
 */
import type { Node, Pod } from '../../api/gen/types/core-v1.ts';
import { goQuote } from '../../machinery/go-quote.ts';
import { notFound } from '../../machinery/status.ts';
import { podReferences } from '../../api/core/pods/references.ts';

const mirrorAnnotation = 'kubernetes.io/config.mirror';

/** @param refuse makes the error that says why */
export function checkMirrorPod(node: string, pod: Pod, self: Node | undefined, refuse: (why: string) => Error): void {
  const name = goQuote(node);
  if (pod.metadata.annotations?.[mirrorAnnotation] === undefined)
    throw refuse(`pod does not have ${goQuote(mirrorAnnotation)} annotation, node ${name} can only create mirror pods`);
  if (pod.spec.nodeName !== node) throw refuse(`node ${name} can only create pods with spec.nodeName set to itself`);
  checkOwner(node, pod, self, refuse);
  const what = referenced(pod);
  if (what !== undefined) throw refuse(`node ${name} can not create pods that reference ${what}`);
}

function checkOwner(node: string, { metadata }: Pod, self: Node | undefined, refuse: (why: string) => Error): void {
  const name = goQuote(node);
  const owners = metadata.ownerReferences ?? [];
  const [owner] = owners;
  if (owners.length > 1) throw refuse(`node ${name} can only create pods with a single owner reference set to itself`);
  if (owner === undefined || owner.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node)
    throw refuse(`node ${name} can only create pods with an owner reference set to itself`);
  if (owner.controller !== true)
    throw refuse(`node ${name} can only create pods with a controller owner reference set to itself`);
  if (owner.blockOwnerDeletion === true)
    throw refuse(`node ${name} must not set blockOwnerDeletion on an owner reference`);
  if (self === undefined) throw notFound({ group: '', resource: 'nodes' }, node);
  if (owner.uid !== self.metadata.uid)
    throw refuse(`node ${node} UID mismatch: expected ${owner.uid} got ${self.metadata.uid}`);
}

/** The first kind of objects that the pod refers to. */
function referenced(pod: Pod): string | undefined {
  const { [mirrorAnnotation]: _mirror, ...annotations } = pod.metadata.annotations ?? {};
  // As a mirror pod it would refer to nothing.
  const { secrets, configMaps, claims, serviceAccount } = podReferences({
    ...pod,
    metadata: { ...pod.metadata, annotations },
  });
  if (serviceAccount !== '') return 'a service account';
  if (secrets.size > 0) return 'secrets';
  if (configMaps.size > 0) return 'configmaps';
  if (
    pod.spec.volumes?.some(({ projected }) =>
      projected?.sources?.some(({ clusterTrustBundle }) => clusterTrustBundle !== undefined),
    ) === true
  )
    return 'clustertrustbundles';
  if (claims.size > 0) return 'persistentvolumeclaims';
  return (pod.spec.resourceClaims?.length ?? 0) > 0 ? 'resourceclaims' : undefined;
}
