/**
 * The 410 answers (reason Expired): what the request asks for, a version or a page, is no longer in the history that
 * the server keeps. A client then lists again.
 *
 * @see {@link https://kubernetes.io/docs/reference/using-api/api-concepts/#410-gone-responses | 410 Gone responses}
 */
import { isStatusError, StatusError } from './status.ts';

export const resourceExpired = (message: string): StatusError => new StatusError(410, 'Expired', message);

export const expiredList = (): StatusError => resourceExpired('The resourceVersion for the provided list is too old.');

export const expiredWatch = (): StatusError =>
  resourceExpired('The resourceVersion for the provided watch is too old.');

/** @param continueToken with which the client can list the rest, in the current state */
export const expiredContinue = (continueToken: string): StatusError =>
  new StatusError(
    410,
    'Expired',
    'The provided continue parameter is too old to display a consistent list result. You can start a new list ' +
      'without the continue parameter, or use the continue token in this response to retrieve the remainder of ' +
      'the results. Continuing with the provided token results in an inconsistent list - objects that were ' +
      'created, modified, or deleted between the time the first chunk was returned and now may show up in the ' +
      'list.',
    undefined,
    { continueToken },
  );

export const slowWatch = (): StatusError => resourceExpired('the watch was ended because its reader was too slow');

/** Whether the answer is a 410, whatever its reason: `Gone` is what older servers say. */
export const isResourceExpired = (error: unknown): error is StatusError => isStatusError(error) && error.code === 410;
