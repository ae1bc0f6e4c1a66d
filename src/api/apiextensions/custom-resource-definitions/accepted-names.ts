/**
 * Which names of a definition are accepted: no two definitions of a group share a name. The first definition keeps it,
 * and a name that was accepted stays accepted.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#create-a-customresourcedefinition
 *   | names of a definition}
 */
import type { CustomResourceDefinition, CustomResourceDefinitionNames } from '../../gen/types/apiextensions-v1.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import type { Finding } from './conditions.ts';

export interface Naming {
  readonly acceptedNames: CustomResourceDefinitionNames;
  readonly namesAccepted: Finding;
}

/** Names in use by other definitions of the group. */
interface TakenNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

/** @param others definitions of the same group; this one may be among them */
export function decideAcceptedNames(
  definition: CustomResourceDefinition,
  others: Iterable<CustomResourceDefinition>,
): Naming {
  const {
    spec: { names: wanted },
    status,
  } = definition;
  const taken = namesOf(others, definition.metadata.name);
  const accepted: CustomResourceDefinitionNames = { ...status.acceptedNames };
  let namesAccepted: Finding = {
    type: 'NamesAccepted',
    status: 'True',
    reason: 'NoConflicts',
    message: 'no conflicts found',
  };
  const refuse = (reason: string, message: string): void => {
    namesAccepted = { type: 'NamesAccepted', status: 'False', reason, message };
  };
  // The last conflict is the one that is told.
  for (const { member, used, reason } of singleNames) {
    const conflict = conflictOf(wanted[member] ?? '', accepted[member] ?? '', taken[used]);
    if (conflict === undefined) setName(accepted, member, wanted[member]);
    else refuse(reason, conflict);
    if (member === 'singular') judgeShortNames(wanted, accepted, taken, refuse);
  }
  setName(accepted, 'categories', wanted.categories);
  return { acceptedNames: accepted, namesAccepted };
}

const singleNames = [
  { member: 'plural', used: 'resources', reason: 'PluralConflict' },
  { member: 'singular', used: 'resources', reason: 'SingularConflict' },
  { member: 'kind', used: 'kinds', reason: 'KindConflict' },
  { member: 'listKind', used: 'kinds', reason: 'ListKindConflict' },
] as const;

function judgeShortNames(
  { shortNames: wanted = [] }: CustomResourceDefinitionNames,
  accepted: CustomResourceDefinitionNames,
  { resources }: TakenNames,
  refuse: (reason: string, message: string) => void,
): void {
  if (isEqual(wanted, accepted.shortNames ?? [])) return;
  const known = new Set(accepted.shortNames);
  const conflicts = wanted
    .map((name) => conflictOf(name, known.has(name) ? name : '', resources))
    .filter((conflict) => conflict !== undefined);
  if (conflicts.length === 0) setName(accepted, 'shortNames', wanted.length === 0 ? undefined : wanted);
  else refuse('ShortNamesConflict', conflicts.length === 1 ? conflicts[0]! : `[${conflicts.join(', ')}]`);
}

const conflictOf = (wanted: string, accepted: string, taken: ReadonlySet<string>): string | undefined =>
  wanted === accepted || !taken.has(wanted) ? undefined : `${goQuote(wanted)} is already in use`;

function setName<K extends keyof CustomResourceDefinitionNames>(
  names: CustomResourceDefinitionNames,
  member: K,
  value: CustomResourceDefinitionNames[K],
): void {
  if (value === undefined) delete names[member];
  else names[member] = value;
}

function namesOf(definitions: Iterable<CustomResourceDefinition>, except: string | undefined): TakenNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const {
    metadata,
    status: { acceptedNames: names },
  } of definitions) {
    if (metadata.name === except) continue;
    for (const name of [names.plural, names.singular, ...(names.shortNames ?? [])])
      if ((name ?? '') !== '') resources.add(name!);
    for (const kind of [names.kind, names.listKind]) if ((kind ?? '') !== '') kinds.add(kind!);
  }
  return { resources, kinds };
}
