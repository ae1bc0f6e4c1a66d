import type { Work } from '../base/work-description.ts';
import type { KubeObject } from '../machinery/object-meta.ts';
import type { MergeType } from '../machinery/managed-fields/merge-type.ts';
import type { GroupResource } from '../machinery/status.ts';
import type { UserInfo } from '../machinery/user.ts';
import type { JsonObject } from '../machinery/value.ts';

/** What objects are called in one API version: the resource in a path, and the kind of a body. */
export interface ResourceForm {
  readonly resource: GroupResource & { readonly version: string };
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
}

/**
 * The API versions in which the object of a write can be shown and read, for what is asked about it in a version of its
 * choice. The same value for all writes of a resource and subresource, until the resource changes.
 */
export interface ObjectForms {
  /** All that are served, that of the request among them. */
  readonly all: readonly ResourceForm[];
  /** The object as its clients see it in this form, the caller's own. Rejects where it cannot be converted. */
  show(object: KubeObject, form: ResourceForm): Promise<JsonObject>;
  /** The same as JSON text in UTF-8, without a value in between. */
  write(object: KubeObject, form: ResourceForm): Promise<Buffer>;
  /**
   * Makes `object`, which it changes in place, what `shown` says, with the defaults of the form. False when it was that
   * already. Rejects with a `JsonTypeError` for what is no object of the form.
   */
  replace(object: KubeObject, shown: JsonObject, form: ResourceForm): Promise<boolean>;
  /** How objects of the form are merged; of a built-in kind, the id of its type. */
  typeOf(form: ResourceForm): MergeType | string;
}

/**
 * What an admission plugin may know of a write. No request, no transport: plugins are tested without HTTP.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/ | Admission Control}
 */
export interface AdmissionAttributes extends Partial<Work> {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly resource: GroupResource & { readonly version: string };
  readonly subresource: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly namespace: string;
  /** Empty for a create with generateName. */
  readonly name: string;
  /** In the storage version; plugins may change it while they mutate. Absent for DELETE. */
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  readonly options: Readonly<Record<string, unknown>>;
  readonly forms: ObjectForms;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Adds a Warning header. */
  warn(text: string): void;
  /** Adds to what the audit event of the request says. */
  annotate(key: string, value: string): void;
  /** The same for what shows a part of the object: only where the event has the object as well. */
  annotateObject(key: string, value: string): void;
  /** Aborts when the request is over. */
  readonly signal?: AbortSignal;
  /** When the request times out, by `performance.now()`. */
  readonly deadline?: number | undefined;
}

/** A pass through all plugins that mutate: there is a second one when a webhook or a policy has changed something. */
export interface AdmissionRound {
  readonly isSecond: boolean;
  /** Asks for a second round, so that earlier plugins see what was changed after them. */
  again(): void;
}

/** Refuse by throwing a StatusError. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Operations it looks at. */
  handles(operation: AdmissionAttributes['operation']): boolean;
  /** May change `object`. Called once more for the same request where a plugin asks for it. */
  admit?(attributes: AdmissionAttributes, round?: AdmissionRound): Promise<void> | void;
  /** Sees the final object. */
  validate?(attributes: AdmissionAttributes): Promise<void> | void;
}

/** Plugins in execution order, as one. */
export interface Admission {
  admit(attributes: AdmissionAttributes): Promise<void>;
  validate(attributes: AdmissionAttributes): Promise<void>;
}

export type AdmissionPhase = 'admit' | 'validate';

type Operation = AdmissionAttributes['operation'];

/** Takes the seconds that something took, again and again. */
export interface Durations {
  observe(seconds: number): void;
}

export interface AdmissionObserver {
  /** Asked once for what is often the same. */
  plugin(name: string, operation: Operation, phase: AdmissionPhase, rejected: boolean): Durations;
  /** All plugins of a phase, up to the one that refused. */
  step(operation: Operation, phase: AdmissionPhase, rejected: boolean): Durations;
}

const unobserved: Durations = { observe: () => undefined };
const noObserver: AdmissionObserver = { plugin: () => unobserved, step: () => unobserved };

export function createAdmissionChain(
  plugins: readonly AdmissionPlugin[],
  observer: AdmissionObserver = noObserver,
): Admission {
  const admit = createPhase('admit', plugins, observer);
  const validate = createPhase('validate', plugins, observer);
  return {
    admit: async (attributes) => {
      let again = false;
      await admit(attributes, { isSecond: false, again: () => void (again = true) });
      if (again) await admit(attributes, secondRound);
    },
    validate: (attributes) => validate(attributes, secondRound),
  };
}

/** After which there is no other. */
const secondRound: AdmissionRound = { isSecond: true, again: () => undefined };

/** What takes part in a phase of an operation. */
interface Part {
  readonly plugin: AdmissionPlugin;
  readonly durations: Durations;
}

interface Step {
  readonly parts: readonly Part[];
  readonly durations: Durations;
}

function createPhase(
  phase: AdmissionPhase,
  plugins: readonly AdmissionPlugin[],
  observer: AdmissionObserver,
): (attributes: AdmissionAttributes, round: AdmissionRound) => Promise<void> {
  // Made at the first use: a start does not wait for the series of all operations.
  const steps = new Map<Operation, Step>();
  const stepOf = (operation: Operation): Step => {
    const taking = plugins.filter((plugin) => plugin[phase] !== undefined && plugin.handles(operation));
    return {
      parts: taking.map((plugin) => ({ plugin, durations: observer.plugin(plugin.name, operation, phase, false) })),
      durations: observer.step(operation, phase, false),
    };
  };
  return async (attributes, round) => {
    const { operation } = attributes;
    let step = steps.get(operation);
    if (step === undefined) steps.set(operation, (step = stepOf(operation)));
    const begin = performance.now();
    let last = begin;
    for (const { plugin, durations } of step.parts) {
      try {
        const pending = plugin[phase]!(attributes, round);
        if (pending !== undefined) await pending;
      } catch (error) {
        const now = performance.now();
        observer.plugin(plugin.name, operation, phase, true).observe((now - last) / 1000);
        observer.step(operation, phase, true).observe((now - begin) / 1000);
        throw error;
      }
      const now = performance.now();
      durations.observe((now - last) / 1000);
      last = now;
    }
    step.durations.observe((last - begin) / 1000);
  };
}
