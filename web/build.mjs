// build.mjs -- the page, bundled: `node build.mjs [FOLDER [STAMP]]`, default
// dist/.  STAMP is written with the sizes, and only when they change.  Without
// our packages there is no page, which is said and is no error.
//
// index.html is what `/` and `/embed/PANEL` answer with; everything else goes
// to assets/ under a name that holds its hash, so that browsers may keep it.
// elements.js keeps its name: other people's pages import it.

import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, 'dist'), stamp = process.argv[3];
const limits = { first: 150_000, all: 300_000 }; // bytes, gzip

function done(text) {
    if (!stamp) console.log(text);
    else if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== text) {
        writeFileSync(stamp, text);
        console.error(text);
    }
}

rmSync(out, { recursive: true, force: true });
if (!existsSync(join(here, 'node_modules/esbuild')) || !existsSync(join(here, 'node_modules/uplot'))) {
    done('page: not built, its packages are missing (tools/deps.sh web)');
    process.exit(0);
}
const { build } = await import('esbuild');
mkdirSync(join(out, 'assets'), { recursive: true });

const common = {
    bundle: true, minify: true, format: 'esm', target: 'es2022', charset: 'utf8',
    legalComments: 'none', jsx: 'automatic', jsxImportSource: 'preact',
    absWorkingDir: here, logLevel: 'warning',
};
const result = await build({
    ...common, entryPoints: ['src/main.tsx'], splitting: true, metafile: true,
    outdir: join(out, 'assets'), entryNames: '[name]-[hash]', chunkNames: '[name]-[hash]',
});
await build({ ...common, entryPoints: ['src/elements.ts'], outdir: join(out, 'assets') });

const made = Object.entries(result.metafile.outputs);
const main = made.find(([, o]) => o.entryPoint === 'src/main.tsx');
const name = path => path.slice(path.lastIndexOf('/') + 1);
const html = readFileSync(join(here, 'src/index.html'), 'utf8')
    .replace('SCRIPT', `assets/${name(main[0])}`)
    .replace('STYLE', `assets/${name(main[1].cssBundle)}`);
writeFileSync(join(out, 'index.html'), html);

// The main sheet holds those of the views that are loaded later, too.
for (const [path] of made) if (path.endsWith('.css') && path !== main[1].cssBundle) rmSync(join(out, 'assets', name(path)));

// The icon of the tab: no request of its own route, so a file like the others.
writeFileSync(join(out, 'assets', 'icon.svg'), readFileSync(join(here, 'src/style/icon.svg')));

// What the browser needs before the first view stands, and all there is.
const packed = file => gzipSync(readFileSync(join(out, file)), { level: 9 }).length;
const first = new Set(['index.html', `assets/${name(main[1].cssBundle)}`]);
(function follow(path) {
    first.add(`assets/${name(path)}`);
    for (const i of result.metafile.outputs[path].imports)
        if (i.kind === 'import-statement' && !first.has(`assets/${name(i.path)}`)) follow(i.path);
})(main[0]);
const live = made.find(([, o]) => o.entryPoint === 'src/views/live.tsx');
if (live) first.add(`assets/${name(live[0])}`);
const files = ['index.html', ...readdirSync(join(out, 'assets')).map(f => `assets/${f}`)];
const sizes = {
    first: [...first].reduce((sum, f) => sum + packed(f), 0),
    all: files.reduce((sum, f) => sum + packed(f), 0),
};
const kb = n => `${(n / 1000).toFixed(1)} kB`;
done(`page: first view ${kb(sizes.first)}, all ${kb(sizes.all)} gzip, ` +
    createHash('sha256').update(html).digest('hex').slice(0, 8));
for (const [what, size] of Object.entries(sizes))
    if (size > limits[what]) {
        console.error(`page: ${what} is ${kb(size)}, over its limit of ${kb(limits[what])}`);
        process.exit(1);
    }
