/** Logs, metrics and traces of the process itself. */
import type { TracingFields } from '../../../server/tracing/configuration.ts';
import { object, optional, text } from '../field.ts';
import type { Shape } from '../../../machinery/document-shape.ts';

export interface LoggingFields {
  readonly format?: string;
  /** A duration, or nanoseconds. */
  readonly flushFrequency?: string | number;
  readonly verbosity?: number;
  readonly vmodule?: readonly { readonly filePattern?: string; readonly verbosity?: number }[];
  readonly options?: Readonly<Record<'json' | 'text', OutputRouting | undefined>>;
}

export interface OutputRouting {
  readonly splitStream?: boolean;
  readonly infoBufferSize?: string;
}

const routing: Shape = { splitStream: 'boolean', infoBufferSize: 'string' };

export const processFields = {
  logging: object<LoggingFields>(
    {
      format: 'string',
      flushFrequency: 'any',
      verbosity: 'integer',
      vmodule: [{ filePattern: 'string', verbosity: 'integer' }],
      options: { json: routing, text: routing },
    },
    {},
    { help: 'Format, verbosity and streams of the log.' },
  ),
  showHiddenMetricsForVersion: text('', {
    flag: 'show-hidden-metrics-for-version',
    help: 'Show the metrics that were hidden in this version: 1.31.',
  }),
  tracing: optional(
    object<TracingFields>(
      { endpoint: 'string', samplingRatePerMillion: 'integer' },
      {},
      {
        gate: 'KubeletTracing',
        help: 'Where traces are sent, and how many.',
      },
    ),
  ),
};
