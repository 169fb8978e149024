// elements.ts -- the four panels as custom elements, for other people's pages:
//
//     <script type="module" src="http://127.0.0.1:8000/assets/elements.js"></script>
//     <ortmeter-timeline run="last" theme="dark"></ortmeter-timeline>
//
// Each is a frame of /embed/PANEL, so that neither page's styles or scripts reach
// the other.  `server` names another server than the one this module came from;
// the property `token` hands a token over without putting it into an address.

const HERE = new URL(import.meta.url).origin;
const HEIGHTS: Record<string, number> = { performance: 400, resource: 200, timeline: 640, energy: 640 };

class PanelElement extends HTMLElement {
    static observedAttributes = ['run', 'theme', 'server', 'window', 'height'];
    private frame = document.createElement('iframe');
    private secret?: string;

    constructor(private readonly panel: string) {
        super();
        this.frame.title = `ortmeter: ${panel}`;
        Object.assign(this.frame.style, { width: '100%', border: '0', display: 'block' });
        this.frame.addEventListener('load', () => this.handToken());
        this.attachShadow({ mode: 'open' }).append(this.frame);
    }

    set token(value: string) {
        this.secret = value;
        this.handToken();
    }

    private get server() {
        return this.getAttribute('server') ?? HERE;
    }

    private handToken() {
        if (this.secret) this.frame.contentWindow?.postMessage({ ortmeterToken: this.secret }, this.server);
    }

    connectedCallback() {
        this.attributeChangedCallback();
    }

    attributeChangedCallback() {
        if (!this.isConnected) return;
        const query = new URLSearchParams();
        for (const name of ['run', 'theme', 'window']) {
            const value = this.getAttribute(name);
            if (value) query.set(name, value);
        }
        this.frame.style.height = `${Number(this.getAttribute('height')) || HEIGHTS[this.panel]}px`;
        const url = `${this.server}/embed/${this.panel}${query.size ? `?${query}` : ''}`;
        if (this.frame.src !== url) this.frame.src = url;
    }
}

for (const panel of Object.keys(HEIGHTS)) {
    const name = `ortmeter-${panel}`;
    if (!customElements.get(name))
        customElements.define(name, class extends PanelElement {
            constructor() {
                super(panel);
            }
        });
}
