import { isNotFound } from './api-error.ts';

/** For `catch`: what the server does not have is undefined, and any other failure stays one. */
export function undefinedWhenGone(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
