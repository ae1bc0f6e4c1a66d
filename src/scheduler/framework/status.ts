/** What a plugin says of a pod, or of a pod on a node. Success is `undefined`: most answers are, and cost nothing. */

export type Code =
  /** The plugin itself failed. */
  | 'Error'
  /** The pod does not fit now. Removing other pods may help. */
  | 'Unschedulable'
  /** The pod does not fit, and removing other pods does not help. */
  | 'UnschedulableAndUnresolvable'
  /** Permit: the pod waits for another decision. */
  | 'Wait'
  /** The plugin has no part in scheduling this pod. */
  | 'Skip'
  /** The pod waits for something outside of the scheduler, and is tried at once when it comes. */
  | 'Pending';

export class Status {
  readonly code: Code;
  /** For people; they are counted over nodes. */
  readonly reasons: readonly string[];
  /** Name of the plugin. */
  readonly plugin: string;
  readonly error: unknown;

  constructor(code: Code, plugin: string, reasons: readonly string[] = [], error?: unknown) {
    this.code = code;
    this.plugin = plugin;
    this.reasons = reasons;
    this.error = error;
  }

  get message(): string {
    return this.reasons.join(', ');
  }

  /** The pod does not fit; no part failed. */
  get isRejected(): boolean {
    return isRejection(this.code);
  }
}

export const isRejection = (code: Code): boolean =>
  code === 'Unschedulable' || code === 'UnschedulableAndUnresolvable' || code === 'Pending';

export const unschedulable = (plugin: string, ...reasons: string[]): Status =>
  new Status('Unschedulable', plugin, reasons);

export const unresolvable = (plugin: string, ...reasons: string[]): Status =>
  new Status('UnschedulableAndUnresolvable', plugin, reasons);

export const skip = (plugin: string): Status => new Status('Skip', plugin);

export function failure(plugin: string, error: unknown): Status {
  return new Status('Error', plugin, [error instanceof Error ? error.message : String(error)], error);
}

/** Undefined as the name that metrics show. */
export const codeOf = (status: Status | undefined): Code | 'Success' => status?.code ?? 'Success';
