#!/usr/bin/env python3
"""Runs the shell steps of a file for a build server, as that would.

    ci_steps.py github|azure|gitlab FILE NAME=VALUE...

Values are the inputs, parameters or variables.  What the steps write for the
server is in the files output, summary and log of the current folder.  The exit
code is that of the first step that fails.
"""
import os
import re
import subprocess
import sys

import yaml

kind, path, *given = sys.argv[1:]
given = dict(item.split('=', 1) for item in given)
with open(path, encoding='utf-8') as file:
    document = yaml.safe_load(file)
here = os.getcwd()
results = {}   # of steps, by their ids; variables of a pipeline


def fill(text, names):
    """Puts values in place of ${{ ... }}: every one has to be known."""
    def value(match):
        return names[match.group(1)]
    return re.sub(r'\$\{\{\s*([\w.-]+)\s*\}\}', value, str(text))


def run(script, environment):
    done = subprocess.run(
        ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', script],
        env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True)
    with open('log', 'a', encoding='utf-8') as log:
        log.write(done.stdout)
    return done


def github():
    names = {f'inputs.{key}': str(given.pop(key, value.get('default', '')))
             for key, value in document['inputs'].items()}
    for step in document['runs']['steps']:
        if 'run' not in step:
            continue
        assert step['shell'] == 'bash'
        for name in ('output', 'summary'):
            open(name, 'a', encoding='utf-8').close()
        done = run(step['run'], {
            **{key: fill(value, names) for key, value in step['env'].items()},
            'GITHUB_OUTPUT': f'{here}/output',
            'GITHUB_STEP_SUMMARY': f'{here}/summary'})
        if done.returncode:
            return done.returncode
        with open('output', encoding='utf-8') as file:
            for line in file.read().splitlines():
                key, value = line.split('=', 1)
                names[f"steps.{step.get('id')}.outputs.{key}"] = value
    return 0


def azure():
    names = {f"parameters.{p['name']}":
             str(given.pop(p['name'], p.get('default', '')))
             for p in document['parameters']}
    variables = {}
    for step in document['steps']:
        if 'bash' not in step:
            continue
        environment = {
            key: re.sub(r'\$\((\w+)\)', lambda m: variables[m.group(1)],
                        fill(value, names))
            for key, value in step['env'].items()}
        done = run(step['bash'], {
            **environment, 'BUILD_ARTIFACTSTAGINGDIRECTORY': here})
        for name, value in re.findall(
                r'##vso\[task\.setvariable variable=(\w+)\](.*)', done.stdout):
            variables[name] = value
        if done.returncode:
            return done.returncode
    return 0


def gitlab():
    job = document['ortmeter']
    environment = {**job['variables'], **given}
    given.clear()
    return run('\n'.join(job['script']), environment).returncode


code = {'github': github, 'azure': azure, 'gitlab': gitlab}[kind]()
assert not given, f'no such inputs: {given}'
sys.exit(code)
