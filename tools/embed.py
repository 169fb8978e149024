#!/usr/bin/env python3
"""embed.py FOLDER OUT.c -- makes the table of src/serve/assets.h.

Every file of FOLDER becomes a row: index.html at "/", the others at
"/assets/NAME", packed by gzip, with a hash of the content as their ETag.  A name
with a hash in it (eight hexadecimal digits, or eight behind a hyphen as esbuild
writes them) never changes what it holds.  Where
there is no such folder the table is empty.  OUT.c is only written when it
changes."""
import gzip
import hashlib
import os
import re
import sys

TYPES = {
    '.html': 'text/html; charset=utf-8',
    '.js': 'text/javascript; charset=utf-8',
    '.mjs': 'text/javascript; charset=utf-8',
    '.css': 'text/css; charset=utf-8',
    '.svg': 'image/svg+xml',
    '.png': 'image/png',
    '.ico': 'image/x-icon',
    '.json': 'application/json',
    '.woff2': 'font/woff2',
    '.txt': 'text/plain; charset=utf-8',
}


def files(folder):
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            yield os.path.join(place, name)


def row(number, folder, path):
    with open(path, 'rb') as file:
        content = file.read()
    name = os.path.basename(path)
    relative = os.path.relpath(path, folder).replace(os.sep, '/')
    packed = gzip.compress(content, 9, mtime=0)
    numbers = ','.join(str(byte) for byte in packed)
    served = '/' if relative == 'index.html' else '/assets/' + name
    kind = TYPES.get(os.path.splitext(name)[1], 'application/octet-stream')
    etag = hashlib.sha256(content).hexdigest()[:16]
    fixed = 'true' if re.search('[0-9a-f]{8}|-[0-9A-Z]{8}[.]', name) else 'false'
    return (f'static const unsigned char file_{number}[] = {{{numbers}}};\n',
            f'    {{ "{served}", "{kind}", "\\"{etag}\\"", {fixed},'
            f' file_{number}, sizeof(file_{number}) }},\n')


def main():
    folder, out = sys.argv[1:]
    rows = [row(i, folder, path) for i, path in enumerate(files(folder))]
    text = ('/* assets.c -- made by tools/embed.py. */\n'
            '#include "serve/assets.h"\n\n' + ''.join(r[0] for r in rows) +
            '\nconst struct asset assets[] = {\n' +
            ''.join(r[1] for r in rows) + '    { 0 },\n};\n')
    if os.path.exists(out):
        with open(out, encoding='ascii') as file:
            if file.read() == text:
                return
    with open(out, 'w', encoding='ascii') as file:
        file.write(text)


main()
