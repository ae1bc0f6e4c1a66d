import type { Api } from './api.ts';

interface Node {
  readonly spec?: { readonly taints?: { readonly key: string }[] };
}

/** What the node lifecycle controller does with a node that is ready, for cases without it. */
export async function markReady(api: Api, name: string): Promise<void> {
  const path = `/api/v1/nodes/${name}`;
  const { spec } = (await api.must('GET', path)) as Node;
  const taints = (spec?.taints ?? []).filter(({ key }) => key !== 'node.kubernetes.io/not-ready');
  await api.must('PATCH', path, { spec: { taints } }, 'application/merge-patch+json');
}
