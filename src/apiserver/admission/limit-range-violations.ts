/** What requests and limits do against one item of a limit range, in upstream's words. */
import type { LimitRangeItem } from '../../api/gen/types/core-v1.ts';
import { quantityOf } from '../../api/core/resources/quantities.ts';
import type { Quantity } from '../../machinery/quantity.ts';

/** Quantities by resource name. */
export type Amounts = Record<string, string>;

interface Item {
  readonly type?: string | undefined;
  readonly min?: LimitRangeItem['min'] | undefined;
  readonly max?: LimitRangeItem['max'] | undefined;
  readonly maxLimitRequestRatio?: LimitRangeItem['maxLimitRequestRatio'] | undefined;
}

/** @param limits undefined for objects that only have requests */
export function violations(item: Item, requests: Readonly<Amounts>, limits: Readonly<Amounts> | undefined): string[] {
  const type = item.type ?? '';
  const each = (
    amounts: Readonly<Amounts> | undefined,
    check: (name: string, bound: Quantity) => string | undefined,
  ): string[] =>
    Object.keys(amounts ?? {})
      .sort()
      .flatMap((name) => check(name, quantityOf(amounts![name]!)) ?? []);
  const read = (name: string): { request: Quantity | undefined; limit: Quantity | undefined } => ({
    request: optional(requests[name]),
    limit: optional(limits?.[name]),
  });
  return [
    ...each(item.min, (name, bound) =>
      belowMinimum(`minimum ${name} usage per ${type} is ${bound.toString()}`, bound, read(name)),
    ),
    ...each(item.max, (name, bound) =>
      aboveMaximum(`maximum ${name} usage per ${type} is ${bound.toString()}`, bound, read(name), limits === undefined),
    ),
    ...each(item.maxLimitRequestRatio, (name, bound) =>
      aboveRatio(`${name} max limit to request ratio per ${type} is ${bound.toString()}`, bound, read(name)),
    ),
  ];
}

const optional = (text: string | undefined): Quantity | undefined =>
  text === undefined ? undefined : quantityOf(text);

interface Used {
  readonly request: Quantity | undefined;
  readonly limit: Quantity | undefined;
}

function belowMinimum(rule: string, bound: Quantity, { request, limit }: Used): string | undefined {
  if (request === undefined) return `${rule}.  No request is specified`;
  if (request.compare(bound) < 0) return `${rule}, but request is ${request.toString()}`;
  return limit !== undefined && limit.compare(bound) < 0 ? `${rule}, but limit is ${limit.toString()}` : undefined;
}

function aboveMaximum(
  rule: string,
  bound: Quantity,
  { request, limit }: Used,
  requestsOnly: boolean,
): string | undefined {
  if (requestsOnly && request === undefined) return `${rule}.  No request is specified`;
  if (!requestsOnly && limit === undefined) return `${rule}.  No limit is specified`;
  if (limit !== undefined && limit.compare(bound) > 0) return `${rule}, but limit is ${limit.toString()}`;
  return request !== undefined && request.compare(bound) > 0
    ? `${rule}, but request is ${request.toString()}`
    : undefined;
}

function aboveRatio(rule: string, bound: Quantity, { request, limit }: Used): string | undefined {
  if (request === undefined || request.isZero()) return `${rule}, but no request is specified or request is 0`;
  if (limit === undefined || limit.isZero()) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = limit.toNumber() / request.toNumber();
  return ratio > bound.toNumber() ? `${rule}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
