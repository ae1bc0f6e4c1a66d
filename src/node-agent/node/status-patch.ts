/** What of the status of a node an agent writes, and whether it has to. */
import { isDeepStrictEqual } from 'node:util';
import type { Node, NodeCondition } from '../../api/gen/types/core-v1.ts';

type NodeStatus = Node['status'];

const withoutHeartbeat = ({ lastHeartbeatTime: _, ...condition }: NodeCondition): object => condition;

/** Whether more changed than the time of the heartbeat. */
export function isStatusChanged(before: NodeStatus, after: NodeStatus): boolean {
  const { conditions: old = [], ...restBefore } = before;
  const { conditions: own = [], ...restAfter } = after;
  return (
    !isDeepStrictEqual(old.map(withoutHeartbeat), own.map(withoutHeartbeat)) ||
    Object.keys({ ...restBefore, ...restAfter }).some(
      (name) =>
        !isDeepStrictEqual(
          plain((restBefore as Record<string, unknown>)[name]),
          plain((restAfter as Record<string, unknown>)[name]),
        ),
    )
  );
}

/** An empty list or object and none are the same on the wire. */
const plain = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0 ? undefined : value;

/** A strategic merge patch of the status from one to the other; what others write meanwhile stays. */
export function statusPatch(before: NodeStatus, after: NodeStatus): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  const old = before as Record<string, unknown>;
  const own = after as Record<string, unknown>;
  for (const name of Object.keys({ ...old, ...own })) {
    if (isDeepStrictEqual(plain(old[name]), plain(own[name]))) continue;
    const member = members[name];
    patch[name] = member === undefined ? (own[name] ?? null) : member(old[name], own[name]);
  }
  if (patch['conditions'] !== undefined)
    patch['$setElementOrder/conditions'] = (after.conditions ?? []).map(({ type }) => ({ type }));
  return patch;
}

type MemberPatch = (before: unknown, after: unknown) => unknown;

/** Entries that changed; those that are gone as null. */
const changedEntries: MemberPatch = (before = {}, after = {}) => {
  const old = before as Record<string, unknown>;
  const own = after as Record<string, unknown>;
  return Object.fromEntries(
    Object.keys({ ...old, ...own })
      .filter((name) => old[name] !== own[name])
      .map((name) => [name, own[name] ?? null]),
  );
};

const members: Readonly<Record<string, MemberPatch>> = {
  capacity: changedEntries,
  allocatable: changedEntries,
  conditions: (before = [], after = []) =>
    (after as NodeCondition[]).filter(
      (condition) => !(before as NodeCondition[]).some((other) => isDeepStrictEqual(other, condition)),
    ),
  // Several addresses of one type would be merged into one.
  addresses: (_, after = []) => [...(after as object[]), { $patch: 'replace' }],
};
