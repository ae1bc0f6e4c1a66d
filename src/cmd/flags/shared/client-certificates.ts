/** Flags of client certificates: those of users, and those of front proxies, which name the user in headers. */
import type { RequestHeaderOptions } from '../../../auth/authentication/request-header.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import { file, strings, type ValuesOf } from '../flag.ts';
import type { Problems } from './problems.ts';

export const clientCaFlags = {
  clientCaFile: file('client-ca-file', 'supported', {
    help:
      'Certificate authorities of client certificates. A client that presents one is the user of its common name, in ' +
      'the groups named by its organizations.',
  }),
} as const;

/** Headers that a daemon looks into unless flags name others. */
export interface RequestHeaderDefaults {
  readonly usernameHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

export const requestHeaderFlags = (defaults: RequestHeaderDefaults) => ({
  requestHeaderClientCaFile: file('requestheader-client-ca-file', 'supported', {
    help: 'Certificate authorities of the front proxies that may name the user in request headers.',
  }),
  requestHeaderAllowedNames: strings('requestheader-allowed-names', 'supported', {
    help:
      'Common names of front proxy certificates. Without any, every certificate of ' +
      '--requestheader-client-ca-file will do.',
  }),
  requestHeaderUsernameHeaders: strings('requestheader-username-headers', 'supported', {
    default: defaults.usernameHeaders,
    help: 'Headers to look for a user name in. X-Remote-User is usual.',
  }),
  requestHeaderUidHeaders: strings('requestheader-uid-headers', 'supported', {
    help: 'Headers to look for a user id in. X-Remote-Uid is usual.',
  }),
  requestHeaderGroupHeaders: strings('requestheader-group-headers', 'supported', {
    default: defaults.groupHeaders,
    help: 'Headers to look for groups in. X-Remote-Group is usual.',
  }),
  requestHeaderExtraHeaderPrefixes: strings('requestheader-extra-headers-prefix', 'supported', {
    default: defaults.extraHeaderPrefixes,
    help: 'Prefixes of headers with further facts about the user. X-Remote-Extra- is usual.',
  }),
});

type RequestHeaderFlagOptions = ValuesOf<ReturnType<typeof requestHeaderFlags>>;

const lists = {
  'requestheader-username-headers': 'requestHeaderUsernameHeaders',
  'requestheader-group-headers': 'requestHeaderGroupHeaders',
  'requestheader-extra-headers-prefix': 'requestHeaderExtraHeaderPrefixes',
  'requestheader-allowed-names': 'requestHeaderAllowedNames',
} as const;

export const requestHeaderProblems = (options: RequestHeaderFlagOptions): Problems =>
  Object.entries(lists).map(
    ([flag, key]) => options[key].some((name) => name.trim() === '') && `empty value in ${goQuote(flag)}`,
  );

export const requestHeaderOptions = (options: RequestHeaderFlagOptions): Omit<RequestHeaderOptions, 'authorities'> => ({
  allowedNames: options.requestHeaderAllowedNames,
  usernameHeaders: options.requestHeaderUsernameHeaders,
  uidHeaders: options.requestHeaderUidHeaders,
  groupHeaders: options.requestHeaderGroupHeaders,
  extraHeaderPrefixes: options.requestHeaderExtraHeaderPrefixes,
});
