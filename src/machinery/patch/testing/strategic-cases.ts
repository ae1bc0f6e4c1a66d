import type { JsonObject } from '../../value.ts';

export interface Case {
  name: string;
  type?: string;
  original: JsonObject;
  patch: JsonObject;
  result: JsonObject;
}

export const POD_SPEC = 'core/v1.PodSpec';

export const META = 'meta/v1.ObjectMeta';
