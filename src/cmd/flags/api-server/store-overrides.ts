/** Servers of one resource instead of those of all. */
export interface StoreOverride {
  readonly group: string;
  readonly resource: string;
  readonly servers: readonly string[];
}

/**
 * Parses `group/resource#server;server`, where the core group is empty (`/events#…`). Undefined when it is malformed.
 */
export function readOverride(text: string): StoreOverride | undefined {
  const [target = '', list, ...more] = text.split('#');
  const [group, resource, ...deeper] = target.split('/');
  if (list === undefined || more.length > 0 || group === undefined || !resource || deeper.length > 0) return undefined;
  const servers = list.split(';').filter(Boolean);
  return servers.length === 0 ? undefined : { group, resource, servers };
}
