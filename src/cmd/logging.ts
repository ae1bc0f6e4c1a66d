/** Logs of the commands: lines for people, or JSON for collectors (pino). `log-output.ts` says where they go. */
import { boundedLogger } from '../base/bounded-logger.ts';
import type { Logger } from '../base/logger.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LogOptions {
  readonly format: string;
  readonly level: LogLevel;
  readonly write: WriteLine;
}

/** @param isError whether the line tells of an error, for those who keep these apart */
export type WriteLine = (line: string, isError: boolean) => void;

/** Verbosity of `-v`: 0 is what an operator should know, from 2 on details are shown too. */
export const levelOf = (verbosity: number): 'debug' | 'info' => (verbosity >= 2 ? 'debug' : 'info');

export async function createLogger({ format, level, write }: LogOptions): Promise<Logger> {
  if (format !== 'json') return boundedLogger(createTextLogger(level, write));
  const { pino } = await import('pino'); // most starts do without it
  const logger: Logger = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => write(line, line.startsWith(jsonError)) },
  );
  return boundedLogger(logger);
}

/** How pino begins a line of level error. */
const jsonError = '{"level":50,';

export interface AdjustableLogger {
  readonly log: Logger;
  /** Of `-v`. */
  verbosity: number;
}

/**
 * A logger whose verbosity can be changed while the program runs.
 *
 * @param level until then, if not that of the verbosity
 */
export async function createAdjustableLogger(
  verbosity: number,
  { level, ...options }: Omit<LogOptions, 'level'> & { readonly level?: LogLevel },
): Promise<AdjustableLogger> {
  const usual = {
    info: await createLogger({ ...options, level: 'info' }),
    debug: await createLogger({ ...options, level: 'debug' }),
  };
  let current = level === undefined ? usual[levelOf(verbosity)] : await createLogger({ ...options, level });
  return {
    log: {
      debug: (details, message) => current.debug(details, message),
      info: (details, message) => current.info(details, message),
      warn: (details, message) => current.warn(details, message),
      error: (details, message) => current.error(details, message),
    },
    get verbosity() {
      return verbosity;
    },
    set verbosity(value) {
      verbosity = value;
      current = usual[levelOf(value)];
    },
  };
}

/** Another program's logger. It gets every line until a verbosity is set. */
export function adjustable(log: Logger, verbosity: number): AdjustableLogger {
  let hidesDetails = false;
  return {
    log: {
      debug: (details, message) => (hidesDetails ? undefined : log.debug(details, message)),
      info: (details, message) => log.info(details, message),
      warn: (details, message) => log.warn(details, message),
      error: (details, message) => log.error(details, message),
    },
    get verbosity() {
      return verbosity;
    },
    set verbosity(value) {
      verbosity = value;
      hidesDetails = levelOf(value) !== 'debug';
    },
  };
}

const letters: Readonly<Record<LogLevel, string>> = { debug: 'D', info: 'I', warn: 'W', error: 'E' };
const order: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/**
 * `W 11:21:53.412 cannot reach etcd endpoint=http://127.0.0.1:2379 err="connection refused"`; stacks at level debug
 * only.
 */
function createTextLogger(least: LogLevel, write: WriteLine): Logger {
  const at =
    (level: LogLevel) =>
    (details: object, message: string): void => {
      if (order.indexOf(level) < order.indexOf(least)) return;
      const pairs = Object.entries(details).map(([key, value]) => ` ${key}=${formatValue(value, least === 'debug')}`);
      write(
        `${letters[level]} ${new Date().toISOString().slice(11, 23)} ${message}${pairs.join('')}\n`,
        level === 'error',
      );
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function formatValue(value: unknown, withStack: boolean): string {
  const text =
    value instanceof Error
      ? formatError(value, withStack)
      : typeof value === 'string'
        ? value
        : (JSON.stringify(value) ?? String(value));
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text);
}

const formatError = (error: Error, withStack: boolean): string =>
  withStack && error.stack !== undefined ? error.stack : error.message;
