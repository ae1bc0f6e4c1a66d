/** Custom objects from one version to another. */
import { asJson, type KubeObject } from '../../machinery/object-meta.ts';
import { copyValue } from '../../machinery/structural/defaults.ts';

export interface Converter {
  /**
   * A new object, or the same when it is of that version. Throws `Pending` when somebody has to be asked first, and
   * what they said when they refused.
   */
  convert(object: KubeObject, apiVersion: string): KubeObject;
  /**
   * Somebody else converts: objects stay in the version in which they lie in the store until they are needed in another
   * one.
   */
  readonly asks: boolean;
  /** Nothing is converted any more. */
  close(): void;
}

/** All versions have the same form (strategy None): the object says that it is of the other one. */
export const renaming: Converter = {
  asks: false,
  close: () => undefined,
  convert: (object, apiVersion) =>
    asJson(object)['apiVersion'] === apiVersion ? object : { ...(copyValue(asJson(object)) as KubeObject), apiVersion },
};
