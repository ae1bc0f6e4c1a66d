/**
 * One API version of one resource: its type, its defaults, and the way to and from what is stored.
 */
import type { Codecs, TypeCodec } from '../../machinery/codec/index.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import type { MergeType } from '../../machinery/managed-fields/merge-type.ts';
import type { VersionSource } from '../../machinery/managed-fields/versions.ts';
import type { Column } from '../../api/columns.ts';
import type { Cell, VersionRules } from '../strategy.ts';
import type { ScaleFields } from './scale-values.ts';

/** What the form of a custom resource brings itself: nothing about it is known before its definition is read. */
export interface CustomVersion {
  /** How its lists and objects are merged. */
  readonly mergeType: MergeType;
  /** A webhook converts: an object may have to be waited for (`pending.ts`). */
  readonly mayWait: boolean;
  /** Other versions in which fields can be owned; absent where there is only one. */
  readonly versions: VersionSource | undefined;
  readonly columns: readonly Column[];
  cells(object: KubeObject, now: Date): Cell[];
  /** Warning for clients of a version that is going away. */
  readonly deprecation: string | undefined;
  /** Where each version has its replicas, for `scale`. */
  readonly replicasPaths: ReadonlyMap<string, readonly string[] | undefined>;
  /** What a Scale of this version shows; absent where there is none. */
  readonly scale: ScaleFields | undefined;
}

export interface ServedVersion {
  /** `autoscaling/v1` */
  readonly apiVersion: string;
  readonly kind: string;
  readonly listKind: string;
  readonly typeId: string;
  readonly codec: TypeCodec;
  /**
   * Present for custom resources. Their bytes are JSON text with kind and apiVersion in it, members sorted, and their
   * store hands out objects of this version already. Everything else is protobuf.
   */
  readonly custom?: CustomVersion;
  /** Other apiVersions that a body may have, of the same form. */
  readonly accepts?: readonly string[];
  /**
   * apiVersions of other groups whose kind of this name is another form of it: a body in them is refused for its
   * version only.
   */
  readonly convertible?: readonly string[];
  /** The stored bytes are of this version. */
  readonly isStored: boolean;
  /** Fills absent fields of an object of this version. */
  setDefaults(object: KubeObject): void;
  /**
   * From this form to the stored one, and back. A form that shows only a part of the object (Scale) writes it into
   * `base`, a copy of what is stored. `fromStored` leaves what it is given as it is, and may share it.
   */
  toStored(object: KubeObject, base: () => KubeObject): KubeObject;
  fromStored(object: KubeObject): KubeObject;
}

export interface ServedVersionOptions {
  readonly apiVersion: string;
  readonly kind: string;
  readonly listKind: string;
  readonly typeId: string;
  readonly storedTypeId: string;
  readonly codecs: Codecs;
  readonly rules: VersionRules | undefined;
  readonly accepts?: readonly string[];
}

export function createServedVersion({
  apiVersion,
  kind,
  listKind,
  typeId,
  storedTypeId,
  codecs,
  rules,
  accepts,
}: ServedVersionOptions): ServedVersion {
  return {
    apiVersion,
    kind,
    listKind,
    typeId,
    ...(accepts === undefined ? {} : { accepts }),
    get codec() {
      return codecs.of(typeId);
    },
    isStored: typeId === storedTypeId,
    setDefaults: (object) => rules?.defaults?.(object),
    toStored: (object) => rules?.toStorage?.(object) ?? object,
    fromStored: (object) => rules?.fromStorage?.(object) ?? object,
  };
}
