import type { Flood } from './flood.ts';
import { answerFloods } from './floods-of-answers.ts';
import { bodyFloods } from './floods-of-bodies.ts';
import { headFloods } from './floods-of-heads.ts';
import { watchFloods } from './floods-of-watches.ts';

export const floods: readonly Flood[] = [...answerFloods, ...watchFloods, ...bodyFloods, ...headFloods];
