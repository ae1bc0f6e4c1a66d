import type { Service } from '../../../../api/gen/types/core-v1.ts';

export const nodePorts = ({ spec }: Service): (number | undefined)[] =>
  (spec.ports ?? []).map(({ nodePort }) => nodePort);
