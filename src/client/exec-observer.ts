/** Told what exec plugins do, for metrics. */
export interface ExecObserver {
  called(call: { readonly status: CallStatus; readonly code: number }): void;
  /** The certificate of a plugin was replaced, so long after it began to be valid. */
  rotated(ageMs: number): void;
  /** @param certificateEndsAt milliseconds since 1970; undefined where the plugin gave no certificate */
  holds(plugin: string, certificateEndsAt: number | undefined): void;
}

/** Upstream's names. */
export type CallStatus = 'no_error' | 'plugin_execution_error' | 'plugin_not_found_error' | 'client_internal_error';
