/** Requests that were sent to the reference server, with its answers. */

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly contentType?: string;
  readonly accept?: string;
  readonly user?: string;
  readonly body?: unknown;
  readonly delay?: number;
  readonly during?: readonly RecordedStep[];
  readonly repeatedUntil?: readonly [path: string, value: unknown] | Record<string, unknown>;
}

export interface RecordedResponse {
  readonly status: number;
  readonly headers?: Record<string, string | string[]>;
  readonly warnings?: string[];
  readonly body?: unknown;
  readonly events?: unknown[];
  readonly ended?: 'server' | 'client';
}

export interface RecordedStep {
  readonly request: RecordedRequest;
  readonly response: RecordedResponse;
  readonly setup?: boolean;
}

export interface RecordedCase {
  readonly name: string;
  readonly servedVersion: 'kinds' | 'protocol';
  readonly namespaces: readonly string[];
  readonly steps: readonly (RecordedStep | string)[];
}
