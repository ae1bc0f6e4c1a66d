/** How a command has ended, as node agents say it and as clients hear it. */
import { goQuote } from '../../machinery/go-quote.ts';
import { internalError, type Status, StatusError } from '../../machinery/status.ts';
import { isObject, type JsonValue } from '../../machinery/value.ts';

export interface CommandEnd {
  /** Of the stream, for metrics: a command that ran and failed is none of it. */
  readonly code: number;
  /** Undefined where all went well. */
  readonly status: StatusError | undefined;
}

const wentWell: CommandEnd = { code: 200, status: undefined };
const failed = (message: string): CommandEnd => ({ code: 500, status: internalError(message) });
const protocolError = (what: string): CommandEnd => failed(`error stream protocol error: ${what}`);

/** Up to version 3 of the protocol it is a text. */
export const textEnd = (text: string): CommandEnd =>
  text === '' ? wentWell : failed(`error executing remote command: ${text}`);

/** From version 4 on it is a Status. */
export function commandEnd(text: string): CommandEnd {
  if (text === '') return wentWell;
  const value = parse(text);
  if (!isObject(value)) return protocolError(`it is no Status in ${goQuote(text)}`);
  const { status, reason, message = '', details } = value as Partial<Status>;
  if (status === 'Success') return wentWell;
  if (status !== 'Failure') return protocolError('unknown error');
  if (reason !== 'NonZeroExitCode') return failed(message);
  if (details === undefined) return protocolError('details must be set');
  const cause = details.causes?.find((one) => one.reason === 'ExitCode');
  if (cause === undefined) return protocolError('no ExitCode cause given');
  const exitCode = cause.message ?? '';
  if (!/^\d{1,3}$/.test(exitCode) || Number(exitCode) > 255)
    return protocolError(`invalid exit code value ${goQuote(exitCode)}`);
  return { code: 200, status: exited(Number(exitCode)) };
}

const exited = (exitCode: number): StatusError =>
  new StatusError(
    0,
    'NonZeroExitCode',
    `command terminated with non-zero exit code: command terminated with exit code ${exitCode}`,
    { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  );

/** For the client, in JSON. It has no kind, as upstream. */
export function endForClient({ status }: CommandEnd): string {
  if (status === undefined) return '{"metadata":{},"status":"Success"}';
  const { reason, message, details, code } = status.toStatus();
  return JSON.stringify({
    metadata: {},
    status: 'Failure',
    message,
    reason,
    details,
    ...(code === 0 ? {} : { code }),
  });
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
