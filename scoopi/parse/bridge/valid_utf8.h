/* Tests whether bytes are UTF-8, as Python's strict decoder does. */
#ifndef SCOOPI_VALID_UTF8_H
#define SCOOPI_VALID_UTF8_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* is_utf8(page) -> bool */
PyObject *valid_utf8(PyObject *module, PyObject *page);

#endif
