/** A command line that makes no sense; the message is for the user. */
export class UsageError extends Error {}
