import type { UserInfo } from '../../../machinery/user.ts';

const prefix = 'system:node:';
const nodesGroup = 'system:nodes';

/** The node that a user is: `''` for a user like a node without a name, undefined for every other user. */
export const nodeOf = ({ name, groups }: UserInfo): string | undefined =>
  name.startsWith(prefix) && groups.includes(nodesGroup) ? name.slice(prefix.length) : undefined;
