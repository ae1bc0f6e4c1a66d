import { replaysSection } from './suite.ts';

replaysSection('controllers-node');
