// family.cjs -- a node program whose two children do the work, one after the
// other, by each of node's ways: node family.cjs SCRIPT ARG...
'use strict';
const {fork, spawn} = require('node:child_process');
const [script, ...args] = process.argv.slice(2);

function ended(child) {
    return new Promise((resolve) => child.on('exit', (code, signal) => {
        process.exitCode ||= code ?? 1;
        if (signal)
            console.error(`a child died of ${signal}`);
        resolve();
    }));
}

async function main() {
    await ended(fork(script, args));
    await ended(spawn(process.execPath, [script, ...args],
                      {stdio: 'inherit'}));
    console.log('family done');
}

main();
