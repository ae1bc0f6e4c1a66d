/**
 * A pod that may not be scheduled yet can still be told where: node selector and required node affinity may be
 * narrowed.
 * @see {@link https://kep.k8s.io/3838 | KEP-3838}
 */
import type { NodeAffinity, NodeSelectorTerm, PodSpec } from '../../gen/types/core-v1.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { invalid } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { goStringMap } from '../../../machinery/go-quote.ts';
import { shownStruct, shownStructs } from '../../shown-struct.ts';

const requiredTerms = 'requiredDuringSchedulingIgnoredDuringExecution';

export function checkGatedChanges(
  { nodeSelector, affinity }: PodSpec,
  old: PodSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const key in old.nodeSelector) {
    if (nodeSelector?.[key] === old.nodeSelector[key]) continue;
    errors.push(
      invalid(
        path.child('nodeSelector'),
        goStringMap(nodeSelector),
        'only additions to spec.nodeSelector are allowed (no mutations or deletions)',
      ),
    );
    break;
  }
  if (!isEqual(affinity?.nodeAffinity, old.affinity?.nodeAffinity))
    checkTerms(
      affinity?.nodeAffinity,
      old.affinity?.nodeAffinity,
      path.child('affinity', 'nodeAffinity', requiredTerms, 'nodeSelectorTerms'),
      errors,
    );
}

function checkTerms(
  affinity: NodeAffinity | undefined,
  old: NodeAffinity | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const before = old?.[requiredTerms]?.nodeSelectorTerms ?? [];
  const now = affinity?.[requiredTerms]?.nodeSelectorTerms ?? [];
  if (before.length === 0) return;
  if (before.length !== now.length)
    return void errors.push(
      invalid(
        path,
        shownStructs('core/v1.NodeSelectorTerm', now),
        'no additions/deletions to non-empty NodeSelectorTerms list are allowed',
      ),
    );
  before.forEach((term, i) => {
    if (!isNarrowed(now[i]!, term))
      errors.push(
        invalid(
          path.index(i),
          shownStruct('core/v1.NodeSelectorTerm', now[i]),
          'only additions are allowed (no mutations or deletions)',
        ),
      );
  });
}

/** Requirements may be appended to the old ones; a term without any selects nothing and stays so. */
function isNarrowed(term: NodeSelectorTerm, old: NodeSelectorTerm): boolean {
  const count = ({ matchExpressions, matchFields }: NodeSelectorTerm): number =>
    (matchExpressions?.length ?? 0) + (matchFields?.length ?? 0);
  if (count(old) === 0) return count(term) === 0;
  return startsWith(term.matchExpressions, old.matchExpressions) && startsWith(term.matchFields, old.matchFields);
}

const startsWith = <T>(list: readonly T[] = [], start: readonly T[] = []): boolean =>
  isEqual(list.slice(0, start.length), start);

/** The spec with the old node selector and node affinity. */
export function withoutGatedChanges(spec: PodSpec, old: PodSpec): PodSpec {
  return { ...spec, nodeSelector: old.nodeSelector, affinity: withOldNodeAffinity(spec, old) };
}

function withOldNodeAffinity({ affinity }: PodSpec, old: PodSpec): PodSpec['affinity'] {
  const nodeAffinity = old.affinity?.nodeAffinity;
  if (isEqual(affinity?.nodeAffinity, nodeAffinity)) return affinity;
  if (affinity === undefined) return { nodeAffinity };
  const isOnlyNodes = affinity.podAffinity === undefined && affinity.podAntiAffinity === undefined;
  return old.affinity === undefined && isOnlyNodes ? undefined : { ...affinity, nodeAffinity };
}
