/**
 * What a server refuses, as the error of a call: the Status that it sent, with code, reason, message and details.
 *
 * Causes, in the order of `details.causes`, name the fields of an object that is invalid.
 */
import { isStatusError, StatusError } from '../machinery/status.ts';

export { ClientClosedError, ConnectionError } from './transport/message.ts';
export type { Status, StatusCause, StatusDetails } from '../machinery/status.ts';
export { isStatusError as isApiError, StatusError as ApiError };
/** The version or the continue token is too old: list again. */
export { isResourceExpired as isExpired } from '../machinery/resource-expired.ts';

/** By reason, and by code for servers that give no reason. */
const is =
  (reason: string, code: number) =>
  (error: unknown): error is StatusError =>
    isStatusError(error) && (error.reason === reason || (error.reason === '' && error.code === code));

export const isBadRequest = is('BadRequest', 400);
export const isUnauthorized = is('Unauthorized', 401);
export const isForbidden = is('Forbidden', 403);
/** There is no such object, or no such resource. */
export const isNotFound = is('NotFound', 404);
export const isMethodNotSupported = is('MethodNotAllowed', 405);
export const isNotAcceptable = is('NotAcceptable', 406);
/** The object was changed since it was read: read it again and repeat the change. */
export const isConflict = is('Conflict', 409);
export const isAlreadyExists = (error: unknown): error is StatusError =>
  isStatusError(error) && error.reason === 'AlreadyExists';
export const isGone = is('Gone', 410);
export const isRequestTooLarge = is('RequestEntityTooLarge', 413);
export const isUnsupportedMediaType = is('UnsupportedMediaType', 415);
export const isInvalid = is('Invalid', 422);
export const isTooManyRequests = is('TooManyRequests', 429);
export const isInternalError = is('InternalError', 500);
export const isServiceUnavailable = is('ServiceUnavailable', 503);
export const isTimeout = is('Timeout', 504);
export const isServerTimeout = (error: unknown): error is StatusError =>
  isStatusError(error) && error.reason === 'ServerTimeout';

/** Seconds after which the server wants to be asked again. */
export function suggestsDelay(error: unknown): number | undefined {
  if (!isStatusError(error)) return undefined;
  const seconds = error.details?.retryAfterSeconds ?? 0;
  return seconds > 0 ? seconds : undefined;
}
