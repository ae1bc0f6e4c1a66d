import { replaysSection } from './suite.ts';

replaysSection('controllers-pdb');
