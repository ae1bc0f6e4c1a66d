import { aggregateText, type FieldError, shownErrors } from './field-error.ts';
import { TooManyErrors } from './field-errors.ts';
import { goQuote } from './go-quote.ts';
import { truncateText } from './truncated-text.ts';

/**
 * The API's error: a Status object with code, reason, message and details. Clients match on all four.
 * @see {@link https://kubernetes.io/docs/reference/using-api/api-concepts/ | API Concepts}
 */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: { readonly continue?: string };
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/** In characters. Messages repeat what clients send; those of upstream's texts are far from it. */
const maxMessageLength = 512 * 1024;
const maxNameLength = 1024;
const maxCauses = 1000;

const boundedDetails = (details: StatusDetails | undefined): StatusDetails | undefined =>
  details?.causes === undefined || details.causes.length <= maxCauses
    ? details
    : { ...details, causes: details.causes.slice(0, maxCauses) };

/**
 * The message and the number of causes are bounded: an answer is sent, kept for the audit log and repeated by clients.
 */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;
  /** A token with which an expired list can go on in the current state. */
  readonly continueToken: string | undefined;

  constructor(
    code: number,
    reason: string,
    message: string,
    details?: StatusDetails,
    options: { cause?: unknown; continueToken?: string } = {},
  ) {
    super(truncateText(message, maxMessageLength), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.reason = reason;
    this.details = boundedDetails(details);
    this.continueToken = options.continueToken;
  }

  toStatus(): Status {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.continueToken === undefined ? {} : { continue: this.continueToken },
      status: 'Failure',
      ...(this.message === '' ? {} : { message: this.message }),
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    };
  }
}

/** What an error is about. `resource` is the plural name, or the kind for validation errors. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** `pods`, `deployments.apps`: how messages name a resource. */
export const qualified = ({ group, resource }: GroupResource): string =>
  group === '' ? resource : `${resource}.${group}`;

const about = (gr: GroupResource, name: string, more: Partial<StatusDetails> = {}): StatusDetails => ({
  ...(name === '' ? {} : { name: truncateText(name, maxNameLength) }),
  ...(gr.group === '' ? {} : { group: gr.group }),
  ...(gr.resource === '' ? {} : { kind: gr.resource }),
  ...more,
});

export const notFound = (gr: GroupResource, name: string): StatusError =>
  new StatusError(404, 'NotFound', `${qualified(gr)} ${goQuote(name)} not found`, about(gr, name));

export const alreadyExists = (gr: GroupResource, name: string): StatusError =>
  new StatusError(409, 'AlreadyExists', `${qualified(gr)} ${goQuote(name)} already exists`, about(gr, name));

export const conflict = (gr: GroupResource, name: string, why: string): StatusError =>
  new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(gr)} ${goQuote(name)}: ${why}`,
    about(gr, name),
  );

/** The object was changed since the caller read it. */
export const modified = (gr: GroupResource, name: string): StatusError =>
  conflict(gr, name, 'the object has been modified; please apply your changes to the latest version and try again');

/** `kind` is the object's kind, with its group: `Deployment.apps "web" is invalid: …`. */
export function invalid(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  found: readonly FieldError[] | TooManyErrors,
): StatusError {
  const gr = { group: kind.group, resource: kind.kind };
  const isCut = found instanceof TooManyErrors;
  const errors = isCut ? found.errors : found;
  const causes = shownErrors(errors).map((error) => ({ reason: error.type, message: error.body, field: error.field }));
  return new StatusError(
    422,
    'Invalid',
    `${qualified(gr)} ${goQuote(truncateText(name, maxNameLength))} is invalid: ${aggregateText(errors, isCut)}`,
    about(gr, name, { causes }),
  );
}

export const badRequest = (message: string, options?: { cause?: unknown }): StatusError =>
  new StatusError(400, 'BadRequest', message, undefined, options);

export const forbidden = (gr: GroupResource, name: string, why: string): StatusError =>
  new StatusError(
    403,
    'Forbidden',
    `${qualified(gr)} ${name === '' ? '' : `${goQuote(name)} `}is forbidden: ${why}`.trimStart(),
    about(gr, name),
  );

export const unauthorized = (message = 'Unauthorized'): StatusError => new StatusError(401, 'Unauthorized', message);

export const methodNotAllowed = (gr: GroupResource, action: string): StatusError =>
  new StatusError(
    405,
    'MethodNotAllowed',
    `${action} is not supported on resources of kind ${goQuote(qualified(gr))}`,
    about(gr, ''),
  );

export const notAcceptable = (accepted: readonly string[]): StatusError =>
  new StatusError(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`);

export const unsupportedMediaType = (accepted: readonly string[]): StatusError =>
  new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );

export const requestEntityTooLarge = (message: string): StatusError =>
  new StatusError(413, 'RequestEntityTooLarge', message);

export const tooManyRequests = (message: string, retryAfterSeconds: number): StatusError =>
  new StatusError(429, 'TooManyRequests', message, { retryAfterSeconds });

export const timeout = (message: string, retryAfterSeconds = 0): StatusError =>
  new StatusError(504, 'Timeout', `Timeout: ${message}`, retryAfterSeconds > 0 ? { retryAfterSeconds } : {});

export const serverTimeout = (gr: GroupResource, operation: string, retryAfterSeconds: number): StatusError =>
  new StatusError(
    500,
    'ServerTimeout',
    `The ${operation} operation against ${qualified(gr)} could not be completed at this time, please try again.`,
    about(gr, operation, { retryAfterSeconds }),
  );

/**
 * A client asks for a version that is not there yet (`Too large resource version: 9, current: 5`); it should ask again
 * in a second.
 */
export function tooLargeResourceVersion(message: string): StatusError {
  return new StatusError(504, 'Timeout', `Timeout: ${message}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

export const isTooLargeResourceVersion = (error: unknown): error is StatusError =>
  isStatusError(error) &&
  error.code === 504 &&
  error.details?.causes?.some(({ reason }) => reason === 'ResourceVersionTooLarge') === true;

export const serviceUnavailable = (message: string): StatusError => new StatusError(503, 'ServiceUnavailable', message);

export const internalError = (message: string, options?: { cause?: unknown }): StatusError =>
  new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] }, options);

/** A bare error as upstream shows one that is no Status: code 500 and the text, no reason. */
export const plainError = (message: string, options?: { cause?: unknown }): StatusError =>
  new StatusError(500, '', message, undefined, options);

export const isStatusError = (error: unknown): error is StatusError => error instanceof StatusError;
