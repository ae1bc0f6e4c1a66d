/** What a client of an API that is going away should know. @see {@link https://kep.k8s.io/1693 | KEP-1693} */
import { versionInfo } from '../../base/version.ts';
import type { SchemaRegistry } from '../../machinery/schema.ts';
import type { ServedVersion } from '../../registry/generic/served-version.ts';
import type { ApiRequest } from '../request/request.ts';

export interface Deprecation {
  readonly text: string;
  /** Release in which the API is gone, such as 1.35; empty when that is not known. */
  readonly removed: string;
}

/** What the schema does not say. */
const deprecatedSince: Readonly<Record<string, string>> = { 'core/v1.ComponentStatus': '1.19' };

const release = versionInfo();

/** @param since such as 1.34: what a later release deprecates is not deprecated yet */
function isYetToCome(since: string): boolean {
  const [major, minor] = since.split('.').map(Number) as [number, number];
  return major > Number(release.major) || (major === Number(release.major) && minor > Number(release.minor));
}

/** Undefined for an API that stays. */
export function deprecationOf(schemas: SchemaRegistry, servedVersion: ServedVersion): Deprecation | undefined {
  if (servedVersion.custom !== undefined)
    return servedVersion.custom.deprecation === undefined
      ? undefined
      : { text: servedVersion.custom.deprecation, removed: '' };
  const {
    deprecated = deprecatedSince[servedVersion.typeId],
    removed,
    replacement,
  } = schemas.type(servedVersion.typeId);
  if (deprecated === undefined || isYetToCome(deprecated)) return undefined;
  const [group = '', version = '', kind = ''] = replacement?.split(',') ?? [];
  const until = removed === undefined ? '' : `, unavailable in v${removed}+`;
  const instead = replacement === undefined ? '' : `; use ${group === '' ? '' : `${group}/`}${version} ${kind}`;
  const text = `${servedVersion.apiVersion} ${servedVersion.kind} is deprecated in v${deprecated}+${until}${instead}`;
  return { text, removed: removed ?? '' };
}

/** Tells the client by a warning, and the operators by an annotation of the audit event. */
export function tellDeprecation(request: ApiRequest, { text, removed }: Deprecation): void {
  request.warn(text);
  request.annotate('k8s.io/deprecated', 'true');
  if (removed !== '') request.annotate('k8s.io/removed-release', removed);
}
