import type { Pod } from '../../gen/types/core-v1.ts';

/** Succeeded or failed: it will not run again. */
export const isPodTerminal = ({ status }: Pick<Pod, 'status'>): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed';
