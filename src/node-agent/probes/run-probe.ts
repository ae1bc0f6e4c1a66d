/** One check of a container: a command, an HTTP request, a connection, a gRPC health check. */
import net from 'node:net';
import type { Probe } from '../../api/gen/types/core-v1.ts';
import type { PodContainer } from '../pod-lifecycle/containers.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';
import { GrpcError } from '../../grpc/grpc-error.ts';
import { GrpcCode } from '../../grpc/status.ts';
import { grpcHealth } from './grpc-health.ts';
import type { ProbeResult } from './probe-result.ts';
import { askHttp, dialErrorText, HttpActionError, urlOf } from './http-action.ts';
import { portNumber } from './port-number.ts';

export interface ProbeTarget {
  readonly container: PodContainer;
  readonly containerId: string;
  readonly podIP: string;
  readonly runtime: ContainerRuntime;
}

const maxOutputBytes = 10 * 1024;

/** Rejects when the check itself cannot be made. */
export function runProbe(probe: Probe, target: ProbeTarget): Promise<ProbeResult> {
  const timeoutMs = (probe.timeoutSeconds ?? 1) * 1000;
  if (probe.exec !== undefined) return execProbe(probe.exec.command ?? [], timeoutMs, target);
  if (probe.httpGet !== undefined) return httpProbe(probe.httpGet, timeoutMs, target);
  if (probe.tcpSocket !== undefined) {
    const { host = '', port } = probe.tcpSocket;
    return tcpProbe(host === '' ? target.podIP : host, portNumber(port, target.container), timeoutMs);
  }
  if (probe.grpc !== undefined)
    return grpcHealth({
      host: target.podIP,
      port: Number(probe.grpc.port ?? 0),
      service: probe.grpc.service ?? '',
      timeoutMs,
    });
  return Promise.reject(new Error('missing probe handler'));
}

async function execProbe(command: readonly string[], timeoutMs: number, target: ProbeTarget): Promise<ProbeResult> {
  const { runtime, containerId } = target;
  try {
    const answer = await runtime.execSync({ containerId, cmd: command, timeout: timeoutMs / 1000 });
    const { stdout = noBytes, stderr = noBytes, exitCode = 0 } = answer;
    const output = Buffer.concat([stdout, stderr]).subarray(0, maxOutputBytes).toString();
    return { outcome: exitCode === 0 ? 'success' : 'failure', output };
  } catch (error) {
    if (!(error instanceof GrpcError) || error.code !== GrpcCode.deadlineExceeded) throw error;
    const output = `command timed out: "${command.join(' ')}" timed out after ${timeoutMs / 1000}s`;
    return { outcome: 'failure', output };
  }
}

const noBytes = new Uint8Array();

async function httpProbe(
  action: NonNullable<Probe['httpGet']>,
  timeoutMs: number,
  { container, podIP }: ProbeTarget,
): Promise<ProbeResult> {
  let url = urlOf(action, container, podIP);
  const headers = action.httpHeaders ?? [];
  try {
    for (let redirects = 0; ; redirects++) {
      const answer = await askHttp({ url, headers, userAgent: 'kube-probe/1.32', connection: 'close', timeoutMs });
      const { status, location, body } = answer;
      if (status >= 300 && status < 400 && location !== undefined && redirects < maxRedirects) {
        const next = new URL(location, url);
        if (next.hostname !== url.hostname)
          return { outcome: 'warning', output: `Probe terminated redirects, Response body: ${body}` };
        url = next;
        continue;
      }
      if (status >= 200 && status < 400) return { outcome: 'success', output: body };
      return { outcome: 'failure', output: `HTTP probe failed with statuscode: ${status}` };
    }
  } catch (error) {
    if (!(error instanceof HttpActionError)) throw error;
    return { outcome: 'failure', output: error.message };
  }
}

const maxRedirects = 10;

function tcpProbe(host: string, port: number, timeoutMs: number): Promise<ProbeResult> {
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new Promise((resolve) => {
    const socket = net.connect({ host, port });
    const end = (result: ProbeResult): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => end({ outcome: 'failure', output: `dial tcp ${address}: i/o timeout` }), timeoutMs);
    socket.once('connect', () => end({ outcome: 'success', output: '' }));
    socket.once('error', (error: NodeJS.ErrnoException) =>
      end({ outcome: 'failure', output: dialErrorText(error, address) }),
    );
  });
}
