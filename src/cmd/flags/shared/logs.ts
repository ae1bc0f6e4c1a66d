import { goQuote } from '../../../machinery/go-quote.ts';
import { bool, duration, int, optionalText, quantity, section, text, type ValuesOf } from '../flag.ts';
import type { Problems, Spelling } from './problems.ts';

export const logs = section('Logs', {
  verbosity: int('v', 'supported', {
    shorthand: 'v',
    help: 'How much is logged: 0 and 1 what an operator should know, 2 and above details and where errors come from.',
  }),
  format: text('logging-format', 'supported', { default: 'text', help: 'text, or json for an object per line.' }),
  vmodule: optionalText('vmodule', 'ignored', { help: 'Verbosity per source file of a Go program.' }),
  flushFrequencyMs: duration('log-flush-frequency', 'supported', {
    default: '5s',
    help: 'How often lines are written that are collected, see --log-json-info-buffer-size. All others at once.',
  }),
  jsonSplitStream: bool('log-json-split-stream', 'supported', {
    help: 'In format json, errors to standard error and the rest to standard output.',
  }),
  jsonInfoBufferSize: quantity('log-json-info-buffer-size', 'supported', {
    help: 'With --log-json-split-stream, how many bytes of what is no error are collected before they are written.',
  }),
  textSplitStream: bool('log-text-split-stream', 'supported', {
    help: 'In format text, errors to standard error and the rest to standard output.',
  }),
  textInfoBufferSize: quantity('log-text-info-buffer-size', 'supported', {
    help: 'With --log-text-split-stream, how many bytes of what is no error are collected before they are written.',
  }),
});

export type LogOptions = ValuesOf<typeof logs.flags>;

export const logProblems = (
  { format, verbosity, flushFrequencyMs, jsonInfoBufferSize, textInfoBufferSize }: LogOptions,
  spelled: Spelling,
): Problems => [
  !['text', 'json'].includes(format) &&
    `${spelled('logging-format')}: Invalid value: ${goQuote(format)}: Unsupported log format`,
  verbosity < 0 && `${spelled('v')} can not be negative value`,
  flushFrequencyMs < 0 && `${spelled('log-flush-frequency')} can not be negative value`,
  jsonInfoBufferSize < 0 && `${spelled('log-json-info-buffer-size')} can not be negative value`,
  textInfoBufferSize < 0 && `${spelled('log-text-info-buffer-size')} can not be negative value`,
];
