// tip.ts -- the one tooltip: elements with data-tip show it, canvases call show.

const tip = document.createElement('div');
tip.id = 'tip';
tip.hidden = true;
tip.setAttribute('role', 'tooltip');
document.body.append(tip);

/** Lines of text beside the pointer; the first is bold.  Nothing hides it. */
export function showTip(at: { clientX: number; clientY: number }, lines: (string | undefined)[] | null) {
    const text = lines?.filter((l): l is string => !!l);
    tip.hidden = !text?.length;
    if (!text?.length) return;
    tip.replaceChildren(...text.map((line, i) => {
        const row = document.createElement(i === 0 && text.length > 1 ? 'b' : 'div');
        row.textContent = line;
        return row;
    }));
    const box = tip.getBoundingClientRect(), x = at.clientX + 14, y = at.clientY + 14;
    tip.style.left = `${Math.max(4, x + box.width > innerWidth - 4 ? at.clientX - box.width - 10 : x)}px`;
    tip.style.top = `${Math.max(4, y + box.height > innerHeight - 4 ? at.clientY - box.height - 10 : y)}px`;
}

export const hideTip = () => showTip({ clientX: 0, clientY: 0 }, null);

function of(e: Event): HTMLElement | null {
    return (e.target as Element).closest?.('[data-tip]') as HTMLElement | null;
}
document.addEventListener('mouseover', e => {
    const t = of(e);
    if (t) showTip(e, t.dataset.tip!.split('\n'));
});
document.addEventListener('mouseout', e => {
    if (of(e)) hideTip();
});
document.addEventListener('focusin', e => {
    const t = of(e);
    if (!t?.matches(':focus-visible')) return;
    const box = t.getBoundingClientRect();
    showTip({ clientX: box.left, clientY: box.bottom - 8 }, t.dataset.tip!.split('\n'));
});
document.addEventListener('focusout', hideTip);
