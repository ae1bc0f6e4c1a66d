/** An informer over a source in memory, with a handler that notes what it is told. */
import { onTestFinished } from 'vitest';
import { type Logger, silentLogger } from '../../base/logger.ts';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import type { InformerHandler } from '../handlers.ts';
import { Informer, type InformerOptions } from '../informer.ts';
import { type MemoryObject, MemorySource } from './memory-source.ts';

/** What a handler is told, as lines. */
export function told(): { readonly lines: string[]; readonly handler: InformerHandler<MemoryObject> } {
  const lines: string[] = [];
  const of = ({ name, data, version }: MemoryObject): string => `${name}${data === '' ? '' : `=${data}`}@${version}`;
  return {
    lines,
    handler: {
      onAdd: (object, isInitial) => lines.push(`${isInitial ? 'initial' : 'add'} ${of(object)}`),
      onUpdate: (before, after) => lines.push(`update ${of(before)} to ${of(after)}`),
      onDelete: (last, final) =>
        lines.push(`delete ${of(last)}, ${final === undefined ? 'missed' : `then ${of(final)}`}`),
    },
  };
}

export function setUp(options: Partial<InformerOptions<MemoryObject>> = {}, source = new MemorySource()) {
  const clock = new FakeClock();
  const warnings: string[] = [];
  const log: Logger = {
    ...silentLogger,
    warn: (_, message) => warnings.push(message),
    error: (_, message) => warnings.push(message),
  };
  const informer = new Informer({ source, log, clock, random: () => 0.5, ...options });
  const { lines, handler } = told();
  informer.addHandler(handler);
  onTestFinished(() => informer.stop());
  const start = async (): Promise<void> => {
    informer.start();
    await clock.advance(0);
  };
  return { clock, source, informer, lines, start, warnings, state: () => [...informer.objects.values()] };
}
