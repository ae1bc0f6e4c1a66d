/** What came of changes of the files that flags name: keys, certificates, authorities. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { FileReload } from '../../base/reloadable-file.ts';

/** Configuration documents that have metrics of their own are counted there, but for a file that cannot be read. */
export function showFileReloads(registry: Registry, files: { readonly reloads: Iterable<FileReload> }): void {
  const registers = [registry];
  const labelNames = ['file', 'status'];
  new Counter({
    name: 'orch_file_reloads_total',
    help: 'How often a file was read again because it had changed, by whether the new content is used.',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { file, status, count } of files.reloads) this.inc({ file, status }, count);
    },
  });
  new Gauge({
    name: 'orch_file_reload_last_timestamp_seconds',
    help: 'When a file was last read again because it had changed, by whether the new content is used.',
    labelNames,
    registers,
    collect() {
      for (const { file, status, lastAt } of files.reloads) this.set({ file, status }, lastAt / 1000);
    },
  });
}
