import { goQuote } from '../../../machinery/go-quote.ts';
import { bool, duration, int, optionalText, section, text, type ValuesOf } from '../flag.ts';
import type { Problems, Spelling } from './problems.ts';

export const logs = section('Logs', {
  verbosity: int('v', 'supported', {
    shorthand: 'v',
    help: 'How much is logged: 0 and 1 what an operator should know, 2 and above details and where errors come from.',
  }),
  format: text('logging-format', 'supported', { default: 'text', help: 'text, or json for an object per line.' }),
  vmodule: optionalText('vmodule', 'ignored', { help: 'Verbosity per source file of a Go program.' }),
  flushFrequencyMs: duration('log-flush-frequency', 'ignored', {
    default: '5s',
    help: 'How often logs are flushed: every line is written at once.',
  }),
  jsonSplitStream: bool('log-json-split-stream', 'unsupported', {
    help: 'In format json, errors to standard error and the rest to standard output.',
  }),
  jsonInfoBufferSize: text('log-json-info-buffer-size', 'unsupported', {
    default: '0',
    help: 'With --log-json-split-stream, how many bytes are collected before they are written.',
  }),
  textSplitStream: bool('log-text-split-stream', 'unsupported', {
    help: 'In format text, errors to standard error and the rest to standard output.',
  }),
  textInfoBufferSize: text('log-text-info-buffer-size', 'unsupported', {
    default: '0',
    help: 'With --log-text-split-stream, how many bytes are collected before they are written.',
  }),
});

export type LogOptions = ValuesOf<typeof logs.flags>;

export const logProblems = ({ format, verbosity }: LogOptions, spelled: Spelling): Problems => [
  !['text', 'json'].includes(format) &&
    `${spelled('logging-format')}: Invalid value: ${goQuote(format)}: Unsupported log format`,
  verbosity < 0 && `${spelled('v')} can not be negative value`,
];
