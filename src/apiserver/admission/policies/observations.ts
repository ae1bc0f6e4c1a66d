/** What is counted of policies: plain values, so that they can come from another thread. */
import type { AdmissionAttributes } from '../../../registry/admission.ts';

export type PolicyObservation =
  | {
      readonly what: 'check';
      readonly policy: string;
      readonly binding: string;
      /** What came of it. */
      readonly action: 'allow' | 'deny' | 'audit' | 'warn';
      readonly error: 'compile_error' | 'invalid_error' | 'out_of_budget' | 'no_error';
      readonly seconds: number;
    }
  /** Match conditions that kept a policy from being asked, or of which so many failed. */
  | {
      readonly what: 'conditions';
      readonly policy: string;
      readonly operation: AdmissionAttributes['operation'];
      readonly failed: number;
      readonly seconds: number;
    };

export type ObservePolicy = (observation: PolicyObservation) => void;
