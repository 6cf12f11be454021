/* label_values: finds labels by their text, and the siblings that hold their values.
 *
 * `dt:contains(Price) + dd` is a label `dt` and one step. A page with ten labels is walked once; the text of an
 * element is built once for all labels that it may be.
 */
#include "label_values.h"

/* Limit of the bytes of texts built for elements that contain others. Beyond it Python takes over, which caches the
 * texts that an element lacks. */
enum { MOST_SPENT = 1 << 18 };

bool label_read(PyObject *written, label *made)
{
    const char *text, *mode;
    int lower;
    Py_ssize_t length;
    PyObject *steps;
    if (!PyTuple_Check(written)) return PyErr_Format(PyExc_TypeError, "expected a tuple"), false;
    if (!PyArg_ParseTuple(written, "ssps#O!", &text, &mode, &lower, &made->literal, &length, &PyTuple_Type, &steps))
        return false;
    made->text = text[0];
    made->mode = mode[0];
    made->lower = lower;
    made->length = (size_t)length;
    made->steps = PyTuple_GET_SIZE(steps);
    if (made->steps > MOST_STEPS) return PyErr_Format(PyExc_ValueError, "too many steps"), false;
    for (Py_ssize_t at = 0; at < made->steps; at++) {
        PyObject *step = PyTuple_GET_ITEM(steps, at);
        if (!PyTuple_Check(step) || PyTuple_GET_SIZE(step) != 2 || !PyTuple_Check(PyTuple_GET_ITEM(step, 1)))
            return PyErr_Format(PyExc_TypeError, "a step is (kind, compound)"), false;
        const char *kind = PyUnicode_AsUTF8(PyTuple_GET_ITEM(step, 0));
        if (kind == NULL || !element_compound(PyTuple_GET_ITEM(step, 1), &made->beside[at])) return false;
        made->kind[at] = kind[0];
    }
    return true;
}

/* ---- texts ---- */

static label_answer lowered(text_buffer *text)
{
    bool is_ascii = true;
    for (size_t at = 0; at < text->length; at++) {
        unsigned char byte = (unsigned char)text->bytes[at];
        if (byte >= 'A' && byte <= 'Z') text->bytes[at] = (char)(byte + 32);
        is_ascii &= byte < 0x80;
    }
    if (is_ascii) return LABEL_YES;
    PyObject *decoded = PyUnicode_DecodeUTF8(text->bytes, (Py_ssize_t)text->length, NULL);
    PyObject *lower = decoded != NULL ? PyObject_CallMethod(decoded, "lower", NULL) : NULL;
    Py_ssize_t length = 0;
    const char *bytes = lower != NULL ? PyUnicode_AsUTF8AndSize(lower, &length) : NULL;
    text->length = 0;
    bool done = bytes != NULL && add_bytes(text, bytes, (size_t)length);
    if (bytes != NULL && !done) PyErr_NoMemory();
    Py_XDECREF(lower);
    Py_XDECREF(decoded);
    return done ? LABEL_YES : LABEL_ERROR;
}

static bool is_xml_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* Does what XPath's normalize-space() does, in place. */
static void normalize(text_buffer *text)
{
    size_t written = 0;
    bool blank = false;
    for (size_t at = 0; at < text->length; at++) {
        if (is_xml_blank(text->bytes[at])) {
            blank = true;
            continue;
        }
        if (blank && written > 0) text->bytes[written++] = ' ';
        blank = false;
        text->bytes[written++] = text->bytes[at];
    }
    text->length = written;
}

static bool has_elements(const xmlNode *node)
{
    for (const xmlNode *child = node->children; child != NULL; child = child->next)
        if (child->type == XML_ELEMENT_NODE) return true;
    return false;
}

static label_answer made_text(const label *wanted, const xmlNode *node, text_buffer *text, size_t *spent)
{
    bool is_raw = wanted->text == 'r' || wanted->text == 'n';
    bool again = wanted->text != 'o' && has_elements(node);
    if (again && *spent > MOST_SPENT) return LABEL_UNSURE;
    outcome made = seen_text(node, is_raw ? 'r' : wanted->text, text);
    if (again) *spent += text->length;
    if (made != DONE) return made == FAILED ? LABEL_ERROR : LABEL_UNSURE;
    if (wanted->text == 'n') normalize(text);
    return wanted->lower ? lowered(text) : LABEL_YES;
}

static bool compares(const label *wanted, const char *text, size_t length)
{
    if (length < wanted->length) return false;
    if (wanted->mode == 'e') return length == wanted->length && memcmp(text, wanted->literal, length) == 0;
    if (wanted->mode == 'p') return memcmp(text, wanted->literal, wanted->length) == 0;
    return memmem(text, length, wanted->literal, wanted->length) != NULL;
}

static label_answer in_text_child(const label *wanted, const xmlNode *node)
{
    for (const xmlNode *child = node->children; child != NULL; child = child->next) {
        if (!is_text(child)) continue;
        const char *text = (const char *)child->content;
        if (compares(wanted, text, strlen(text))) return LABEL_YES;
        if (wanted->text == 'f') break;
    }
    return LABEL_NO;
}

label_answer label_fits(const label *wanted, const xmlNode *node, label_texts *texts)
{
    if (wanted->text == 't' || wanted->text == 'f') return in_text_child(wanted, node);
    size_t at = wanted->text == 'o' ? 0 : wanted->text == 'v' ? 2 : wanted->text == 'r' ? 4 : 5;
    if (at < 4) at += wanted->lower;
    if (texts->known[at].node != node) {
        texts->known[at].node = node;
        texts->known[at].answer = made_text(wanted, node, &texts->known[at].text, &texts->spent);
    }
    if (texts->known[at].answer != LABEL_YES) return texts->known[at].answer;
    const text_buffer *text = &texts->known[at].text;
    return text->length > 0 && compares(wanted, text->bytes, text->length) ? LABEL_YES : LABEL_NO;
}

void label_texts_free(label_texts *texts)
{
    for (size_t at = 0; at < TEXT_KINDS; at++) PyMem_Free(texts->known[at].text.bytes);
}

/* ---- steps ---- */

static label_answer add_node(node_list *list, const xmlNode *node)
{
    if (list->length == list->room) {
        Py_ssize_t room = 2 * list->room + 16;
        const xmlNode **grown = PyMem_Realloc(list->nodes, (size_t)room * sizeof(*grown));
        if (grown == NULL) return PyErr_NoMemory(), LABEL_ERROR;
        list->nodes = grown;
        list->room = room;
    }
    list->nodes[list->length++] = node;
    return LABEL_YES;
}

static const xmlNode *next_element(const xmlNode *node)
{
    do node = node->next;
    while (node != NULL && node->type != XML_ELEMENT_NODE);
    return node;
}

/* Adds the following siblings that match: for kind `~` all, for `1` the first, for `+` only the next one. */
static label_answer add_beside(node_list *list, const xmlNode *node, char kind, const compound *wanted)
{
    while ((node = next_element(node)) != NULL) {
        outcome found = element_fits(node, wanted);
        if (found == FAILED) return LABEL_UNSURE;
        if (found == DONE && (list->length == 0 || list->nodes[list->length - 1] != node)) {
            label_answer added = add_node(list, node);
            if (added != LABEL_YES) return added;
        }
        if (kind == '+' || (kind == '1' && found == DONE)) break;
    }
    return LABEL_YES;
}

label_answer label_rest(const label *wanted, const xmlNode *node, node_list *found)
{
    node_list from = {0};
    label_answer answer = LABEL_YES;
    found->length = 0;
    if (wanted->steps == 0) return add_node(found, node);
    for (Py_ssize_t step = 0; step < wanted->steps && answer == LABEL_YES; step++) {
        char kind = wanted->kind[step];
        node_list swapped = from;
        from = *found;
        *found = swapped;
        found->length = 0;
        /* siblings after the first one include those after the others */
        Py_ssize_t count = step == 0 || (kind == '~' && from.length > 0) ? 1 : from.length;
        for (Py_ssize_t at = 0; at < count && answer == LABEL_YES; at++)
            answer = add_beside(found, step == 0 ? node : from.nodes[at], kind, &wanted->beside[step]);
    }
    PyMem_Free(from.nodes);
    return answer;
}
