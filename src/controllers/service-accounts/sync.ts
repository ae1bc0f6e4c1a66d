/** Whether a namespace lacks its account. */
import type { Namespace, ServiceAccount } from '../../api/gen/types/core-v1.ts';
import { isAlreadyExists, isNotFound } from '../../client/api-error.ts';
import { isNamespaceTerminating } from '../shared/pod-control.ts';

export const accountName = 'default';

/** A namespace that ends gets no account any more. */
export const lacksAccount = (
  namespace: Namespace | undefined,
  account: ServiceAccount | undefined,
): namespace is Namespace => namespace?.status?.phase === 'Active' && account === undefined;

/** The account is there, or is not wanted any more: another try would change nothing. */
export const isSettled = (error: unknown): boolean =>
  isAlreadyExists(error) || isNotFound(error) || isNamespaceTerminating(error);
