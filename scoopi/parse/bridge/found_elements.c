/* elements: finds the elements of a selector of tags, ids and classes in one walk over libxml2's nodes.
 *
 * Setting up an XPath costs libxml2 more than visiting all elements of a small page. Only elements that are found
 * become Python objects.
 */
#include "found_elements.h"

#include "element_tests.h"
#include "row_cells.h"

typedef PyObject *(*element_maker)(PyObject *document, xmlNode *node);

static element_maker element_of = NULL; /* lxml's elementFactory, which gives each node one element */

bool found_elements_connected(void)
{
    static const char signature[] = "struct LxmlElement *(struct LxmlDocument *, xmlNode *)";
    if (element_of != NULL) return true;
    PyObject *etree = PyImport_ImportModule("lxml.etree");
    PyObject *exported = etree != NULL ? PyObject_GetAttrString(etree, "__pyx_capi__") : NULL;
    PyObject *capsule = exported != NULL ? PyMapping_GetItemString(exported, "elementFactory") : NULL;
    void *found = capsule != NULL ? PyCapsule_GetPointer(capsule, signature) : NULL;
    Py_XDECREF(capsule);
    Py_XDECREF(exported);
    Py_XDECREF(etree);
    if (found == NULL) {
        PyErr_SetString(PyExc_ImportError, "unsupported version of lxml: what makes its elements differs");
        return false;
    }
    memcpy(&element_of, &found, sizeof(found));
    return true;
}

static outcome add_elements(PyObject *found, PyObject *document, const xmlNode *root, const element_chain *wanted)
{
    for (const xmlNode *node = root; node != NULL; node = element_walk(node, root)) {
        outcome fits = node->type == XML_ELEMENT_NODE ? element_chain_fits(node, root, wanted) : UNDECIDED;
        if (fits == FAILED) return UNDECIDED; /* an attribute that is not a single text node */
        if (fits == UNDECIDED) continue;
        PyObject *element = element_of(document, (xmlNode *)node);
        int added = element != NULL ? PyList_Append(found, element) : -1;
        Py_XDECREF(element);
        if (added != 0) return FAILED;
    }
    return DONE;
}

PyObject *found_elements(PyObject *module, PyObject *arguments)
{
    PyObject *element, *chain, *children;
    int in_page;
    element_chain wanted = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO!O!p", &element, &PyTuple_Type, &chain, &PyTuple_Type, &children, &in_page))
        return NULL;
    if (!element_chain_read(chain, children, WITHIN, &wanted)) return NULL;
    const xmlNode *root = row_cells_node(element);
    if (root == NULL) return NULL;
    while (in_page && root->parent != NULL && root->parent->type == XML_ELEMENT_NODE) root = root->parent;
    PyObject *found = PyList_New(0);
    outcome made = found != NULL ? add_elements(found, row_cells_document(element), root, &wanted) : FAILED;
    if (made == UNDECIDED) Py_SETREF(found, Py_NewRef(Py_None));
    if (made == FAILED) Py_CLEAR(found);
    return found;
}
