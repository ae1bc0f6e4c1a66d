import type { LabelSelector } from '../../api/gen/types/meta-v1.ts';

/** As Go prints the type, which is part of messages of events. */
export function shownSelector(selector: LabelSelector | undefined): string {
  if (selector === undefined) return 'nil';
  const labels = Object.entries(selector.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  const matchLabels = `map[string]string{${labels.map(([key, value]) => `${key}: ${value},`).join('')}}`;
  const matchExpressions = `[]LabelSelectorRequirement{${expressions.join('')}}`;
  return `&LabelSelector{MatchLabels:${matchLabels},MatchExpressions:${matchExpressions},}`;
}
