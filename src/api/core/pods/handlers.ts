/**
 * Probes and lifecycle hooks: what is run or asked, and how often.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#container-probes | Container probes}
 */
import type { HTTPGetAction, Lifecycle, LifecycleHandler, Probe, SleepAction } from '../../gen/types/core-v1.ts';
import { forbidden, invalid, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { isHttpHeaderName } from '../../../machinery/formats/names.ts';
import { checkNonNegative, checkRequiredText, invalidEach } from '../../meta/checks.ts';
import { checkPortOrName } from './ports.ts';

export interface HandlerRules {
  /** Seconds until the pod is killed: a hook cannot sleep longer. */
  readonly gracePeriod: number | bigint | undefined;
  readonly sleepZero: boolean;
}

type Handler = LifecycleHandler & Pick<Probe, 'grpc'>;

export interface Probes {
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
}

export function checkProbes(
  { livenessProbe, readinessProbe, startupProbe }: Probes,
  path: FieldPath,
  errors: FieldErrors,
  rules: HandlerRules,
): void {
  if (livenessProbe !== undefined) checkKillingProbe(livenessProbe, path.child('livenessProbe'), errors, rules);
  if (readinessProbe !== undefined) {
    const at = path.child('readinessProbe');
    checkProbe(readinessProbe, at, errors, rules);
    const { terminationGracePeriodSeconds: seconds } = readinessProbe;
    if (seconds !== undefined)
      errors.push(invalid(at.child('terminationGracePeriodSeconds'), seconds, 'must not be set for readinessProbes'));
  }
  if (startupProbe !== undefined) checkKillingProbe(startupProbe, path.child('startupProbe'), errors, rules);
}

/** A probe that kills the container when it fails: one success is all it can wait for. */
function checkKillingProbe(probe: Probe, path: FieldPath, errors: FieldErrors, rules: HandlerRules): void {
  checkProbe(probe, path, errors, rules);
  const { successThreshold = 0 } = probe;
  if (successThreshold !== 1) errors.push(invalid(path.child('successThreshold'), successThreshold, 'must be 1'));
}

const counts = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

function checkProbe(probe: Probe, path: FieldPath, errors: FieldErrors, rules: HandlerRules): void {
  checkHandler(probe, path, errors, rules);
  for (const count of counts) if (probe[count] !== undefined) checkNonNegative(probe[count], path.child(count), errors);
  const { terminationGracePeriodSeconds: seconds } = probe;
  if (seconds !== undefined && seconds <= 0)
    errors.push(invalid(path.child('terminationGracePeriodSeconds'), seconds, 'must be greater than 0'));
}

export function checkLifecycle(
  { postStart, preStop }: Lifecycle,
  path: FieldPath,
  errors: FieldErrors,
  rules: HandlerRules,
): void {
  if (postStart !== undefined) checkHandler(postStart, path.child('postStart'), errors, rules);
  if (preStop !== undefined) checkHandler(preStop, path.child('preStop'), errors, rules);
}

function checkHandler(handler: Handler, path: FieldPath, errors: FieldErrors, rules: HandlerRules): void {
  let found = false;
  const isFirst = (name: string): boolean => {
    if (found) errors.push(forbidden(path.child(name), 'may not specify more than 1 handler type'));
    const first = !found;
    found = true;
    return first;
  };
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  if (exec !== undefined && isFirst('exec') && (exec.command?.length ?? 0) === 0)
    errors.push(required(path.child('exec', 'command')));
  if (httpGet !== undefined && isFirst('httpGet')) checkHttpGet(httpGet, path.child('httpGet'), errors);
  if (tcpSocket !== undefined && isFirst('tcpSocket'))
    checkPortOrName(tcpSocket.port, path.child('tcpSocket', 'port'), errors);
  if (grpc !== undefined && isFirst('grpc')) checkPortOrName(grpc.port, path.child('grpc', 'port'), errors);
  if (sleep !== undefined && isFirst('sleep')) checkSleep(sleep, path.child('sleep'), errors, rules);
  if (!found) errors.push(required(path, 'must specify a handler type'));
}

const schemes = ['HTTP', 'HTTPS'];

function checkHttpGet(
  { path: urlPath, port, scheme = '' as never, httpHeaders }: HTTPGetAction,
  path: FieldPath,
  errors: FieldErrors,
): void {
  checkRequiredText(urlPath, path.child('path'), errors);
  checkPortOrName(port, path.child('port'), errors);
  if (!schemes.includes(scheme)) errors.push(notSupported(path.child('scheme'), scheme, schemes));
  httpHeaders?.forEach(({ name = '' }) => invalidEach(isHttpHeaderName(name), path.child('httpHeaders'), name, errors));
}

function checkSleep(
  { seconds = 0 }: SleepAction,
  path: FieldPath,
  errors: FieldErrors,
  { gracePeriod, sleepZero }: HandlerRules,
): void {
  if (gracePeriod === undefined || (seconds <= gracePeriod && (seconds > 0 || (sleepZero && seconds >= 0)))) return;
  const detail = sleepZero
    ? `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`
    : `must be greater than 0 and less than terminationGracePeriodSeconds (${gracePeriod}). Enable ` +
      'AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep.';
  errors.push(invalid(path, seconds, detail));
}
