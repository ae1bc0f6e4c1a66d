/** Logs of the commands: lines for people, or JSON for collectors (pino). Both go to standard error. */
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
  if (format !== 'json') return new TextLogger(level, write);
  const { pino } = await import('pino'); // most starts do without it
  const logger: Logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write });
  return logger;
}

const letters: Readonly<Record<LogLevel, string>> = { debug: 'D', info: 'I', warn: 'W', error: 'E' };
const order: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** `W 11:21:53.412 cannot reach etcd endpoint=http://127.0.0.1:2379 err="connection refused"` */
class TextLogger implements Logger {
  readonly #level: LogLevel;
  readonly #write: (line: string) => void;

  constructor(level: LogLevel, write: (line: string) => void) {
    this.#level = level;
    this.#write = write;
  }

  debug(details: object, message: string): void {
    this.#log('debug', details, message);
  }

  info(details: object, message: string): void {
    this.#log('info', details, message);
  }

  warn(details: object, message: string): void {
    this.#log('warn', details, message);
  }

  error(details: object, message: string): void {
    this.#log('error', details, message);
  }

  #log(level: LogLevel, details: object, message: string): void {
    if (order.indexOf(level) < order.indexOf(this.#level)) return;
    const pairs = Object.entries(details).map(([key, value]) => ` ${key}=${formatValue(value)}`);
    this.#write(`${letters[level]} ${new Date().toISOString().slice(11, 23)} ${message}${pairs.join('')}\n`);
  }
}

function formatValue(value: unknown): string {
  const text = value instanceof Error ? (value.stack ?? value.message) : typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text);
}
