/** What upstream's messages call a type: by the version that was sent, and as the server keeps it. */

/** `v1.Secret` */
export const goType = (apiVersion: string, kind: string): string =>
  `${apiVersion.slice(apiVersion.indexOf('/') + 1)}.${kind}`;

/** `core.ConfigMap` */
export const internalType = (apiVersion: string, kind: string): string =>
  `${internalPackage(groupOf(apiVersion))}.${kind}`;

/** Empty for the core group. */
export const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';

const internalPackage = (group: string): string =>
  group === '' ? 'core' : group === 'internal.apiserver.k8s.io' ? 'apiserverinternal' : group.split('.', 1)[0]!;
