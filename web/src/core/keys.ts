// keys.ts -- one place that hears keys; a view adds its own while it stands.

export type Keys = Record<string, (e: KeyboardEvent) => void>;
const stack: (() => Keys)[] = [];

/** Adds keys ("w", "space", "esc", "/"), asked for when one is pressed; the
 * answer removes them again. */
export function addKeys(keys: () => Keys): () => void {
    stack.push(keys);
    return () => {
        const at = stack.indexOf(keys);
        if (at >= 0) stack.splice(at, 1);
    };
}

const FIELDS = /^(INPUT|SELECT|TEXTAREA)$/;

document.addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const target = e.target as HTMLElement;
    if (FIELDS.test(target.tagName)) {
        if (e.key === 'Escape') target.blur();
        return;
    }
    const key = e.key === ' ' ? 'space' : e.key === 'Escape' ? 'esc' : e.key;
    // Space presses a focused button; that is not ours to take.
    if ((key === 'space' || key === 'Enter') && /^(BUTTON|A|SUMMARY)$/.test(target.tagName)) return;
    for (let i = stack.length - 1; i >= 0; i--) {
        const act = stack[i]()[key];
        if (act) {
            e.preventDefault();
            act(e);
            return;
        }
    }
});

export const KEYS: [string, string][] = [
    ['?', 'this help'], ['space', 'pause or go on'],
    ['w s', 'zoom in, out'], ['a d', 'earlier, later'],
    ['f', 'fit: all, or the selection'], ['/', 'search'],
    ['[ ]', 'slow inference before, behind'], ['e', 'export'], ['m', 'metrics of Live'],
    ['1', 'Live'], ['2', 'Runs'], ['3', 'Timeline'], ['4', 'Compare'],
    ['5', 'System'], ['g', 'Graph'], ['t', 'light or dark'], ['esc', 'nothing selected'],
];
