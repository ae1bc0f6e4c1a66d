/** Flags of how a daemon reaches the API server. */
import type { RateLimits } from '../../../client/requests/rate-limit.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import { file, float, int, optionalText, text, type ValuesOf } from '../flag.ts';
import type { Problems, Spelling } from './problems.ts';

/** `vnd.orch` is the name of our specification for the same bytes. */
const protobufTypes = ['application/vnd.kubernetes.protobuf', 'application/vnd.orch.protobuf'];

/** @param defaults of the controller manager when absent */
export const clientConnectionFlags = (defaults: RateLimits = { qps: 20, burst: 30 }) => ({
  kubeconfig: file('kubeconfig', 'supported', {
    help:
      'How to reach the API server, and with which credentials. The file is read again when it changes. Without it ' +
      'the account of the pod that this process runs in.',
  }),
  master: optionalText('master', 'supported', {
    help: 'Address of the API server, in place of that of --kubeconfig.',
  }),
  qps: float('kube-api-qps', 'supported', {
    default: defaults.qps,
    help: 'Requests per second to the API server in the long run. Less than 0 means no limit.',
  }),
  burst: int('kube-api-burst', 'supported', {
    default: defaults.burst,
    help: 'Requests that may be sent at once after a pause.',
  }),
  contentType: text('kube-api-content-type', 'supported', {
    default: 'application/vnd.kubernetes.protobuf',
    help: 'How built-in types are sent: application/vnd.kubernetes.protobuf or application/json.',
  }),
});

export type ClientConnectionOptions = ValuesOf<ReturnType<typeof clientConnectionFlags>>;

export const clientConnectionProblems = (
  { burst, contentType, master }: ClientConnectionOptions,
  spelled: Spelling,
): Problems => [
  burst < 0 && `${spelled('kube-api-burst')} must be non-negative`,
  ![...protobufTypes, 'application/json'].includes(contentType) &&
    `${spelled('kube-api-content-type')} ${goQuote(contentType)} invalid, allowed ` +
      `values: ${protobufTypes.join(', ')}, application/json`,
  master !== undefined &&
    masterUrl(master) === undefined &&
    `${spelled('master')} ${goQuote(master)} invalid, must be the URL, or host and port, of an API server`,
];

/** An address without a scheme is one of HTTPS. Undefined for what is no address. */
export function masterUrl(master: string): string | undefined {
  const url = /^https?:\/\//.test(master) ? master : `https://${master}`;
  return URL.canParse(url) ? url.replace(/\/$/, '') : undefined;
}

/** As client-go takes a limit of 0: for its own. */
const libraryLimits: RateLimits = { qps: 5, burst: 10 };

export const rateLimits = ({ qps, burst }: Pick<ClientConnectionOptions, 'qps' | 'burst'>): RateLimits => ({
  qps: qps === 0 ? libraryLimits.qps : qps,
  burst: burst === 0 ? libraryLimits.burst : burst,
});
