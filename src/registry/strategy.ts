import type { FieldErrors } from '../machinery/field-errors.ts';
import type { KubeObject } from '../machinery/object-meta.ts';
import type { JsonObject } from '../machinery/value.ts';
import type { UserInfo } from '../machinery/user.ts';

/**
 * The strategy of a resource: its own rules. Everything that is the same for all kinds is in `generic/`.
 *
 * Objects are normalized JSON values (machinery/value.ts) of the resource's storage version. Functions change
 * the object they are given; they do no input or output and keep no state. The registry calls, on create:
 * defaults → admission → prepareForCreate → validate → canonicalize, and on update:
 * defaults → admission → prepareForUpdate → validateUpdate → canonicalize.
 */
export interface StrategyContext {
  readonly now: Date;
  readonly user: UserInfo;
  /** Whether a feature gate is on. */
  enabled(gate: string): boolean;
  /** apiVersion of the request, e.g. `apps/v1`. */
  readonly apiVersion: string;
  /** `--allow-privileged` */
  readonly allowPrivileged: boolean;
}

export interface Strategy<T extends KubeObject = KubeObject> {
  /** Drops what a client may not set and sets what the server owns (status, generation is generic). */
  prepareForCreate?(object: T, context: StrategyContext): void;
  /** Long work that validation needs, done before it in steps, between which the event loop runs. */
  prepareInTurns?(object: T, old: T | undefined): Generator<void, void>;
  /** Every error of a new object, metadata included (`validateObjectMeta` with the kind's name rule). */
  validate?(object: T, context: StrategyContext): FieldErrors;
  /**
   * For long validations: all errors of a new or changed object, beginning with those of `validate` or
   * `validateUpdate`; the event loop runs between the steps.
   */
  validateInTurns?(
    object: T,
    old: T | undefined,
    errors: FieldErrors,
    context: StrategyContext,
  ): Generator<void, FieldErrors>;
  /** Texts of Warning headers, made one by one: an answer has place for a few. */
  warningsOnCreate?(object: T, context: StrategyContext): Iterable<string>;

  /** `old` is the stored object and must not be changed. */
  prepareForUpdate?(object: T, old: T, context: StrategyContext): void;
  validateUpdate?(object: T, old: T, context: StrategyContext): FieldErrors;
  warningsOnUpdate?(object: T, old: T, context: StrategyContext): Iterable<string>;

  /** Makes a valid object canonical (sorted lists and the like). */
  canonicalize?(object: T): void;

  /** Field paths the request may not own (managed fields), e.g. `['status']`. */
  readonly resetFields?: readonly (readonly string[])[];
}

export interface ResourceStrategy<T extends KubeObject = KubeObject> extends Strategy<T> {
  /** PUT to a name that does not exist creates it. Default false. */
  readonly allowCreateOnUpdate?: boolean;
  /** PUT without resourceVersion overwrites. Default true. */
  readonly allowUnconditionalUpdate?: boolean;
  /**
   * metadata.generation is 1 on create and counts changes outside metadata and status, or of the status too. Default
   * false.
   */
  readonly generation?: boolean | 'withStatus';
  /**
   * Seconds until a deleted object may go, when the kind deletes gracefully (pods): undefined for at once.
   * May set the period on the object. `requested` is gracePeriodSeconds of the request.
   */
  gracePeriodSeconds?(object: T, requested: number | undefined, context: StrategyContext): number | undefined;
  /**
   * For kinds whose content goes before they do (namespaces): marks the object as going, or says that it has to wait.
   * Undefined: the generic rules decide.
   */
  beginDeletion?(object: T, context: StrategyContext): 'mark' | 'pending' | undefined;
  /** Whether an object that is going and has no finalizers may be removed now. Default true. */
  mayBeRemoved?(object: T): boolean;
  /**
   * Default finalizer policy for garbage collection when the request says nothing: 'orphan' for old extension kinds.
   */
  readonly defaultGarbageCollection?: 'background' | 'orphan' | 'unsupported';
  /** Warning for a deletion that does not say what becomes of the dependents. */
  readonly silentDeletionWarning?: string;
}

/** Rules of one API version of the resource. */
export interface VersionRules<V extends KubeObject = KubeObject, T extends KubeObject = KubeObject> {
  /** Fills absent fields, as upstream's versioned defaulting does; runs on objects of this version. */
  defaults?(object: V): void;
  /** Conversion to and from the storage version. Absent: both have the same fields. */
  toStorage?(object: V): T;
  fromStorage?(object: T): V;
}

/** One cell per column of `api/columns.ts`. */
export type Cell = string | number | boolean | null;

export interface TableRows<T extends KubeObject = KubeObject> {
  /** Cells in the order of the kind's columns. `age` renders a timestamp the way columns do. */
  cells(object: T, context: { now: Date }): Cell[];
  /** Order of the rows of a list; that of the keys unless given. */
  compare?(a: T, b: T): number;
  /** Annotations that rows leave out: upstream keeps elsewhere what they say. */
  readonly hiddenAnnotations?: readonly string[];
  /** Row conditions; only pods have one. */
  conditions?(object: T): { type: string; status: string; reason: string; message: string }[] | undefined;
}

export interface ResourceDefinition<T extends KubeObject = KubeObject> {
  readonly group: string;
  /** Plural name, as in `api/resources.ts`, which has everything that is only data. */
  readonly resource: string;
  /** By API version (`v1`); a version without an entry has no defaults and the storage version's fields. */
  readonly versions?: Readonly<Record<string, VersionRules>>;
  /**
   * Versions that others store as JSON and that have no type here, by apiVersion: their JSON into that of the stored
   * version.
   */
  readonly untypedVersions?: Readonly<Record<string, (object: JsonObject) => JsonObject>>;
  readonly strategy: ResourceStrategy<T>;
  /** Rules of the `status` subresource; absent where there is none. */
  readonly status?: Strategy<T>;
  /** Rules of other subresources that write the same object (`ephemeralcontainers`, `approval`, `finalize`, …). */
  readonly subresources?: Readonly<Record<string, Strategy<T>>>;
  /** A delete answers with the object that was removed instead of a Status. */
  readonly returnDeletedObject?: boolean;
  readonly table?: TableRows<T>;
}

/** Fixes the type parameter while the list of definitions forgets it. */
export function defineResource<T extends KubeObject>(definition: ResourceDefinition<T>): ResourceDefinition {
  return definition as unknown as ResourceDefinition;
}
