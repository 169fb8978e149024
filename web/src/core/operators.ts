// operators.ts -- one form for what the server tells of operators.

import type { Operators } from './types';

/** The list is `ops` in the report and its kin, `operators` elsewhere. */
export function operatorsOf(answer: Partial<Operators> | undefined): Operators {
    return { total: 0, ...answer, operators: answer?.operators ?? answer?.ops ?? [] };
}
