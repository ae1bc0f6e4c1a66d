/** Logs of the commands: lines for people, or JSON for collectors (pino). Both go to standard error. */
import { boundedLogger } from '../base/bounded-logger.ts';
import type { Logger } from '../base/logger.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LogOptions {
  readonly format: string;
  readonly level: LogLevel;
  readonly write: (line: string) => void;
}

/** Verbosity of `-v`: 0 is what an operator should know, from 2 on details are shown too. */
export const levelOf = (verbosity: number): LogLevel => (verbosity >= 2 ? 'debug' : 'info');

export async function createLogger({ format, level, write }: LogOptions): Promise<Logger> {
  if (format !== 'json') return boundedLogger(createTextLogger(level, write));
  const { pino } = await import('pino'); // most starts do without it
  const logger: Logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write });
  return boundedLogger(logger);
}

const letters: Readonly<Record<LogLevel, string>> = { debug: 'D', info: 'I', warn: 'W', error: 'E' };
const order: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/**
 * `W 11:21:53.412 cannot reach etcd endpoint=http://127.0.0.1:2379 err="connection refused"`; stacks at level debug
 * only.
 */
function createTextLogger(least: LogLevel, write: (line: string) => void): Logger {
  const at =
    (level: LogLevel) =>
    (details: object, message: string): void => {
      if (order.indexOf(level) < order.indexOf(least)) return;
      const pairs = Object.entries(details).map(([key, value]) => ` ${key}=${formatValue(value, least === 'debug')}`);
      write(`${letters[level]} ${new Date().toISOString().slice(11, 23)} ${message}${pairs.join('')}\n`);
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
