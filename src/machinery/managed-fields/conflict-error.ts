import { compareText } from '../compare-text.ts';
import { goQuote } from '../go-quote.ts';
import { StatusError } from '../status.ts';
import type { Conflict } from './apply.ts';
import type { ManagerName } from './manager-table.ts';

/** Conflicts that an answer shows. */
const maxShown = 1000;

/** 409 with a cause per field; the message lists them by manager. Clients show it as it is. */
export function conflictError(conflicts: readonly Conflict[]): StatusError {
  const sorted = [...conflicts].sort((a, b) => compareText(a.id, b.id));
  const causes = sorted.slice(0, maxShown).map(({ manager, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${shown(manager)}`,
    field: path.join(''),
  }));
  return new StatusError(409, 'Conflict', messageOf(sorted), { causes });
}

function messageOf(conflicts: readonly Conflict[]): string {
  if (conflicts.length === 1) {
    const { manager, path } = conflicts[0]!;
    return `Apply failed with 1 conflict: conflict with ${shown(manager)}: ${path.join('')}`;
  }
  const lines: string[] = [];
  conflicts.slice(0, maxShown).forEach(({ id, manager, path }, index) => {
    if (conflicts[index - 1]?.id !== id) lines.push(`conflicts with ${shown(manager)}:`);
    lines.push(`- ${path.join('')}`);
  });
  if (conflicts.length > maxShown) lines.push(`and ${conflicts.length - maxShown} more`);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

/** `"kubectl"`, `"hpa" with subresource "scale" using apps/v1`: managers that apply are shown without a version. */
function shown({ manager, operation, apiVersion, subresource }: ManagerName): string {
  const name = subresource === '' ? goQuote(manager) : `${goQuote(manager)} with subresource ${goQuote(subresource)}`;
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}
