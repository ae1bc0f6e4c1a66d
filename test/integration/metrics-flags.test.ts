import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startTestServer } from '../support/test-server.ts';
import { pods, pod } from '../support/metrics-pod.ts';

describe('flags of metrics', () => {
  test('Flags of metrics leave metrics out, show what is hidden, and limit values of labels', async () => {
    await using limited = await startTestServer({
      flags: [
        '--disabled-metrics=apiserver_response_sizes',
        '--show-hidden-metrics-for-version=1.31',
        '--allow-metric-labels=apiserver_request_total,code=200,201',
      ],
    });
    await limited.send('GET', pods);
    await limited.send('GET', `${pods}/absent`);
    const { text } = await limited.send('GET', '/metrics');
    expect(text).not.toContain('apiserver_response_sizes');
    expect(text).toContain('\ndisabled_metrics_total 1\n');
    expect(text).toContain('# HELP apiserver_request_slo_duration_seconds [ALPHA] (Deprecated since 1.27.0) ');
    expect(text).toMatch(/^apiserver_request_total\{.*code="unexpected"\} \d/m);
    expect(text).not.toMatch(/^apiserver_request_total\{.*code="404"/m);
  });

  test('Flags of metrics take the list of values from a file, which has to be one', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'orch-metrics-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const manifest = path.join(directory, 'labels.yaml');
    await writeFile(manifest, '"apiserver_request_total,verb": "GET,LIST"\n');
    await using limited = await startTestServer({ flags: [`--allow-metric-labels-manifest=${manifest}`] });
    await limited.send('POST', pods, { body: pod('p') });
    expect((await limited.send('GET', '/metrics')).text).toMatch(/^apiserver_request_total\{verb="unexpected"/m);
    await writeFile(manifest, '- a\n');
    await expect(startTestServer({ flags: [`--allow-metric-labels-manifest=${manifest}`] })).rejects.toThrow(
      'is not a map of metricName,labelName to labelValue,labelValue,...',
    );
  });
});
