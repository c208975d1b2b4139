"""Prints what is wrong with the Job of docs/scale/kubernetes.yaml; its shell command goes to standard output. By the
reference of Kubernetes: batch/v1 Job, core/v1 PodSpec, Container, Volume, ConfigMap."""
import re
import sys

import yaml

REQUIRED_AND_OTHER = {
    'Job': ({'apiVersion', 'kind', 'metadata', 'spec'}, set()),
    'Job spec': ({'completionMode', 'completions', 'template'}, {'parallelism', 'backoffLimit'}),
    'pod': ({'restartPolicy', 'containers'}, {'terminationGracePeriodSeconds', 'volumes'}),
    'container': ({'name', 'image'}, {'command', 'args', 'env', 'resources', 'volumeMounts'}),
    'mount': ({'name', 'mountPath'}, set()),
}
VOLUMES = {'configMap': {'name'}, 'persistentVolumeClaim': {'claimName'}, 'hostPath': {'path', 'type'}}
wrong = []


def expect(holds, what):
    if not holds:
        wrong.append(what)


def look(kind, thing):
    required, other = REQUIRED_AND_OTHER[kind]
    expect(set(thing) <= required | other, f'{kind}: unknown {set(thing) - required - other}')
    expect(set(thing) >= required, f'{kind}: lacks {required - set(thing)}')
    return thing


config, job = yaml.safe_load_all(open(sys.argv[1], encoding='utf-8'))
expect((config['apiVersion'], config['kind']) == ('v1', 'ConfigMap'), 'first: a ConfigMap of v1')
look('Job', job)
expect((job['apiVersion'], job['kind']) == ('batch/v1', 'Job'), 'second: a Job of batch/v1')
for document in config, job:
    expect(re.fullmatch(r'[a-z0-9]([-a-z0-9]*[a-z0-9])?', document['metadata']['name']), 'metadata.name')
spec = look('Job spec', job['spec'])
expect(spec['completionMode'] == 'Indexed', 'completionMode')
for name in 'completions', 'parallelism', 'backoffLimit':
    expect(type(spec[name]) is int and spec[name] > 0, name)
pod = look('pod', spec['template']['spec'])
expect(pod['restartPolicy'] in ('Never', 'OnFailure'), 'restartPolicy')  # a Job may not say Always
volumes = {}
for volume in pod['volumes']:
    kind, = set(volume) - {'name'}
    expect(set(volume[kind]) == VOLUMES[kind], f'volume {volume["name"]}')
    volumes[volume['name']] = volume[kind]
container, = pod['containers']
look('container', container)
for mount in container['volumeMounts']:
    look('mount', mount)
    expect(mount['name'] in volumes, f'no volume {mount["name"]}')
    expect(mount['mountPath'].startswith('/'), 'mountPath')
expect(volumes['config']['name'] == config['metadata']['name'], 'the ConfigMap is the mounted one')
for variable in container['env']:
    expect('name' in variable and ('value' in variable) != ('valueFrom' in variable), f'env {variable}')
    expect(isinstance(variable.get('value', ''), str), f'env {variable}: text')
expect(container['command'] == ['sh', '-c'] and len(container['args']) == 1, 'command')
expect(f'--shard auto/{spec["completions"]} ' in container['args'][0], 'as many shards as completions')
open(sys.argv[2], 'w', encoding='utf-8').write(config['data']['sweep.ini'])
if wrong:
    sys.exit('\n'.join(wrong))
print(container['args'][0])
