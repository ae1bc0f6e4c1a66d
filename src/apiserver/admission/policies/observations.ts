/** What metrics are told of policies. */

export interface PolicyObservation {
  readonly policy: string;
  readonly binding: string;
  /** What came of it. */
  readonly action: 'allow' | 'deny' | 'audit' | 'warn';
  readonly error: 'compile_error' | 'invalid_error' | 'out_of_budget' | 'no_error';
  readonly seconds: number;
}

export type ObservePolicy = (observation: PolicyObservation) => void;
