#!/bin/bash
# The package that people import, on the oldest Python that the tests know.
. "$(dirname "$0")/lib.sh"
. "$here/python_lib.sh"

test_package 3.8
