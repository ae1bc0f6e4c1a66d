/**
 * Runs the hooks of containers: a command in the container, an HTTP request to it, or a pause.
 * @see {@link https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks/ | Container Lifecycle Hooks}
 */
import type { LifecycleHandler, Pod } from '../../api/gen/types/core-v1.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import type { PodContainer } from '../pod-lifecycle/containers.ts';
import type { PodEvents } from '../pods/pod-events.ts';
import { podText } from '../pods/config/container-config.ts';
import { askHttp, HttpActionError, urlOf } from '../probes/http-action.ts';
import { type ContainerRuntime, runtimeErrorText } from '../runtime/container-runtime.ts';
import { goQuote } from '../../machinery/go-quote.ts';
import { HookError } from './hook-error.ts';

export interface HookRunnerOptions {
  readonly runtime: ContainerRuntime;
  readonly clock: Clock;
  readonly events: PodEvents;
  readonly podIPsOf: (uid: string) => readonly string[];
}

export interface HookRequest {
  readonly pod: Pod;
  readonly container: PodContainer;
  readonly containerId: string;
  readonly podIPs?: readonly string[];
  readonly signal: AbortSignal;
}

const httpTimeoutMs = 600_000;

export class HookRunner {
  readonly #options: HookRunnerOptions;

  constructor(options: HookRunnerOptions) {
    this.#options = options;
  }

  /** Throws a `HookError`. */
  async postStart(request: HookRequest): Promise<void> {
    const hook = lifecycleOf(request)?.postStart;
    if (hook !== undefined) await this.#run(hook, request);
  }

  /** Never fails: an event says what went wrong. */
  async preStop(request: HookRequest): Promise<void> {
    const hook = lifecycleOf(request)?.preStop;
    if (hook === undefined) return;
    const { pod, container } = request;
    try {
      await this.#run(hook, request);
    } catch {
      this.#options.events.ofContainer(pod, container, 'Warning', 'FailedPreStopHook', 'PreStopHook failed');
    }
  }

  async #run({ exec, httpGet, sleep: pause }: LifecycleHandler, request: HookRequest): Promise<void> {
    const { clock } = this.#options;
    if (exec !== undefined) return this.#exec(exec.command ?? [], request);
    if (httpGet !== undefined) return this.#http(httpGet, request);
    if (pause !== undefined) {
      await sleep(clock, Number(pause.seconds ?? 0) * 1000, request.signal);
      if (request.signal.aborted)
        throw this.#error(`Sleep lifecycle hook (${pause.seconds})`, request, 'context deadline exceeded');
      return;
    }
    throw new HookError('Cannot run handler: invalid handler');
  }

  async #exec(command: readonly string[], request: HookRequest): Promise<void> {
    const { containerId, signal } = request;
    const kind = `Exec lifecycle hook ([${command.join(' ')}])`;
    let answer: Awaited<ReturnType<ContainerRuntime['execSync']>>;
    try {
      answer = await this.#options.runtime.execSync({ containerId, cmd: command }, { signal });
    } catch (error) {
      throw this.#error(kind, request, `${runtimeErrorText(error)}, message: ""`);
    }
    const { exitCode = 0, stdout = noBytes, stderr = noBytes } = answer;
    if (exitCode === 0) return;
    const failure = `command '${command.join(' ')}' exited with ${exitCode}: ${textOf(stderr)}`;
    throw this.#error(kind, request, `${failure}, message: ${goQuote(textOf(stdout) + textOf(stderr))}`);
  }

  async #http(action: NonNullable<LifecycleHandler['httpGet']>, request: HookRequest): Promise<void> {
    const { pod, container, signal } = request;
    const podIPs = request.podIPs ?? this.#options.podIPsOf(pod.metadata.uid ?? '');
    const kind = `HTTP lifecycle hook (${action.path})`;
    const ask = (scheme: 'HTTP' | 'HTTPS') =>
      askHttp({
        url: urlOf({ ...action, scheme }, container, podIPs[0] ?? ''),
        headers: action.httpHeaders ?? [],
        userAgent: 'kube-lifecycle/1.32',
        connection: undefined,
        timeoutMs: httpTimeoutMs,
        signal,
      });
    try {
      await ask(action.scheme === 'HTTPS' ? 'HTTPS' : 'HTTP');
    } catch (error) {
      if (!(error instanceof HttpActionError)) throw error;
      throw this.#error(kind, request, error.message);
    }
  }

  #error(kind: string, { pod, container }: HookRequest, text: string): HookError {
    return new HookError(`${kind} for Container "${container.name}" in Pod "${podText(pod)}" failed - error: ${text}`);
  }
}

const noBytes = new Uint8Array();
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

const lifecycleOf = ({ container: { spec, role } }: HookRequest) => (role === 'ephemeral' ? undefined : spec.lifecycle);
