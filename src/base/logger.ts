type Write = (fields: Record<string, unknown>, message: string) => void;

/** What a module may say: a constant message, the variable part as fields. pino's loggers fit. */
export interface Logger {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}

const nothing: Write = () => undefined;

export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
