"""How pip builds us: by meson-python, and what is installed as it is edited gets
a command `ortmeter`, too.

In a wheel the command is the program itself.  Of an editable install there is
only a reference to the source: so a script is put in, which starts what was built
(ortmeter/__main__.py)."""

import base64
import hashlib
import os
import zipfile

import mesonpy
from mesonpy import (  # noqa: F401
    build_sdist,
    build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
)

SCRIPT = "#!python\nfrom ortmeter.__main__ import main\n\nmain()\n"


def _record_line(name, text):
    digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=")
    return "%s,sha256=%s,%d\n" % (name, digest.decode(), len(text))


def _add_script(path):
    with zipfile.ZipFile(path) as old:
        members = [(info, old.read(info)) for info in old.infolist()]
    record = next(info.filename for info, _ in members
                  if info.filename.endswith(".dist-info/RECORD"))
    name = record.replace(".dist-info/RECORD", ".data/scripts/ortmeter")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for info, data in members:
            if info.filename == record:
                data += _record_line(name, SCRIPT).encode()
            new.writestr(info, data)
        script = zipfile.ZipInfo(name)
        script.external_attr = 0o100755 << 16  # a plain file that may be run
        new.writestr(script, SCRIPT)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    name = mesonpy.build_editable(wheel_directory, config_settings, metadata_directory)
    _add_script(os.path.join(wheel_directory, name))
    return name
