/**
 * Versions are compared as numbers, as API servers make them.
 * @see {@link https://kep.k8s.io/5504 | KEP-5504}
 */
export const isOlder = (version: string, than: string): boolean => Number(version) < Number(than);

export const newer = (one: string | undefined, other: string | undefined): string | undefined => {
  if (one === undefined || other === undefined) return one ?? other;
  return isOlder(one, other) ? other : one;
};
