#!/bin/sh
# Everything that is checked of the Meltano add-on: style, types, and the tests, which start the packaged service.
# Makes a virtual environment in .venv; PYTHON names another interpreter, VENV another folder. Arguments go to pytest.
set -eu
cd "$(dirname "$0")"
venv=${VENV:-.venv}
if [ ! -x "$venv/bin/python" ]; then
    "${PYTHON:-python3}" -m venv "$venv"
fi
"$venv/bin/python" -m pip install -q --disable-pip-version-check -e '.[test]'
"$venv/bin/ruff" format --check -q .
"$venv/bin/ruff" check -q .
"$venv/bin/mypy"
"$venv/bin/pytest" -q "$@"
echo "Meltano add-on: all checks passed on $("$venv/bin/python" --version)"
