/**
 * The findings of one attempt of a repair. They are reported when the attempt succeeds; a failed one reports nothing.
 */
import type { Service } from '../../../../api/gen/types/core-v1.ts';
import type { Logger } from '../../../../base/logger.ts';
import type { Finding, FindingType } from './observer.ts';

export interface RepairReportOptions {
  /** `/registry/ranges/serviceips` */
  readonly range: string;
  /** `10.0.0.0/24` */
  readonly of: string;
  readonly found: (finding: Finding) => void;
  readonly log: Logger;
}

const messages: Readonly<Record<FindingType, string>> = {
  outOfRange: 'a service holds a value that is not of the range; recreate the service',
  duplicate: 'a value is held by several services; recreate this one',
  repair: 'a value that a service holds was not taken; repaired',
  leak: 'a value is taken and held by no service; released',
};

export class RepairReport {
  readonly #options: RepairReportOptions;
  readonly #lines: (() => void)[] = [];

  constructor(options: RepairReportOptions) {
    this.#options = options;
  }

  /** @param service the one that holds the value */
  add(type: FindingType, value: string | number, service?: () => Service): void {
    const { range, of, found, log } = this.#options;
    this.#lines.push(() => {
      const holder = service?.();
      const about = { range, value, ...(holder === undefined ? {} : { service: nameOf(holder) }) };
      log.warn(type === 'outOfRange' ? { ...about, of } : about, messages[type]);
      found({ type, value, ...(holder === undefined ? {} : { service: holder }) });
    });
  }

  /** A value that no service holds, and that is kept. */
  suspect(value: string | number): void {
    const { range, log } = this.#options;
    this.#lines.push(() => log.warn({ range, value }, 'a value is taken and held by no service; kept for now'));
  }

  tell(): void {
    for (const line of this.#lines) line();
  }
}

const nameOf = ({ metadata: { namespace = '', name = '' } }: Service): string => `${namespace}/${name}`;
