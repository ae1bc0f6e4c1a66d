/**
 * The two spellings of names on the wire. Kubernetes' are canonical; the `orch` names of the specification are
 * translated here, before anything else, and answered in kind. Nothing behind this module knows two spellings.
 */
const groupOf: Readonly<Record<string, string>> = {
  'apiregistration.orch.io': 'apiregistration.k8s.io',
  'meta.orch.io': 'meta.k8s.io',
};
const spellingOf: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(groupOf).map(([ours, canonical]) => [canonical, ours]),
);

const orchName = /(?:apiregistration|meta)\.orch\.io|vnd\.orch\.protobuf/;

export const usesOrchNames = (text: string): boolean => orchName.test(text);

/** `/apis/apiregistration.orch.io/v1/…` as `/apis/apiregistration.k8s.io/v1/…`. */
export function canonicalPath(path: string): string {
  const match = /^\/apis\/([^/]+)(.*)$/s.exec(path);
  const group = match === null ? undefined : groupOf[match[1]!];
  return group === undefined ? path : `/apis/${group}${match![2]!}`;
}

/** A media type, or a list of them, in canonical names. */
export const canonicalMediaType = (value: string): string =>
  value
    .replaceAll('application/vnd.orch.protobuf', 'application/vnd.kubernetes.protobuf')
    .replaceAll('meta.orch.io', 'meta.k8s.io');

export const orchMediaType = (value: string): string =>
  value.replaceAll('application/vnd.kubernetes.protobuf', 'application/vnd.orch.protobuf');

/** `apiregistration.orch.io/v1` as `apiregistration.k8s.io/v1`; others unchanged. */
export function canonicalApiVersion(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? undefined : groupOf[apiVersion.slice(0, slash)];
  return group === undefined ? apiVersion : group + apiVersion.slice(slash);
}

export function orchApiVersion(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? undefined : spellingOf[apiVersion.slice(0, slash)];
  return group === undefined ? apiVersion : group + apiVersion.slice(slash);
}
