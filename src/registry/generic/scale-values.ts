import { asJson, type KubeObject } from '../../machinery/object-meta.ts';
import type { JsonObject } from '../../machinery/value.ts';

/** Where a kind keeps what a Scale shows. Selectors are shown as text. */
export interface ScaleFields {
  selectorText(object: KubeObject): string;
  /** Undefined where the object does not say how many. */
  specReplicas(object: KubeObject): number | undefined;
  statusReplicas(object: KubeObject): number;
  setReplicas(object: KubeObject, replicas: number): void;
  /**
   * Whether errors are those of the object and not of the Scale, and an update without resourceVersion is one of the
   * version that is there: some kinds take no other. Absent: no.
   */
  readonly isJudgedAsObject?: boolean;
  /** What a reader is told of an object that does not say how many; absent where that means none. */
  readonly missingReplicas?: () => Error;
}

/** Where built-in kinds keep them. */
export const builtInReplicas: Omit<ScaleFields, 'selectorText'> = {
  specReplicas: (object) => replicas(object, 'spec'),
  statusReplicas: (object) => replicas(object, 'status'),
  setReplicas: (object, wanted) => {
    part(object, 'spec')['replicas'] = wanted;
  },
};

const part = (object: KubeObject, name: 'spec' | 'status'): JsonObject => (asJson(object)[name] ??= {}) as JsonObject;

const replicas = (object: KubeObject, name: 'spec' | 'status'): number => Number(part(object, name)['replicas'] ?? 0);
