/** Fields about what this runtime does not have. They are accepted, which the agent says at its start. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { fieldsByName, type NodeAgentConfig, valueOf } from './config.ts';

/** Those with another value than their default. */
export function ignoredFields(config: NodeAgentConfig): readonly string[] {
  const fields = [...fieldsByName].filter(
    ([name, field]) => field.support === 'ignored' && !isDeepStrictEqual(valueOf(config, name), field.default),
  );
  return [
    ...fields.map(([name]) => name),
    // Of source files of a Go program.
    ...((config.logging.vmodule ?? []).length > 0 ? ['logging.vmodule'] : []),
  ];
}
