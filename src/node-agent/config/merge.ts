/**
 * The configuration from its sources: the file of `--config`, over it the files of `--config-dir` in their order, over
 * all of them the flags.
 */
import { applyMergePatch } from '../../machinery/patch/merge-patch.ts';
import type { JsonObject } from '../../machinery/value.ts';
import { configWithoutFile, type FieldName, type NodeAgentConfig, valueOf, withValues } from './config.ts';
import { configFrom, formatConfig } from './document.ts';

/** A document that was read, its paths resolved. */
export interface ConfigSource {
  readonly file: string;
  readonly members: JsonObject;
}

export interface ConfigSources {
  readonly main: ConfigSource | undefined;
  /** Later ones win: their lists replace others, their objects are merged. */
  readonly dropIns: readonly ConfigSource[];
  /** What flags say, and how they were written: `--max-pods`. */
  readonly flags: ReadonlyMap<FieldName, { readonly value: unknown; readonly written: string }>;
}

/** As upstream: what the defaults fill in is there before the files of `--config-dir` are merged in. */
export function mergeConfig({ main, dropIns, flags }: ConfigSources): NodeAgentConfig {
  const base = main === undefined ? configWithoutFile : configFrom(main.members);
  const merged =
    dropIns.length === 0
      ? base
      : configFrom(
          dropIns.reduce(
            (members, { members: more }) => applyMergePatch(members, more) as JsonObject,
            formatConfig(base),
          ),
        );
  return withValues(merged, overFiles(merged, flags));
}

function overFiles(config: NodeAgentConfig, flags: ConfigSources['flags']): ReadonlyMap<FieldName, unknown> {
  const values = new Map([...flags].map(([name, { value }]) => [name, value]));
  const gates = flags.get('featureGates');
  // Gates of files that no flag names stay as they are.
  if (gates !== undefined) values.set('featureGates', { ...config.featureGates, ...(gates.value as object) });
  return values;
}

/** What decided the value of a field: a flag as it was written, or a file. Undefined: the default. */
export function sourceOf(name: FieldName, { main, dropIns, flags }: ConfigSources): string | undefined {
  const flag = flags.get(name);
  if (flag !== undefined) return flag.written;
  return [...(main === undefined ? [] : [main]), ...dropIns].findLast(
    ({ members }) => valueOf(members, name) !== undefined,
  )?.file;
}
