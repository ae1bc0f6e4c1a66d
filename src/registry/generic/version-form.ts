/**
 * One API version of one resource: its type, its defaults, and the way to and from what is stored.
 */
import type { Codecs, TypeCodec } from '../../machinery/codec/index.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import type { VersionRules } from '../strategy.ts';

export interface VersionForm {
  /** `autoscaling/v1` */
  readonly apiVersion: string;
  readonly kind: string;
  readonly listKind: string;
  readonly typeId: string;
  readonly codec: TypeCodec;
  /** Other apiVersions that a body may have, of the same form. */
  readonly accepts?: readonly string[];
  /** The stored bytes are of this version. */
  readonly isStored: boolean;
  /** Fills absent fields of an object of this version. */
  setDefaults(object: KubeObject): void;
  /**
   * From this form to the stored one, and back. A form that shows only a part of the object (Scale) writes it into
   * `base`, a copy of what is stored.
   */
  toStored(object: KubeObject, base: () => KubeObject): KubeObject;
  fromStored(object: KubeObject): KubeObject;
}

export interface VersionFormOptions {
  readonly apiVersion: string;
  readonly kind: string;
  readonly listKind: string;
  readonly typeId: string;
  readonly storedTypeId: string;
  readonly codecs: Codecs;
  readonly rules: VersionRules | undefined;
  readonly accepts?: readonly string[];
}

export function createVersionForm({ apiVersion, kind, listKind, typeId, storedTypeId, codecs, rules, accepts }: VersionFormOptions): VersionForm {
  return {
    apiVersion, kind, listKind, typeId, ...(accepts === undefined ? {} : { accepts }),
    get codec() {
      return codecs.of(typeId);
    },
    isStored: typeId === storedTypeId,
    setDefaults: (object) => rules?.defaults?.(object),
    toStored: (object) => rules?.toStorage?.(object) ?? object,
    fromStored: (object) => rules?.fromStorage?.(object) ?? object,
  };
}
