import { compareText } from '../../machinery/compare-text.ts';
import { schemas } from '../../api/schemas.ts';
import type { TypeSchema } from '../../machinery/schema.ts';
import type { JsonObject } from '../../machinery/value.ts';

const COMMON_KINDS: ReadonlySet<string> = new Set(['meta/v1.DeleteOptions', 'meta/v1.WatchEvent']);
/** Versions without types here in which clients still may send DeleteOptions. */
const OLD_VERSIONS = [
  { group: 'apiextensions.k8s.io', version: 'v1beta1' },
  { group: 'apiregistration.k8s.io', version: 'v1beta1' },
];
/** Groups whose kinds are no objects of the API. */
const NOT_SERVED = /^(meta|audit|apidiscovery)\.k8s\.io$/;

/** The `x-kubernetes-group-version-kind` of a type: its own, or for kinds that every version has, all of them. */
export function groupVersionKinds(type: TypeSchema): JsonObject {
  const [packageName = '', kind = ''] = splitId(type.id);
  if (COMMON_KINDS.has(type.id)) return extension(allVersions().map((home) => ({ ...home, kind })));
  if (!type.kind) return {};
  const home = schemas.packages.find(({ name }) => name === packageName);
  if (home === undefined) return {};
  // The kinds of meta/v1 that are answers (Status, APIGroup, …) belong to the core version.
  const { group, version } = home.name === 'meta/v1' ? { group: '', version: 'v1' } : home;
  return extension([{ group, version, kind }]);
}

const extension = (kinds: { group: string; version: string; kind: string }[]): JsonObject => ({
  'x-kubernetes-group-version-kind': kinds.map(({ group, version, kind }) => ({ group, kind, version })),
});

function allVersions(): { group: string; version: string }[] {
  const known = schemas.packages.filter(({ group, version }) => version !== '' && !NOT_SERVED.test(group));
  const all = [...known.map(({ group, version }) => ({ group, version })), ...OLD_VERSIONS];
  return all.sort((a, b) => (a.group === b.group ? compareText(a.version, b.version) : compareText(a.group, b.group)));
}

const splitId = (id: string): string[] => {
  const dot = id.indexOf('.');
  return [id.slice(0, dot), id.slice(dot + 1)];
};
