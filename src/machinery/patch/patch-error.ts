import { StatusError } from '../status.ts';

/**
 * A patch that cannot be applied to the current object. Clients are not told why: upstream's answer has one fixed
 * sentence and empty details; the reason is the `cause`, for logs.
 */
export const cannotApply = (why: string | Error): StatusError =>
  new StatusError(
    422,
    'Invalid',
    'the server rejected our request due to an error in our request',
    {},
    { cause: typeof why === 'string' ? new Error(why) : why },
  );
