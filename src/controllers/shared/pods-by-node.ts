import type { Pod } from '../../api/gen/types/core-v1.ts';

/** The index of pods by the name of their node. */
export const nodeIndex = 'node';

export const nodeKeys = ({ spec }: Pod): string[] => {
  const { nodeName = '' } = spec ?? {};
  return nodeName === '' ? [] : [nodeName];
};
