/**
 * What the user can mend: shown as its message alone, which says what to do next. Anything else is shown with its
 * stack.
 */
export class UserError extends Error {
  override readonly name = 'UserError';
}
