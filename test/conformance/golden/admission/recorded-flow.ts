/** What recorded cases say of flow control: by which objects requests were let run, and when objects are in effect. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlainResponse } from '../client.ts';
import { differences } from '../compare.ts';
import type { Placeholders } from '../placeholders.ts';
import type { AdmissionRequest, AdmissionStep } from './recorded-case.ts';

const group = '/apis/flowcontrol.apiserver.k8s.io/v1';
const dumps = '/debug/api_priority_and_fairness';
const mostAttempts = 200;
const attemptMs = 20;

interface FlowHeaders {
  readonly flowSchema?: string;
  readonly priorityLevel?: string;
}

type Read = (path: string) => Promise<PlainResponse>;

export class RecordedFlow {
  readonly #steps: readonly AdmissionStep[];
  readonly #own: string;
  readonly #read: Read;

  /** @param own what stands for `<u>` */
  constructor(steps: readonly AdmissionStep[], own: string, read: Read) {
    this.#steps = steps;
    this.#own = own;
    this.#read = read;
  }

  /** Whether the case is about flow control at all. */
  get #isOfFlow(): boolean {
    return this.#steps.some(({ request: { path = '' }, response }) => path.startsWith(group) || isFlow(response));
  }

  /** Reads may be repeated until what the server itself writes is there, but for those that are counted. */
  mayRepeat({ method, user, onlyLines }: AdmissionRequest): boolean {
    const counts = this.#steps.some(({ request }) => /work_estimated|rejected/.test(request.onlyLines ?? ''));
    return method === 'GET' && this.#isOfFlow && (!counts || user === 'admin' || onlyLines !== undefined);
  }

  /** How many requests of the case wait and run. */
  async requests(): Promise<number> {
    const { status, body } = await this.#read(`${dumps}/dump_requests`);
    if (status !== 200) return 0;
    return body
      .toString()
      .split('\n')
      .filter((line) => line.includes(this.#own)).length;
  }

  /** Objects that were written are used for requests. */
  async inEffect(): Promise<void> {
    if (!this.#isOfFlow) return;
    for (let attempt = 0; attempt < mostAttempts && !(await this.#isInEffect()); attempt++) await sleep(attemptMs);
  }

  async #isInEffect(): Promise<boolean> {
    const levels = await this.#read(`${group}/prioritylevelconfigurations/l-${this.#own}`);
    const dumped = (await this.#read(`${dumps}/dump_priority_levels`)).body.toString();
    const line = dumped.split('\n').find((one) => one.startsWith(`l-${this.#own},`));
    if (levels.status === 404)
      return line === undefined || / true,\s+\d+,/.test(line.replace(/^\S+\s+\d+,\s+\w+,/, ''));
    const schemas = await this.#read(`${group}/flowschemas/s-${this.#own}`);
    if (line === undefined) return false;
    if (schemas.status === 404) return true;
    const metrics = (await this.#read('/metrics')).body.toString();
    return metrics.includes(`flow_schema="s-${this.#own}"`);
  }

  /** The server has counted so many objects. */
  async counted(resource: string, least: number): Promise<void> {
    const line = new RegExp(`^apiserver_storage_objects\\{resource="${resource}"\\} (\\d+)$`, 'm');
    for (let attempt = 0; attempt < mostAttempts; attempt++) {
      const count = Number(line.exec((await this.#read('/metrics')).body.toString())?.[1] ?? 0);
      if (count >= least) return;
      await sleep(attemptMs);
    }
  }

  /** Names of the objects whose uids stand in the headers. */
  async compare(
    recorded: FlowHeaders,
    headers: PlainResponse['headers'],
    placeholders: Placeholders,
  ): Promise<string[]> {
    if (!this.#steps.some(({ response }) => isFlow(response)) || !isFlow(recorded)) return [];
    const { flowSchema, priorityLevel } = recorded;
    const found = {
      flowSchema: await this.#nameOf('flowschemas', headers['x-kubernetes-pf-flowschema-uid']),
      priorityLevel: await this.#nameOf('prioritylevelconfigurations', headers['x-kubernetes-pf-prioritylevel-uid']),
    };
    return differences({ flowSchema, priorityLevel }, found, placeholders, 'flow');
  }

  async #nameOf(resource: string, uid: unknown): Promise<string | undefined> {
    if (uid === undefined) return undefined;
    const { items } = JSON.parse((await this.#read(`${group}/${resource}`)).body.toString()) as {
      readonly items: readonly { readonly metadata: { readonly uid: string; readonly name: string } }[];
    };
    return items.find(({ metadata }) => metadata.uid === uid)?.metadata.name ?? '<unknown>';
  }
}

const isFlow = ({ flowSchema, priorityLevel }: FlowHeaders): boolean =>
  flowSchema !== undefined || priorityLevel !== undefined;
