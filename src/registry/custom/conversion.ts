/** Custom objects from one version to another. */
import { asJson, type KubeObject } from '../../machinery/object-meta.ts';
import { copyValue } from '../../machinery/structural/defaulting.ts';

export interface Converter {
  /**
   * A new object, or the same when it is of that version. Throws `Pending` when a webhook has to be asked first, and
   * the webhook's error when it refused.
   */
  convert(object: KubeObject, apiVersion: string): KubeObject;
  /**
   * A webhook converts: objects stay in the version in which they are stored until they are needed in another one.
   */
  readonly asks: boolean;
  /** Nothing is converted any more. */
  close(): void;
}

/** All versions have the same schema (strategy None): only apiVersion changes. */
export const renaming: Converter = {
  asks: false,
  close: () => undefined,
  convert: (object, apiVersion) =>
    asJson(object)['apiVersion'] === apiVersion ? object : { ...(copyValue(asJson(object)) as KubeObject), apiVersion },
};
