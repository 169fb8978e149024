#!/usr/bin/env python3
"""embed_file.py FILE OUT.c -- makes src/cmd/recording.h's array of a file."""
import sys

source, out = sys.argv[1:]
with open(source, 'rb') as file:
    numbers = ','.join(str(byte) for byte in file.read())
with open(out, 'w', encoding='ascii') as file:
    file.write('/* recording.c -- made by tools/embed_file.py. */\n'
               '#include "cmd/recording.h"\n\n'
               f'const unsigned char recording[] = {{{numbers}}};\n'
               'const size_t recording_len = sizeof(recording);\n')
