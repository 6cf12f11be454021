/* What the bridge's module takes from record_values.c. */
#ifndef SCOOPI_RECORD_VALUES_H
#define SCOOPI_RECORD_VALUES_H

#include <Python.h>

PyObject *record_values_plan(PyObject *module, PyObject *arguments);
PyObject *record_values(PyObject *module, PyObject *arguments);

#endif
