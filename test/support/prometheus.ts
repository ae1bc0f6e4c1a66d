/** A real Prometheus that scrapes one server over TLS. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePorts } from './ports.ts';

export interface ScrapedServer {
  /** `https://127.0.0.1:6443` */
  readonly url: string;
  /** PEM */
  readonly ca: string;
  readonly token: string;
}

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  /** In seconds since 1970, and as a text: it may be `NaN`. */
  readonly value: readonly [number, string];
}

const job = 'apiserver';
const intervalMs = 250;

export class Prometheus implements AsyncDisposable {
  readonly #folder: string;
  readonly #port: number;
  readonly #child: ReturnType<typeof spawn>;
  #output = '';

  private constructor(folder: string, program: string, port: number) {
    this.#folder = folder;
    this.#port = port;
    this.#child = spawn(
      program,
      [
        `--config.file=${path.join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${path.join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
  }

  /** Resolves when it has scraped the server so often that rates can be told; it begins to do so after five seconds. */
  static async start(program: string, server: ScrapedServer): Promise<Prometheus> {
    const folder = await mkdtemp(path.join(tmpdir(), 'orch-prometheus-'));
    const file = async (name: string, content: string): Promise<string> => {
      await writeFile(path.join(folder, name), content);
      return path.join(folder, name);
    };
    const scrape = {
      job_name: job,
      scheme: 'https',
      scrape_interval: `${intervalMs}ms`,
      scrape_timeout: `${intervalMs}ms`,
      tls_config: { ca_file: await file('ca.crt', server.ca) },
      authorization: { credentials_file: await file('token', server.token) },
      static_configs: [{ targets: [new URL(server.url).host] }],
    };
    await file('prometheus.yml', JSON.stringify({ scrape_configs: [scrape] }));
    const [port = 0] = await freePorts(1);
    const prometheus = new Prometheus(folder, program, port);
    try {
      await prometheus.#untilScraped();
    } catch (error) {
      await prometheus[Symbol.asyncDispose]();
      throw error;
    }
    return prometheus;
  }

  /** Throws with what Prometheus says against the query. */
  async query(expression: string): Promise<readonly Sample[]> {
    const parameters = new URLSearchParams({ query: expression });
    const response = await fetch(`http://127.0.0.1:${this.#port}/api/v1/query?${parameters.toString()}`);
    const answer = (await response.json()) as { status: string; error?: string; data: { result: Sample[] } };
    if (answer.status !== 'success') throw new Error(`${expression}: ${answer.error}`);
    return answer.data.result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exited = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      await exited;
    }
    await rm(this.#folder, { recursive: true });
  }

  async #untilScraped(): Promise<void> {
    const isDone = async (): Promise<boolean> => {
      const [sample] = await this.query(`sum_over_time(up{job="${job}"}[1m])`).catch(() => []);
      return Number(sample?.value[1] ?? 0) >= 3;
    };
    while (!(await isDone())) {
      if (this.#child.exitCode !== null) throw new Error(`Prometheus ended:\n${this.#output}`);
      await new Promise((resolve) => setTimeout(resolve, intervalMs));
    }
  }
}
