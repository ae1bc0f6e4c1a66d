/**
 * The controller manager of Kubernetes 1.20, to try the replay itself and our API server: what 1.32 does differently
 * shows as differences. `reference-apiserver build` in the shared tools makes it; `REFERENCE_DIR` says where it is.
 */
import { spawn } from 'node:child_process';
import { createWriteStream, readFileSync } from 'node:fs';
import path from 'node:path';
import type { ClusterFiles, Running } from './cluster-files.ts';
import { referenceProgram } from '../../support/reference.ts';
import { controllerNames } from '../../../src/controllers/manager/controller-names.ts';

export async function startReference(files: ClusterFiles): Promise<Running> {
  const binary = referenceProgram('kube-controller-manager');
  if (binary === undefined) throw new Error('there is no reference: build it first, or set REFERENCE_DIR');
  const logFile = path.join(files.directory, 'kube-controller-manager.log');
  const output = createWriteStream(logFile);
  await new Promise((resolve) => output.once('open', resolve));
  const child = spawn(
    binary,
    [
      `--kubeconfig=${files.kubeconfig}`,
      '--use-service-account-credentials',
      '--leader-elect=false',
      `--cluster-signing-cert-file=${files.caFile}`,
      `--cluster-signing-key-file=${files.caKeyFile}`,
      `--root-ca-file=${files.caFile}`,
      `--service-account-private-key-file=${files.serviceAccountKeyFile}`,
      '--controllers=*,bootstrapsigner,tokencleaner',
      '--node-monitor-period=1s',
      '--node-monitor-grace-period=10s',
      '--node-startup-grace-period=12s',
      '--kube-api-qps=500',
      '--kube-api-burst=1000',
      '--secure-port=0',
      '--port=0',
    ],
    { stdio: ['ignore', output, output] },
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    names: new Set(controllerNames.map(({ name }) => name)),
    log: () => readFileSync(logFile, 'utf8').split('\n').slice(-40).join('\n'),
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
      output.end();
    },
  };
}

/** Lines of events without what 1.20 does not say: from how many replicas something was scaled. */
export const asIn120 = (line: string, played: boolean): string =>
  line
    .replace(/(Scaled (?:up|down) replica set \S+) from \S+ (to \S+)$/, '$1 $2')
    .replace(/(Scaled (?:up|down) replica set \S+ to )\d+$/, played ? '$1<n>' : '$&');
