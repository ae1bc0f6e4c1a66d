/** Whom a user of a kubeconfig acts as. */
import type { Impersonation } from '../impersonation.ts';
import { type Fields, fieldsOf, KubeconfigError, text } from './fields.ts';

export function impersonationOf(fields: Fields, userName: string): Impersonation | undefined {
  const user = text(fields, 'as');
  const uid = text(fields, 'as-uid');
  const groups = texts(fields['as-groups']);
  const extra = Object.fromEntries(
    Object.entries(fieldsOf(fields['as-user-extra'])).map(([key, values]) => [key, texts(values)]),
  );
  if (user !== '') return { user, groups, extra, ...(uid === '' ? {} : { uid }) };
  if (uid === '' && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
  throw new KubeconfigError(`user ${JSON.stringify(userName)} has as-uid, as-groups or as-user-extra without as`);
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
