/* values: evaluates all simple selectors of a record in one walk over libxml2's nodes.
 *
 * Gives the same values as `RecordWalk.walked` in `scoopi/parse/records/record_walk.py`, without a Python object for
 * each node; and also evaluates selectors that start at a label (`label_values.c`). A record with text whose white
 * space may be significant, or with control characters, is left to Python.
 */
#include "label_values.h"
#include "record_values.h"
#include "row_cells.h"

/* A field: the chain to an element, and what it reads from it. */
typedef struct {
    Py_ssize_t at;
    element_chain chain;
    bool is_list, has_label;
    const char *attribute; /* "" for a text */
    char text;             /* v(isible), o(wn) or r(aw) */
    label label;
} target;

/* The state of a target with a label during the walk over one record. */
typedef struct {
    const xmlNode *last;
    bool is_left; /* evaluated by Python instead */
} progress;

/* Targets read from a tuple, which owns their strings. */
typedef struct {
    target *targets;
    Py_ssize_t number, width;
    int is_flat; /* gives a tuple of the values of a record if each field has one */
    PyObject *written;
} plan;

typedef struct {
    const target *targets;
    Py_ssize_t number, left;
    progress *progress;
    text_buffer text;
    label_texts texts;
    node_list beside;
} state;

/* ---- the plan ---- */

static bool read_target(PyObject *written, Py_ssize_t width, target *made)
{
    PyObject *chain, *children, *label = Py_None;
    const char *text;
    int is_list, place = WITHIN;
    if (!PyTuple_Check(written)) return PyErr_Format(PyExc_TypeError, "expected a tuple"), false;
    if (!PyArg_ParseTuple(written, "nO!O!ssp|iO", &made->at, &PyTuple_Type, &chain, &PyTuple_Type, &children,
                          &made->attribute, &text, &is_list, &place, &label))
        return false;
    made->text = text[0];
    made->is_list = is_list;
    made->has_label = label != Py_None;
    if (made->at < 0 || made->at >= width) return PyErr_Format(PyExc_ValueError, "a position is wrong"), false;
    if (!element_chain_read(chain, children, place, &made->chain)) return false;
    return !made->has_label || label_read(label, &made->label);
}

/* ---- records ---- */

/* Adds the value that a target reads from a node, if there is one. */
static outcome take(PyObject *values, const xmlNode *node, const target *wanted, state *walk)
{
    PyObject *value = NULL;
    if (*wanted->attribute) {
        const xmlAttr *attribute = element_attribute(node, wanted->attribute);
        if (attribute == NULL) return DONE;
        const char *written = element_value(attribute);
        if (written == NULL) return UNDECIDED;
        value = PyUnicode_FromString(written);
        if (value == NULL) return FAILED;
    } else {
        outcome made = seen_value(node, wanted->text, &walk->text, &value);
        if (made != DONE) return made;
    }
    int added = PyList_Append(PyList_GET_ITEM(values, wanted->at), value);
    Py_DECREF(value);
    if (!wanted->is_list) walk->left--;
    return added == 0 ? DONE : FAILED;
}

/* Whether the values of a label come after those of the previous one, as document order requires. */
static bool are_in_order(const label *wanted, const xmlNode *last, const xmlNode *node)
{
    if (last == NULL || wanted->steps == 0) return true;
    if (wanted->steps > 1 || wanted->kind[0] != '+') return false;
    for (; node != NULL; node = node->parent)
        if (node == last) return false;
    return true;
}

/* Adds the values next to a label, if the node is one; UNDECIDED if only Python can decide. */
static outcome take_beside(PyObject *values, const xmlNode *node, const xmlNode *root, Py_ssize_t at, state *walk)
{
    const target *wanted = &walk->targets[at];
    label_answer answer = label_fits(&wanted->label, node, &walk->texts);
    if (answer == LABEL_ERROR) return FAILED;
    if (answer == LABEL_NO || (node == root && wanted->label.steps > 0)) return DONE; /* siblings are outside the root */
    if (answer == LABEL_UNSURE || !are_in_order(&wanted->label, walk->progress[at].last, node)) return UNDECIDED;
    walk->progress[at].last = node;
    answer = label_rest(&wanted->label, node, &walk->beside);
    if (answer != LABEL_YES) return answer == LABEL_ERROR ? FAILED : UNDECIDED;
    for (Py_ssize_t each = 0; each < walk->beside.length; each++) {
        outcome taken = take(values, walk->beside.nodes[each], wanted, walk);
        if (taken != DONE) return taken;
    }
    return DONE;
}

/* Leaves a target with a label to Python. */
static outcome leave(PyObject *values, Py_ssize_t at, state *walk)
{
    walk->progress[at].is_left = true;
    return PyList_SetItem(values, walk->targets[at].at, Py_NewRef(Py_None)) == 0 ? DONE : FAILED;
}

static outcome look_at(PyObject *values, const xmlNode *node, const xmlNode *root, state *walk)
{
    for (Py_ssize_t at = 0; at < walk->number; at++) {
        const target *wanted = &walk->targets[at];
        if (walk->progress[at].is_left) continue;
        if (!wanted->is_list && PyList_GET_SIZE(PyList_GET_ITEM(values, wanted->at)) > 0) continue;
        outcome found = element_chain_fits(node, root, &wanted->chain);
        if (found == FAILED) return UNDECIDED; /* an attribute that is not a single text node */
        if (found == UNDECIDED) continue;
        outcome taken = wanted->has_label ? take_beside(values, node, root, at, walk) : take(values, node, wanted, walk);
        if (taken == UNDECIDED && wanted->has_label) taken = leave(values, at, walk);
        if (taken != DONE) return taken;
    }
    return DONE;
}

static outcome walk_over(PyObject *values, const xmlNode *root, state *walk)
{
    bool has_lists = false;
    walk->left = 0;
    for (Py_ssize_t at = 0; at < walk->number; at++) {
        walk->left += !walk->targets[at].is_list;
        has_lists |= walk->targets[at].is_list;
        walk->progress[at] = (progress){0};
    }
    for (const xmlNode *node = root; node != NULL && (has_lists || walk->left > 0); node = element_walk(node, root)) {
        outcome looked = node->type == XML_ELEMENT_NODE ? look_at(values, node, root, walk) : DONE;
        if (looked != DONE) return looked;
    }
    return DONE;
}

static PyObject *new_values(Py_ssize_t width)
{
    PyObject *values = PyList_New(width);
    for (Py_ssize_t at = 0; values != NULL && at < width; at++) {
        PyObject *none = PyList_New(0);
        if (none == NULL) Py_CLEAR(values);
        else PyList_SET_ITEM(values, at, none);
    }
    return values;
}

/* A tuple of the values if each field has exactly one; else the lists. Takes the reference. */
static PyObject *flattened(PyObject *values)
{
    Py_ssize_t width = PyList_GET_SIZE(values);
    for (Py_ssize_t at = 0; at < width; at++) {
        PyObject *each = PyList_GET_ITEM(values, at);
        if (!PyList_Check(each) || PyList_GET_SIZE(each) != 1) return values;
    }
    PyObject *flat = PyTuple_New(width);
    for (Py_ssize_t at = 0; flat != NULL && at < width; at++)
        PyTuple_SET_ITEM(flat, at, Py_NewRef(PyList_GET_ITEM(PyList_GET_ITEM(values, at), 0)));
    Py_DECREF(values);
    return flat;
}

static PyObject *all_values(PyObject *roots, const plan *plan, state *walk)
{
    PyObject *all = PyList_New(0);
    for (Py_ssize_t at = 0; all != NULL && at < PyList_GET_SIZE(roots); at++) {
        const xmlNode *root = row_cells_node(PyList_GET_ITEM(roots, at));
        PyObject *values = root != NULL ? new_values(plan->width) : NULL;
        outcome walked = values != NULL ? walk_over(values, root, walk) : FAILED;
        if (walked == UNDECIDED) Py_SETREF(values, Py_NewRef(Py_None));
        if (walked == DONE && plan->is_flat) walked = (values = flattened(values)) != NULL ? DONE : FAILED;
        if (walked == FAILED || PyList_Append(all, values) != 0) Py_CLEAR(all);
        Py_XDECREF(values);
    }
    return all;
}

static const char PLAN[] = "scoopi.values_plan";

static void free_plan(PyObject *capsule)
{
    plan *made = PyCapsule_GetPointer(capsule, PLAN);
    if (made == NULL) return;
    Py_XDECREF(made->written);
    PyMem_Free(made->targets);
    PyMem_Free(made);
}

PyObject *record_values_plan(PyObject *module, PyObject *arguments)
{
    PyObject *written;
    Py_ssize_t width;
    int is_flat = 0;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!n|p", &PyTuple_Type, &written, &width, &is_flat)) return NULL;
    plan *made = PyMem_Calloc(1, sizeof(*made));
    PyObject *capsule = made != NULL ? PyCapsule_New(made, PLAN, free_plan) : PyErr_NoMemory();
    if (capsule == NULL) return PyMem_Free(made), NULL;
    made->number = PyTuple_GET_SIZE(written);
    made->width = width;
    made->is_flat = is_flat;
    made->written = Py_NewRef(written);
    made->targets = PyMem_Calloc((size_t)made->number + 1, sizeof(*made->targets));
    if (made->targets == NULL) Py_SETREF(capsule, PyErr_NoMemory());
    for (Py_ssize_t at = 0; capsule != NULL && at < made->number; at++)
        if (!read_target(PyTuple_GET_ITEM(written, at), width, &made->targets[at])) Py_CLEAR(capsule);
    return capsule;
}

PyObject *record_values(PyObject *module, PyObject *arguments)
{
    PyObject *capsule, *roots, *all = NULL;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO!", &capsule, &PyList_Type, &roots)) return NULL;
    const plan *plan = PyCapsule_GetPointer(capsule, PLAN);
    if (plan == NULL) return NULL;
    state walk = {.targets = plan->targets, .number = plan->number};
    walk.progress = PyMem_Calloc((size_t)plan->number + 1, sizeof(*walk.progress));
    if (walk.progress != NULL) all = all_values(roots, plan, &walk);
    else PyErr_NoMemory();
    label_texts_free(&walk.texts);
    PyMem_Free(walk.beside.nodes);
    PyMem_Free(walk.text.bytes);
    PyMem_Free(walk.progress);
    return all;
}
