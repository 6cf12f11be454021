/* positions, cells, part, tails: positions of elements among their siblings, and texts of the children of rows.
 *
 * Gives the same results as `scoopi/parse/cells/row_cells.py`, in one pass over libxml2's nodes and without a Python
 * object for each of them. Reads trees under the GIL, as lxml does. Longer than most files here, as C takes more
 * lines.
 */
#include "element_tests.h"
#include "row_cells.h"

static PyTypeObject *element_type = NULL; /* lxml.etree._Element, kept for good */

bool row_cells_connected(void)
{
    if (element_type != NULL) return true;
    PyObject *etree = PyImport_ImportModule("lxml.etree");
    PyObject *type = etree != NULL ? PyObject_GetAttrString(etree, "_Element") : NULL;
    Py_XDECREF(etree);
    if (type == NULL) return false;
    if (!PyType_Check(type) || ((PyTypeObject *)type)->tp_basicsize != sizeof(struct LxmlElement)) {
        Py_DECREF(type);
        PyErr_SetString(PyExc_ImportError, "unsupported version of lxml: the layout of its elements differs");
        return false;
    }
    element_type = (PyTypeObject *)type;
    return true;
}

xmlNode *row_cells_node(PyObject *object)
{
    if (PyObject_TypeCheck(object, element_type)) {
        xmlNode *node = ((struct LxmlElement *)object)->_c_node;
        if (node != NULL && node->type == XML_ELEMENT_NODE) return node;
    }
    PyErr_SetString(PyExc_TypeError, "expected a list of elements");
    return NULL;
}

PyObject *row_cells_document(PyObject *element) { return (PyObject *)((struct LxmlElement *)element)->_doc; }

static bool same_name(const xmlNode *one, const xmlNode *other)
{
    return one->name == other->name || strcmp((const char *)one->name, (const char *)other->name) == 0;
}

/* ---- text ---- */

bool row_cells_preserved(const xmlNode *row)
{
    for (int level = 1; level < PRESERVING_LEVELS && row != NULL; level++) {
        if (row->type == XML_ELEMENT_NODE && preserves_blanks(row)) return true;
        row = row->parent;
    }
    return false;
}

/* ---- rows ---- */

static PyObject *text_of(const xmlNode *element, bool full, text_buffer *text)
{
    text->length = 0;
    text->blank_due = false;
    if (!(full ? add_full_text(text, element) : add_own_text(text, element))) return PyErr_NoMemory();
    return PyUnicode_DecodeUTF8(text->bytes != NULL ? text->bytes : "", (Py_ssize_t)text->length, NULL);
}

static bool append_new(PyObject *list, PyObject *made)
{
    bool done = made != NULL && PyList_Append(list, made) == 0;
    Py_XDECREF(made);
    return done;
}

/* Appends the texts of a row's children at positions `*at` to `stop - 1`, None for missing ones, and advances `*at`.
 * Returns 1 on success, 0 if white space may be significant, -1 on an error. */
static int add_cells(PyObject *cells, const xmlNode *row, const char *tag, bool full, Py_ssize_t *at, Py_ssize_t stop,
                     text_buffer *text)
{
    bool any = strcmp(tag, "*") == 0;
    Py_ssize_t position = 0;
    if (!full && row_cells_preserved(row)) return 0;
    for (const xmlNode *child = row->children; child != NULL && *at < stop; child = child->next) {
        if (child->type != XML_ELEMENT_NODE) continue;
        bool wanted = any || is_named(child, tag);
        if (full && !wanted) continue;
        if (++position < *at) continue;
        if (position > *at) { /* `*at` is 0, which no child has */
            if (PyList_Append(cells, Py_None) != 0) return -1;
            if (++*at >= stop) break;
        }
        ++*at;
        if (wanted && !full && preserves_blanks(child)) return 0;
        if (!append_new(cells, wanted ? text_of(child, full, text) : Py_NewRef(Py_None))) return -1;
    }
    return 1;
}

/* The texts of all of a row's children by position; None if white space may be significant. */
static PyObject *cells_of(const xmlNode *row, const char *tag, bool full, text_buffer *text)
{
    Py_ssize_t at = 1;
    PyObject *cells = PyList_New(0);
    int added = cells != NULL && PyList_Append(cells, Py_None) == 0
                    ? add_cells(cells, row, tag, full, &at, PY_SSIZE_T_MAX, text)
                    : -1;
    if (added == 1) return cells;
    Py_XDECREF(cells);
    return added == 0 ? Py_NewRef(Py_None) : NULL;
}

PyObject *row_cells_cells(PyObject *module, PyObject *arguments)
{
    PyObject *rows;
    const char *tag;
    int full;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!sp", &PyList_Type, &rows, &tag, &full)) return NULL;
    text_buffer text = {0};
    PyObject *all = PyList_New(0);
    for (Py_ssize_t at = 0; all != NULL && at < PyList_GET_SIZE(rows); at++) {
        xmlNode *row = row_cells_node(PyList_GET_ITEM(rows, at));
        if (row == NULL || !append_new(all, cells_of(row, tag, full, &text))) Py_CLEAR(all);
    }
    PyMem_Free(text.bytes);
    return all;
}

/* Appends a text for each position; `row` may be NULL. Returns as `add_cells`. */
static int add_part(PyObject *part, const xmlNode *row, const char *tag, bool full, Py_ssize_t first, Py_ssize_t stop,
                    text_buffer *text)
{
    Py_ssize_t at = first;
    int added = row != NULL ? add_cells(part, row, tag, full, &at, stop, text) : 1;
    for (; added == 1 && at < stop; at++)
        if (PyList_Append(part, Py_None) != 0) return -1;
    return added;
}

PyObject *row_cells_part(PyObject *module, PyObject *arguments)
{
    PyObject *rows;
    const char *tag;
    int full, added = 1;
    Py_ssize_t first, stop;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!spnn", &PyList_Type, &rows, &tag, &full, &first, &stop)) return NULL;
    text_buffer text = {0};
    PyObject *part = PyList_New(0);
    for (Py_ssize_t at = 0; part != NULL && added == 1 && at < PyList_GET_SIZE(rows); at++) {
        PyObject *row = PyList_GET_ITEM(rows, at);
        xmlNode *node = row != Py_None ? row_cells_node(row) : NULL;
        added = node == NULL && row != Py_None ? -1 : add_part(part, node, tag, full, first, stop, &text);
    }
    PyMem_Free(text.bytes);
    if (part != NULL && added == 1) return part;
    Py_XDECREF(part);
    if (part == NULL || added == -1) return NULL;
    Py_RETURN_NONE;
}

/* ---- children of a tag ---- */

PyObject *row_cells_value(const xmlNode *element, const char *name, text_buffer *text)
{
    if (!*name) return preserves_blanks(element) ? NULL : text_of(element, false, text);
    const xmlAttr *attribute = element_attribute(element, name);
    const char *value = attribute != NULL ? element_value(attribute) : "";
    return value != NULL ? PyUnicode_FromString(value) : NULL;
}

PyObject *row_cells_tail(const xmlNode *element, const char *tag, const char *name, text_buffer *text)
{
    PyObject *found = Py_NewRef(Py_None);
    bool any = strcmp(tag, "*") == 0;
    if (!*name && row_cells_preserved(element)) Py_CLEAR(found);
    for (const xmlNode *child = element->children; found != NULL && child != NULL; child = child->next) {
        if (child->type != XML_ELEMENT_NODE || !(any || is_named(child, tag))) continue;
        PyObject *made = row_cells_value(child, name, text);
        if (made != NULL && found == Py_None) {
            Py_SETREF(found, made);
            continue;
        }
        if (made != NULL && !PyList_Check(found)) {
            PyObject *several = PyList_New(0);
            if (several != NULL && PyList_Append(several, found) != 0) Py_CLEAR(several);
            Py_SETREF(found, several);
        }
        if (made == NULL || found == NULL || PyList_Append(found, made) != 0) Py_CLEAR(found);
        Py_XDECREF(made);
    }
    return found;
}

PyObject *row_cells_tails(PyObject *module, PyObject *arguments)
{
    PyObject *elements;
    const char *tag, *name;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!ss", &PyList_Type, &elements, &tag, &name)) return NULL;
    text_buffer text = {0};
    PyObject *all = PyList_New(0);
    for (Py_ssize_t at = 0; all != NULL && at < PyList_GET_SIZE(elements); at++) {
        xmlNode *element = row_cells_node(PyList_GET_ITEM(elements, at));
        if (element == NULL || !append_new(all, row_cells_tail(element, tag, name, &text))) Py_CLEAR(all);
    }
    PyMem_Free(text.bytes);
    if (all != NULL || PyErr_Occurred()) return all;
    Py_RETURN_NONE;
}

/* ---- positions ---- */

Py_ssize_t row_cells_position(const xmlNode *node, bool of_type, counted_element *known)
{
    if (node->parent == NULL || node->parent->type != XML_ELEMENT_NODE) return of_type ? 1 : 0;
    counted_element *former = NULL;
    for (int at = 0; at < REMEMBERED && former == NULL; at++)
        if (known[at].node != NULL && known[at].node->parent == node->parent &&
            (!of_type || same_name(known[at].node, node)))
            former = &known[at];
    Py_ssize_t position = 1;
    for (const xmlNode *before = node->prev; before != NULL; before = before->prev) {
        if (former != NULL && before == former->node) {
            position += former->position;
            break;
        }
        if (before->type == XML_ELEMENT_NODE && (!of_type || same_name(before, node))) position++;
    }
    if (former == NULL) {
        memmove(known + 1, known, (REMEMBERED - 1) * sizeof(*known));
        former = known;
    }
    former->node = node;
    former->position = position;
    return position;
}

PyObject *row_cells_positions(PyObject *module, PyObject *arguments)
{
    PyObject *elements;
    int of_type;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!p", &PyList_Type, &elements, &of_type)) return NULL;
    counted_element known[REMEMBERED] = {0};
    PyObject *positions = PyList_New(0);
    for (Py_ssize_t at = 0; positions != NULL && at < PyList_GET_SIZE(elements); at++) {
        xmlNode *node = row_cells_node(PyList_GET_ITEM(elements, at));
        if (node == NULL || !append_new(positions, PyLong_FromSsize_t(row_cells_position(node, of_type, known))))
            Py_CLEAR(positions);
    }
    return positions;
}
