import type { UserInfo } from '../../../machinery/user.ts';

const prefix = 'system:node:';
const nodesGroup = 'system:nodes';

/** The node that a user is: `''` for one of the form of a node without a name, undefined for everybody else. */
export const nodeOf = ({ name, groups }: UserInfo): string | undefined =>
  name.startsWith(prefix) && groups.includes(nodesGroup) ? name.slice(prefix.length) : undefined;
