/** The tables of `npm run bench -- cluster`. */
import { type ProcessName, processNames } from './local-cluster.ts';
import type { Figure, PartResult } from './part.ts';
import { goals, reference } from './reference.ts';

const head = '| | ours | Kubernetes | ratio | goal | |\n|---|---|---|---|---|---|';

/** @param compares whether the processes did what those of the reference did */
export function partTable({ figures, before, after }: PartResult, compares: boolean): string {
  const processes = processNames.flatMap((name) => {
    const theirs = compares ? reference.usage[name] : undefined;
    const hasGoal = name === 'controller manager' || name === 'scheduler';
    const goalOf = (value: number | undefined, share: number) =>
      value === undefined ? {} : { reference: value, ...(hasGoal ? { goal: value * share } : {}) };
    return [
      {
        name: `${name}, CPU`,
        value: after[name].cpuSeconds - before[name].cpuSeconds,
        unit: 's',
        ...goalOf(theirs?.cpuSeconds, goals.cpuShare),
      },
      {
        name: `${name}, resident`,
        value: megabytes(after[name].residentBytes),
        unit: `MB (before ${megabytes(before[name].residentBytes).toFixed(0)}, ${peak(name, after)})`,
        ...goalOf(theirs?.megabytes, goals.memoryShare),
      },
    ];
  });
  return figureTable([...figures, ...processes]);
}

export const figureTable = (figures: readonly Figure[]): string => [head, ...figures.map(row)].join('\n');

const peak = (name: ProcessName, after: PartResult['after']): string =>
  `peak ${megabytes(after[name].peakBytes).toFixed(0)}`;

const megabytes = (bytes: number): number => bytes / 1024 / 1024;

export const isMet = ({ value, goal, isRate = false }: Figure): boolean =>
  goal === undefined || (isRate ? value >= goal : value <= goal);

function row(figure: Figure): string {
  const { name, value, unit, reference: theirs, goal } = figure;
  const cells = [
    name,
    `${digits(value)} ${unit}`,
    theirs === undefined ? '' : digits(theirs),
    theirs === undefined ? '' : (value / theirs).toFixed(2),
    goal === undefined ? '' : digits(goal),
    goal === undefined ? '' : isMet(figure) ? 'met' : 'missed',
  ];
  return `| ${cells.join(' | ')} |`;
}

const digits = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(0));
