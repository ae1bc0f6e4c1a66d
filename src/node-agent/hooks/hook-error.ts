/** A hook that failed, in upstream's words. */
export class HookError extends Error {
  override readonly name = 'HookError';
}
