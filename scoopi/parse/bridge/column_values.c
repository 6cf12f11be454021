/* column: the values of the elements of a list or of a table's column by their positions, in one walk.
 *
 * One walk over the block finds what `li:nth-child(K) > a` finds for each K, without a Python object for each `li`.
 */
#include "column_values.h"
#include "element_tests.h"
#include "row_cells.h"

/* A chain of compounds, and what is read from each element that it finds. */
typedef struct {
    element_chain chain;
    const char *tag;  /* of its children; "" for the element itself */
    const char *name; /* of an attribute; "" for the own text */
} column;

/* Whether white space of the element's own text is significant. */
static bool is_preserved(const xmlNode *element)
{
    return preserves_blanks(element) || (element->parent != NULL && row_cells_preserved(element->parent));
}

static PyObject *value_of(const xmlNode *element, const column *wanted, text_buffer *text)
{
    if (*wanted->tag) return row_cells_tail(element, wanted->tag, wanted->name, text);
    if (!*wanted->name && is_preserved(element)) return NULL;
    return row_cells_value(element, wanted->name, text);
}

/* Adds the element's value under its position; UNDECIDED if that has a value already, or only Python can decide. */
static outcome add_value(PyObject *values, PyObject *joined, const xmlNode *element, const column *wanted,
                         counted_element *known, text_buffer *text)
{
    Py_ssize_t position = row_cells_position(element, false, known);
    if (position == 0) return UNDECIDED;
    PyObject *value = value_of(element, wanted, text);
    if (value == NULL) return PyErr_Occurred() ? FAILED : UNDECIDED;
    PyObject *place = PyLong_FromSsize_t(position);
    Py_ssize_t before = PyDict_GET_SIZE(values);
    int added = place != NULL ? PyDict_SetItem(values, place, value) : -1;
    outcome made = added != 0 ? FAILED : PyDict_GET_SIZE(values) == before ? UNDECIDED : DONE;
    if (made == DONE && PyList_Check(value) && PyList_Append(joined, place) != 0) made = FAILED;
    Py_XDECREF(place);
    Py_DECREF(value);
    return made;
}

static outcome add_block(PyObject *values, PyObject *joined, const xmlNode *block, const column *wanted,
                         counted_element *known, text_buffer *text)
{
    for (const xmlNode *node = block; node != NULL; node = element_walk(node, block)) {
        outcome fits = node->type == XML_ELEMENT_NODE ? element_chain_fits(node, block, &wanted->chain) : UNDECIDED;
        if (fits == FAILED) return UNDECIDED; /* an attribute that is not a single text node */
        outcome added = fits == DONE ? add_value(values, joined, node, wanted, known, text) : DONE;
        if (added != DONE) return added;
    }
    return DONE;
}

PyObject *column_values(PyObject *module, PyObject *arguments)
{
    PyObject *blocks, *chain, *children;
    int place;
    column wanted = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!O!O!iss", &PyList_Type, &blocks, &PyTuple_Type, &chain, &PyTuple_Type,
                          &children, &place, &wanted.tag, &wanted.name))
        return NULL;
    if (!element_chain_read(chain, children, place, &wanted.chain)) return NULL;
    counted_element known[REMEMBERED] = {0};
    text_buffer text = {0};
    PyObject *values = PyDict_New(), *joined = PyList_New(0);
    outcome made = values != NULL && joined != NULL ? DONE : FAILED;
    for (Py_ssize_t at = 0; made == DONE && at < PyList_GET_SIZE(blocks); at++) {
        const xmlNode *block = row_cells_node(PyList_GET_ITEM(blocks, at));
        made = block != NULL ? add_block(values, joined, block, &wanted, known, &text) : FAILED;
    }
    PyMem_Free(text.bytes);
    PyObject *found = made == DONE ? PyTuple_Pack(2, values, joined) : made == UNDECIDED ? Py_NewRef(Py_None) : NULL;
    Py_XDECREF(values);
    Py_XDECREF(joined);
    return found;
}
