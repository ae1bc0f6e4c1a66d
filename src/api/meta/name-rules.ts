/**
 * Rules for `metadata.name` of a kind. With `prefix` the text is a `generateName`: a suffix will be appended, so it may
 * end in a hyphen.
 * @see {@link https://kubernetes.io/docs/concepts/overview/working-with-objects/names/ | Object Names and IDs}
 */
import {
  type Checker,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isPathSegmentName,
  isPathSegmentPrefix,
} from '../../machinery/formats/names.ts';

export type NameRule = (name: string, prefix: boolean) => readonly string[];

const masked =
  (check: Checker): NameRule =>
  (name, prefix) =>
    check(prefix ? maskTrailingDash(name) : name);

/** A final hyphen and the character before it give way to one that is allowed anywhere. */
const maskTrailingDash = (name: string): string =>
  name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;

/** Most kinds. */
export const subdomainName: NameRule = masked(isDns1123Subdomain);
/** Namespaces, and what becomes part of a host name. */
export const labelName: NameRule = masked(isDns1123Label);
/** Services. */
export const label1035Name: NameRule = masked(isDns1035Label);
/** Kinds with any name that fits into a URL (RBAC). */
export const pathSegmentName: NameRule = (name, prefix) =>
  prefix ? isPathSegmentPrefix(name) : isPathSegmentName(name);
