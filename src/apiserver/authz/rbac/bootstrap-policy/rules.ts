import type { PolicyRule } from '../../../../api/gen/types/rbac-v1.ts';

/** Rules by the name of their role. */
export type RuleTable = Readonly<Record<string, readonly PolicyRule[]>>;

const list = (text: string): string[] => text.split(',');

/** Verbs on resources of API groups, each a list with commas; `''` is the core group. */
export const on = (groups: string, resources: string, verbs: string, names?: string): PolicyRule => ({
  verbs: list(verbs),
  apiGroups: list(groups),
  resources: list(resources),
  ...(names === undefined ? {} : { resourceNames: list(names) }),
});

export const onPaths = (verbs: string, urls: string): PolicyRule => ({
  verbs: list(verbs),
  nonResourceURLs: list(urls),
});

/** Nearly every component writes events. */
export const writesEvents: PolicyRule = on(',events.k8s.io', 'events', 'create,patch,update');
