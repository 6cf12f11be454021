/* parse: parses a page in UTF-8 with selectolax's lexbor and copies the tree into an xmlDoc of lxml's libxml2.
 *
 * Neither library is linked: both are looked up among the shared libraries that Python has loaded, so that the
 * process has only one libxml2. Longer than most files here, as C takes more lines.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dlfcn.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include <libxml/HTMLparser.h>
#include <libxml/dict.h>
#include <libxml/tree.h>
#include <libxml/valid.h>

#include "column_values.h"
#include "found_elements.h"
#include "kept_nodes.h"
#include "lexbor_view.h"
#include "record_values.h"
#include "row_cells.h"
#include "valid_utf8.h"

#define XML_FUNCTIONS(X)                                                 \
    X(xmlDoc *, htmlNewDocNoDtD, (const xmlChar *, const xmlChar *))     \
    X(void, xmlFreeDoc, (xmlDoc *))                                      \
    X(void, xmlFreeNode, (xmlNode *))                                    \
    X(xmlDict *, xmlDictCreate, (void))                                  \
    X(const xmlChar *, xmlDictLookup, (xmlDict *, const xmlChar *, int)) \
    X(int, xmlTextConcat, (xmlNode *, const xmlChar *, int))             \
    X(int, xmlIsID, (xmlDoc *, xmlNode *, xmlAttr *))                    \
    X(xmlID *, xmlAddID, (void *, xmlDoc *, const xmlChar *, xmlAttr *))

typedef struct {
#define X(result, name, arguments) result(*name) arguments;
    XML_FUNCTIONS(X)
#undef X
    xmlMallocFunc *malloc;
    xmlFreeFunc *free;
    const xmlChar *text, *comment;
} xml_api;

/* Set once, under the GIL, before the first parse; read-only afterwards. */
static lexbor_api lexbor;
static xml_api xml;
static bool connected = false;

/* A parser and the document that it builds. Kept between pages: a new document takes as long as parsing 1 KB. */
typedef struct {
    void *parser, *document;
} lexbor_pair;

static lexbor_pair spare = {NULL, NULL}; /* taken and put back under the GIL */

typedef enum { DONE, NO_MEMORY, TOO_DEEP, TOO_LARGE, TOO_BIG, TOO_SLOW, TOO_MANY, PARSER_FAILED } outcome;

enum {
    SHORT = 2 * sizeof(void *),  /* shorter texts are stored inside their node, as libxml2's parsers do */
    KNOWN_NAMES = 512,           /* smaller tag ids are lexbor's own and index a table */
    SEEK = 512,                  /* number of bytes after a chunk's end in which a `>` is searched */
    FREE_BYTES = 128 << 20,      /* memory of a tree that any page may use, */
    BYTES_PER_BYTE = 128,        /* and what it may use in addition for each of its bytes */
    BYTES_AT_ONCE = 96 << 20,    /* most bytes of attributes that the tags in a chunk can duplicate */
    MS_PER_MB = 1000,            /* CPU time in addition to `most_ms` */
    NODE_BYTES = 256,            /* at least what a node takes in lexbor: measured 66 to 227 */
    FIRST_BYTES = 1 << 20,       /* what lexbor allocates in advance */
    MOST_NAMES = 50000,          /* attributes of one tag, which cannot be interrupted: takes about 10 s */
    SPARE_BELOW = 1 << 20        /* a pair is not kept after a longer page, as it has large buffers */
};

typedef struct {
    xmlDoc *doc;
    const xmlChar *names[KNOWN_NAMES];
    lexbor_path path;
    size_t max_depth;
    size_t nodes, max_nodes;     /* elements, texts, comments and attributes */
    bool careful;                /* the page may contain characters that lxml rejects: check all texts */
    bool is_part;                /* only marked nodes are copied */
    size_t whole_from;           /* depth of the element that is copied with all its contents; 0: none */
} build;

/* ---- text that lxml accepts ---- */

static bool may_hold_refused(const unsigned char *page, size_t length)
{
    unsigned char found = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = page[i];
        found |= (byte < 0x20) & (byte != '\t') & (byte != '\n') & (byte != '\r');
        found |= byte == 0xEF;
    }
    if (found) return true;
    const unsigned char *end = page + length, *at = page;
    while ((at = memchr(at, '&', end - at)) != NULL) {
        if (++at < end && *at == '#') return true;
    }
    return false;
}

static bool is_refused(const unsigned char *at, size_t left)
{
    if (*at < 0x20) return *at != '\t' && *at != '\n' && *at != '\r' && *at != '\f';
    return *at == 0xEF && left > 2 && at[1] == 0xBF && (at[2] == 0xBE || at[2] == 0xBF);
}

/* Writes the text with form feeds as blanks and rejected characters as U+FFFD; returns its length. */
static size_t write_cleaned(xmlChar *to, const unsigned char *from, size_t length)
{
    size_t written = 0;
    for (size_t i = 0; i < length; i++) {
        if (is_refused(from + i, length - i)) {
            if (from[i] == 0xEF) i += 2;
            memcpy(to + written, "\xEF\xBF\xBD", 3);
            written += 3;
        } else {
            to[written++] = from[i] == '\f' ? ' ' : from[i];
        }
    }
    to[written] = 0;
    return written;
}

static size_t cleaned_length(const unsigned char *from, size_t length)
{
    size_t total = length;
    for (size_t i = 0; i < length; i++)
        if (from[i] < 0x20 && is_refused(from + i, length - i)) total += 2;
    return total;
}

/* ---- nodes ---- */

static void *zeroed(size_t size)
{
    void *memory = (*xml.malloc)(size);
    if (memory != NULL) memset(memory, 0, size);
    return memory;
}

static xmlNode *new_node(build *at, xmlElementType type, const xmlChar *name)
{
    xmlNode *node = zeroed(sizeof(xmlNode));
    if (node == NULL) return NULL;
    node->type = type;
    node->name = name;
    node->doc = at->doc;
    return node;
}

static xmlNode *new_text(build *at, xmlElementType type, const unsigned char *text, size_t length)
{
    xmlNode *node = new_node(at, type, type == XML_COMMENT_NODE ? xml.comment : xml.text);
    if (node == NULL) return NULL;
    size_t size = at->careful ? cleaned_length(text, length) : length;
    if (type == XML_TEXT_NODE && size < SHORT)
        node->content = (xmlChar *)&node->properties;
    else if ((node->content = (*xml.malloc)(size + 1)) == NULL) {
        xml.xmlFreeNode(node);
        return NULL;
    }
    if (at->careful) {
        write_cleaned(node->content, text, length);
    } else {
        memcpy(node->content, text, length);
        node->content[length] = 0;
    }
    return node;
}

static void append(xmlNode *parent, xmlNode *node)
{
    node->parent = parent;
    node->prev = parent->last;
    if (parent->last != NULL)
        parent->last->next = node;
    else
        parent->children = node;
    parent->last = node;
}

/* The name in lower case, with characters in `refused` as `_`, from the document's dictionary. */
static const xmlChar *name_of(build *at, const unsigned char *name, size_t length, const char *refused)
{
    xmlChar stack[256], *buffer = stack;
    if (length >= sizeof(stack) / 3 && (buffer = (*xml.malloc)(3 * length + 1)) == NULL) return NULL;
    size_t size = write_cleaned(buffer, name, length);
    for (size_t i = 0; i < size; i++) {
        if (buffer[i] >= 'A' && buffer[i] <= 'Z') buffer[i] += 'a' - 'A';
        if (*refused && strchr(refused, buffer[i]) != NULL) buffer[i] = '_';
    }
    const xmlChar *known = xml.xmlDictLookup(at->doc->dict, buffer, (int)size);
    if (buffer != stack) (*xml.free)(buffer);
    return known;
}

static const xmlChar *tag_of(build *at, lexbor_node *node)
{
    uintptr_t id = node->local_name;
    if (id < KNOWN_NAMES && at->names[id] != NULL) return at->names[id];
    size_t length = 0;
    const unsigned char *name = lexbor.lxb_dom_element_local_name((lexbor_element *)node, &length);
    const xmlChar *tag = name == NULL ? NULL : name_of(at, name, length, "&<\"'");
    if (id < KNOWN_NAMES) at->names[id] = tag;
    return tag;
}

static outcome add_attributes(build *at, xmlNode *element, lexbor_attr *from)
{
    xmlAttr *last = NULL;
    bool has_xmlns = false;
    for (; from != NULL; from = from->next) {
        size_t name_length = 0, length = 0;
        const unsigned char *name = lexbor.lxb_dom_attr_qualified_name(from, &name_length);
        if (name == NULL) return NO_MEMORY;
        if (name_length == 0 || name[0] == '{') continue;
        if (name_length == 5 && memcmp(name, "xmlns", 5) == 0) {
            if (has_xmlns) continue; /* lexbor keeps duplicates on foreign elements; the first one counts */
            has_xmlns = true;
        }
        const unsigned char *value = from->value ? lexbor.lxb_dom_attr_value_noi(from, &length) : NULL;
        xmlAttr *attr = zeroed(sizeof(xmlAttr));
        if (attr == NULL) return NO_MEMORY;
        attr->type = XML_ATTRIBUTE_NODE;
        attr->doc = at->doc;
        attr->parent = element;
        attr->prev = last;
        if (last != NULL)
            last->next = attr;
        else
            element->properties = attr;
        last = attr;
        at->nodes++;
        attr->name = name_of(at, name, name_length, "");
        xmlNode *text = new_text(at, XML_TEXT_NODE, value ? value : (const unsigned char *)"", value ? length : 0);
        if (attr->name == NULL || text == NULL) {
            if (text != NULL) xml.xmlFreeNode(text);
            return NO_MEMORY;
        }
        text->parent = (xmlNode *)attr;
        attr->children = attr->last = text;
        if ((name[0] == 'i' || name[0] == 'n') && xml.xmlIsID(at->doc, element, attr) == 1)
            xml.xmlAddID(NULL, at->doc, text->content, attr);
    }
    return DONE;
}

static outcome add_text(build *at, xmlNode *parent, lexbor_text *from)
{
    if (from->length == 0) return DONE;
    xmlNode *text = new_text(at, XML_TEXT_NODE, from->data, from->length), *last = parent->last;
    if (text == NULL) return NO_MEMORY;
    if (last == NULL || last->type != XML_TEXT_NODE) {
        append(parent, text);
        return DONE;
    }
    int failed = xml.xmlTextConcat(last, text->content, (int)strlen((char *)text->content));
    xml.xmlFreeNode(text);
    return failed ? NO_MEMORY : DONE;
}

static outcome add_comment(build *at, xmlNode *parent, const unsigned char *text, size_t length)
{
    xmlNode *comment = new_text(at, XML_COMMENT_NODE, text, length);
    if (comment == NULL) return NO_MEMORY;
    append(parent, comment);
    return DONE;
}

/* `<?php echo ?>` becomes a comment, as in HTML before processing instructions were added to the standard. */
static outcome add_instruction(build *at, xmlNode *parent, lexbor_instruction *from)
{
    size_t target = from->target_length, data = from->data.length, length = 1 + target + 1 + data;
    unsigned char *text = malloc(length);
    if (text == NULL) return NO_MEMORY;
    text[0] = '?';
    memcpy(text + 1, from->target, target);
    text[1 + target] = ' ';
    if (data > 0) memcpy(text + 1 + target + 1, from->data.data, data);
    outcome added = add_comment(at, parent, text, length);
    free(text);
    return added;
}

/* Adds the node; sets `element` if it is an element. */
static outcome add_node(build *at, xmlNode *parent, lexbor_node *node, xmlNode **element)
{
    *element = NULL;
    if (at->nodes > at->max_nodes) return TOO_LARGE;
    if (node->type == LEXBOR_TEXT || node->type == LEXBOR_COMMENT || node->type == LEXBOR_INSTRUCTION ||
        node->type == LEXBOR_ELEMENT)
        at->nodes++;
    if (node->type == LEXBOR_TEXT) return add_text(at, parent, (lexbor_text *)node);
    if (node->type == LEXBOR_COMMENT)
        return add_comment(at, parent, ((lexbor_text *)node)->data, ((lexbor_text *)node)->length);
    if (node->type == LEXBOR_INSTRUCTION) return add_instruction(at, parent, (lexbor_instruction *)node);
    if (node->type != LEXBOR_ELEMENT) return DONE;
    if (at->path.depth >= at->max_depth) return TOO_DEEP;
    const xmlChar *tag = tag_of(at, node);
    xmlNode *made = tag != NULL ? new_node(at, XML_ELEMENT_NODE, tag) : NULL;
    if (made == NULL) return NO_MEMORY;
    append(parent, made);
    *element = made;
    return add_attributes(at, made, ((lexbor_element *)node)->first_attr);
}

/* Whether a node of a marked tree is copied: an anchor, what is needed inside it, its siblings that are elements, its
 * ancestors. */
static bool is_kept(const build *at, const lexbor_node *node)
{
    if (!at->is_part || at->whole_from > 0 || at->path.depth == 0) return true;
    return node->type == LEXBOR_ELEMENT &&
           (marks_of(node) != 0 || (marks_of(at->path.nodes[at->path.depth - 1]) & HOLDS_ANCHOR));
}

static bool is_entered(build *at, const lexbor_node *node)
{
    if (!at->is_part || at->whole_from > 0) return true;
    if (marks_of(node) & WHOLE) at->whole_from = at->path.depth + 1;
    return marks_of(node) != 0;
}

static outcome add_tree(build *at, lexbor_node *document)
{
    xmlNode *parent = (xmlNode *)at->doc, *element;
    lexbor_node *node = document->first_child;
    while (true) {
        while (node == NULL) {
            if (at->path.depth == 0) return DONE;
            if (at->path.depth == at->whole_from) at->whole_from = 0;
            node = at->path.nodes[--at->path.depth]->next;
            parent = parent->parent;
        }
        if (!is_kept(at, node)) {
            node = node->next;
            continue;
        }
        outcome added = add_node(at, parent, node, &element);
        lexbor_node *inside = element != NULL ? lexbor_first_inside(&lexbor, node) : NULL;
        if (inside != NULL && !is_entered(at, node)) inside = NULL;
        if (added == DONE && inside != NULL) {
            added = lexbor_enter(&at->path, node) ? DONE : NO_MEMORY;
            parent = element;
        }
        if (added != DONE) return added;
        node = inside != NULL ? inside : node->next;
    }
}

typedef struct {
    size_t max_depth, max_nodes, chunk, most_ms;
    const keep_plan *plan; /* NULL: the whole page is copied */
} limits;

static outcome build_doc(lexbor_node *document, bool careful, const limits *limits, xmlDoc **result)
{
    build at = {.doc = xml.htmlNewDocNoDtD(NULL, NULL),
                .careful = careful,
                .max_depth = limits->max_depth,
                .max_nodes = limits->max_nodes};
    /* If marking failed, the whole page is copied, which reports what is wrong with it. */
    at.is_part = limits->plan != NULL && !careful &&
                 mark_kept(&lexbor, document, limits->plan, limits->max_depth, limits->max_nodes);
    if (at.doc == NULL) return NO_MEMORY;
    at.doc->dict = xml.xmlDictCreate();
    outcome built = at.doc->dict != NULL ? add_tree(&at, document) : NO_MEMORY;
    free(at.path.nodes);
    if (built == DONE && at.nodes > at.max_nodes) built = TOO_LARGE;
    if (built == DONE)
        *result = at.doc;
    else
        xml.xmlFreeDoc(at.doc);
    return built;
}

/* ---- parsing ---- */

/* The bytes in one of lexbor's memory pools, counted up to chunk `last`. */
typedef struct {
    lexbor_memory *memory;
    lexbor_chunk *last;
    size_t bytes, largest;
} tally;

static tally tally_of(void *mraw)
{
    return (tally){.memory = *(lexbor_memory **)mraw};
}

static size_t counted(tally *at)
{
    lexbor_chunk *chunk = at->last != NULL ? at->last->next : at->memory->first;
    for (; chunk != NULL; chunk = chunk->next) {
        at->bytes += chunk->size;
        if (chunk->size > at->largest) at->largest = chunk->size;
        at->last = chunk;
    }
    return at->bytes;
}

typedef struct {
    size_t most_ms, began, worked;
    bool is_long;
} stopwatch;

static size_t ms_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (size_t)now.tv_sec * 1000 + (size_t)now.tv_nsec / 1000000;
}

/* Whether half of the limit has passed on the wall clock, and then the other half in CPU time. CPU time does not
 * depend on other programs, but reading it is expensive, so it is read only once the page is slow. */
static bool is_over(stopwatch *at)
{
    if (ms_of(CLOCK_MONOTONIC_COARSE) - at->began <= at->most_ms / 2) return false;
    size_t worked = ms_of(CLOCK_THREAD_CPUTIME_ID);
    if (!at->is_long) {
        at->is_long = true;
        at->worked = worked;
    }
    return worked - at->worked > at->most_ms / 2;
}

/* lexbor's LXB_STATUS_ERROR_MEMORY_ALLOCATION. */
#define LEXBOR_NO_MEMORY 2

static outcome outcome_of(int status)
{
    if (status == 0) return DONE;
    return status == LEXBOR_NO_MEMORY ? NO_MEMORY : PARSER_FAILED;
}

/* Feeds the page in chunks that end after a `>` where possible; checks depth, memory and time after each.
 *
 * A tag can reopen the open elements with their attributes, so the longer attributes are, the smaller the chunks.
 */
static outcome feed(void *parser, void *document, const unsigned char *page, size_t length, const limits *limits)
{
    lexbor_tree *tree = lexbor.lxb_html_parser_tree_noi(parser);
    tally nodes = tally_of(lexbor.lxb_html_document_mraw_noi(document));
    tally texts = tally_of(lexbor.lxb_html_document_mraw_text_noi(document));
    size_t most = FREE_BYTES + length * BYTES_PER_BYTE, at = 0;
    stopwatch watch = {.most_ms = limits->most_ms + (length >> 20) * MS_PER_MB,
                       .began = ms_of(CLOCK_MONOTONIC_COARSE)};
    while (at < length) {
        size_t few = 3 * (BYTES_AT_ONCE / (texts.largest + 1)) + 3;
        size_t chunk = few < limits->chunk ? few : limits->chunk;
        size_t size = length - at < chunk ? length - at : chunk;
        size_t rest = length - at - size;
        const unsigned char *end = memchr(page + at + size, '>', rest < SEEK ? rest : SEEK);
        if (end != NULL && chunk > 1) size = end + 1 - (page + at);
        int status = lexbor.lxb_html_parse_chunk_process(parser, page + at, size);
        if (status != 0) return outcome_of(status);
        if (tree->open_elements->length / 2 > limits->max_depth + 32) return TOO_DEEP;
        if (counted(&nodes) > FIRST_BYTES && (counted(&nodes) - FIRST_BYTES) / NODE_BYTES > limits->max_nodes)
            return TOO_LARGE;
        if (counted(&nodes) + counted(&texts) > most) return TOO_BIG;
        if (is_over(&watch)) return TOO_SLOW;
        at += size;
    }
    return outcome_of(lexbor.lxb_html_parse_chunk_end(parser));
}

static bool is_letter(unsigned char byte)
{
    return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
}

static const unsigned char *behind(const unsigned char *at, const unsigned char *end, unsigned char mark)
{
    const unsigned char *found = memchr(at, mark, end - at);
    return found != NULL ? found + 1 : end;
}

/* Adds the possible attributes of the tag whose name starts at `at` to `names`; returns the end of the tag. */
static const unsigned char *tag_end(const unsigned char *at, const unsigned char *end, size_t *names)
{
    bool parted = false;
    for (; at < end && *at != '>'; at++) {
        if (*at <= ' ' || *at == '/') {
            parted = true;
        } else if ((*at == '"' || *at == '\'') && at[-1] == '=') {
            at = behind(at + 1, end, *at) - 1;
            parted = true;
        } else {
            *names += parted;
            parted = false;
        }
    }
    return at;
}

/* Whether a tag has too many attributes: lexbor compares each with all others. Scripts and styles have no tags. */
static bool has_too_many(const unsigned char *page, size_t length)
{
    const unsigned char *at = page, *end = page + length;
    if (length < 2 * MOST_NAMES) return false;
    while ((at = behind(at, end, '<')) < end) {
        if (!is_letter(*at)) continue;
        const unsigned char *name = at;
        size_t names = 0;
        at = tag_end(at, end, &names);
        if (names > MOST_NAMES) return true;
        bool is_script = at - name >= 6 && strncasecmp((const char *)name, "script", 6) == 0;
        bool is_style = at - name >= 5 && strncasecmp((const char *)name, "style", 5) == 0;
        while ((is_script || is_style) && at < end) {
            at = behind(at, end, '<');
            if (end - at > 6 && *at == '/' && strncasecmp((const char *)at + 1, is_script ? "scrip" : "style", 5) == 0)
                break;
        }
    }
    return false;
}

static void destroy_pair(lexbor_pair *pair)
{
    if (pair->document != NULL) lexbor.lxb_html_document_destroy(pair->document);
    if (pair->parser != NULL) lexbor.lxb_html_parser_destroy(pair->parser);
    *pair = (lexbor_pair){NULL, NULL};
}

/* Prepares the pair of an earlier page, or a new one, for a page. */
static bool begin_page(lexbor_pair *pair)
{
    if (pair->document != NULL) {
        lexbor.lxb_html_parser_clean(pair->parser);
        return lexbor.lxb_html_parse_chunk_prepare(pair->parser, pair->document) == 0;
    }
    pair->parser = lexbor.lxb_html_parser_create();
    if (pair->parser == NULL || lexbor.lxb_html_parser_init(pair->parser) != 0) return false;
    pair->document = lexbor.lxb_html_parse_chunk_begin(pair->parser);
    return pair->document != NULL;
}

/* `pair` is in/out: empty or the pair of an earlier page; afterwards the pair that can be kept, or empty. */
static outcome parse_page(const unsigned char *page, size_t length, const limits *limits, lexbor_pair *pair,
                          xmlDoc **result)
{
    outcome parsed = NO_MEMORY;
    if (has_too_many(page, length)) return TOO_MANY;
    if (begin_page(pair)) parsed = feed(pair->parser, pair->document, page, length, limits);
    if (parsed == DONE) parsed = build_doc(pair->document, may_hold_refused(page, length), limits, result);
    if (parsed != DONE || length >= SPARE_BELOW) {
        destroy_pair(pair);
        return parsed;
    }
    lexbor.lxb_html_document_clean(pair->document);
    ((lexbor_document *)pair->document)->mode = 0; /* which lexbor forgets to reset */
    return parsed;
}

/* ---- finding the libraries ---- */

static bool find_symbol(void *library, const char *name, void *target)
{
    void *symbol = dlsym(library, name);
    if (symbol == NULL) {
        PyErr_Format(PyExc_ImportError, "%s is not exported", name);
        return false;
    }
    memcpy(target, &symbol, sizeof(symbol));
    return true;
}

static void *loaded_library(const char *module_name)
{
    void *library = NULL;
    PyObject *module = PyImport_ImportModule(module_name);
    PyObject *path = module != NULL ? PyObject_GetAttrString(module, "__file__") : NULL;
    const char *name = path != NULL ? PyUnicode_AsUTF8(path) : NULL;
    if (name != NULL && (library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD)) == NULL)
        PyErr_Format(PyExc_ImportError, "%s is not among the loaded libraries", name);
    Py_XDECREF(path);
    Py_XDECREF(module);
    return library;
}

static bool find_functions(void)
{
    void *selectolax = loaded_library("selectolax.lexbor");
    void *lxml = selectolax != NULL ? loaded_library("lxml.etree") : NULL;
    if (lxml == NULL) return false;
#define X(result, name, arguments) if (!find_symbol(selectolax, #name, &lexbor.name)) return false;
    LEXBOR_FUNCTIONS(X)
#undef X
#define X(result, name, arguments) if (!find_symbol(lxml, #name, &xml.name)) return false;
    XML_FUNCTIONS(X)
#undef X
    return find_symbol(lxml, "xmlMalloc", &xml.malloc) && find_symbol(lxml, "xmlFree", &xml.free) &&
           find_symbol(lxml, "xmlStringText", &xml.text) && find_symbol(lxml, "xmlStringComment", &xml.comment);
}

/* The layout of xmlAttr differs between versions of libxml2. */
static bool same_libxml2(void)
{
    int major = 0, minor = 0;
    PyObject *etree = PyImport_ImportModule("lxml.etree");
    PyObject *version = etree != NULL ? PyObject_GetAttrString(etree, "LIBXML_VERSION") : NULL;
    Py_XDECREF(etree);
    if (version == NULL) return false;
    major = (int)PyLong_AsLong(PyTuple_GetItem(version, 0));
    minor = (int)PyLong_AsLong(PyTuple_GetItem(version, 1));
    Py_DECREF(version);
    if (PyErr_Occurred()) return false;
    if (major == LIBXML_VERSION / 10000 && minor == LIBXML_VERSION / 100 % 100) return true;
    PyErr_Format(PyExc_ImportError, "the bridge was built for libxml2 %s, but lxml has %d.%d; rebuild it",
                 LIBXML_DOTTED_VERSION, major, minor);
    return false;
}

static bool same_links(lexbor_node *node)
{
    return node != NULL && node->next == lexbor.lxb_dom_node_next_noi(node) &&
           node->parent == lexbor.lxb_dom_node_parent_noi(node) &&
           node->first_child == lexbor.lxb_dom_node_first_child_noi(node) &&
           node->local_name == lexbor.lxb_dom_node_tag_id_noi(node) &&
           node->type == lexbor.lxb_dom_node_type_noi(node);
}

static bool same_memory(void *mraw)
{
    lexbor_memory *memory = *(lexbor_memory **)mraw;
    size_t chunks = 0;
    for (lexbor_chunk *chunk = memory->first; chunk != NULL && chunks < 8; chunk = chunk->next, chunks++)
        if (chunk->data == NULL || chunk->length > chunk->size || chunk->size < memory->least) return false;
    return chunks == memory->chunks && chunks == lexbor.lexbor_mem_chunk_length_noi(memory);
}

/* Compares the struct layouts with lexbor's accessors on `<template a=b c=d>…`, from the outside inwards. */
static bool layout_fits(void *parser, lexbor_node *document)
{
    lexbor_tree *tree = lexbor.lxb_html_parser_tree_noi(parser);
    if (!same_memory(lexbor.lxb_html_document_mraw_noi(document))) return false;
    if (!same_memory(lexbor.lxb_html_document_mraw_text_noi(document))) return false;
    if (((lexbor_document *)document)->mode != 1) return false;
    lexbor_node *html = lexbor.lxb_dom_node_first_child_noi(document);
    lexbor_node *head = html != NULL ? lexbor.lxb_dom_node_first_child_noi(html) : NULL;
    lexbor_node *comment = head != NULL ? lexbor.lxb_dom_node_first_child_noi(head) : NULL;
    if (!same_links(html) || !same_links(head) || !same_links(comment)) return false;
    lexbor_text *text = (lexbor_text *)comment;
    if (text->length != 9 || memcmp(text->data, "of length", 9) != 0) return false;
    lexbor_element *element = (lexbor_element *)comment->next;
    if (!same_links(&element->node)) return false;
    lexbor_attr *attr = lexbor.lxb_dom_element_first_attribute_noi(element);
    if (attr == NULL || element->first_attr != attr) return false;
    if (attr->next == NULL || attr->next != lexbor.lxb_dom_element_next_attribute_noi(attr)) return false;
    uintptr_t content = (uintptr_t)element->template_content;
    if (content < 4096 || content % sizeof(void *) != 0) return false;
    if (element->template_content->type != LEXBOR_FRAGMENT) return false;
    lexbor_node *inside = element->template_content->first_child;
    if (!same_links(inside) || inside->parent != element->template_content) return false;
    lexbor.template_tag = element->node.local_name;
    lexbor.html_ns = element->node.ns;
    return tree->open_elements->length == 4 && tree->open_elements->list[0] == html &&
           tree->open_elements->list[3] == inside;
}

static bool layout_checked(void)
{
    static const char sample[] = "<head><!--of length--><template a=b c=d><i>";
    void *parser = lexbor.lxb_html_parser_create(), *document = NULL;
    bool fits = false;
    if (parser != NULL && lexbor.lxb_html_parser_init(parser) == 0)
        document = lexbor.lxb_html_parse_chunk_begin(parser);
    if (document != NULL && ((lexbor_document *)document)->mode == 0 &&
        lexbor.lxb_html_parse_chunk_process(parser, (const unsigned char *)sample, sizeof(sample) - 1) == 0)
        fits = layout_fits(parser, document);
    if (document != NULL) lexbor.lxb_html_document_destroy(document);
    if (parser != NULL) lexbor.lxb_html_parser_destroy(parser);
    if (!fits) PyErr_SetString(PyExc_ImportError, "unsupported version of selectolax: the layout of its nodes differs");
    return fits;
}

/* ---- the module ---- */

static void free_document(PyObject *capsule)
{
    void *doc = PyCapsule_GetPointer(capsule, "libxml2:xmlDoc");
    if (doc != NULL) xml.xmlFreeDoc(doc);
}

static PyObject *capsule_of(xmlDoc *doc)
{
    PyObject *capsule = PyCapsule_New(doc, "libxml2:xmlDoc", free_document);
    if (capsule == NULL) {
        xml.xmlFreeDoc(doc);
        return NULL;
    }
    if (PyCapsule_SetContext(capsule, "destructor:xmlFreeDoc") != 0) Py_CLEAR(capsule);
    return capsule;
}

static PyObject *parse(PyObject *module, PyObject *arguments, PyObject *named)
{
    static char *names[] = {"page", "max_depth", "max_nodes", "chunk", "most_ms", "anchors", NULL};
    Py_buffer page;
    Py_ssize_t max_depth, max_nodes, chunk = 4096, most_ms = 30000;
    PyObject *anchors = Py_None;
    keep_plan plan;
    xmlDoc *doc = NULL;
    outcome parsed;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(arguments, named, "y*nn|nnO", names, &page, &max_depth, &max_nodes, &chunk,
                                     &most_ms, &anchors))
        return NULL;
    if (anchors != Py_None && !keep_plan_of(anchors, &plan)) {
        PyBuffer_Release(&page);
        return NULL;
    }
    if (max_depth < 1 || max_nodes < 1 || chunk < 1 || most_ms < 1) {
        PyBuffer_Release(&page);
        return PyErr_Format(PyExc_ValueError, "max_depth, max_nodes, chunk and most_ms must be at least 1");
    }
    limits limits = {.max_depth = max_depth, .max_nodes = max_nodes, .chunk = chunk, .most_ms = most_ms,
                     .plan = anchors != Py_None ? &plan : NULL};
    lexbor_pair pair = spare;
    spare = (lexbor_pair){NULL, NULL};
    Py_BEGIN_ALLOW_THREADS
    parsed = parse_page(page.buf, page.len, &limits, &pair, &doc);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&page);
    if (spare.parser == NULL) spare = pair;
    else destroy_pair(&pair);
    switch (parsed) {
    case DONE: return capsule_of(doc);
    case NO_MEMORY: return PyErr_NoMemory();
    case TOO_DEEP: return PyErr_Format(PyExc_RecursionError, "too deep");
    case TOO_LARGE: return PyErr_Format(PyExc_BufferError, "too many nodes");
    case TOO_BIG: return PyErr_Format(PyExc_OverflowError, "repeats its open elements without end");
    case TOO_MANY: return PyErr_Format(PyExc_OverflowError, "has a tag of more than %d attributes", MOST_NAMES);
    case TOO_SLOW: return PyErr_Format(PyExc_OverflowError, "takes the parser longer than %zd s", most_ms / 1000);
    default: return PyErr_Format(PyExc_RuntimeError, "lexbor failed");
    }
}

static PyMethodDef methods[] = {
    {"parse", (PyCFunction)(void (*)(void))parse, METH_VARARGS | METH_KEYWORDS,
     "parse(page, max_depth, max_nodes, chunk=4096, most_ms=30000, anchors=None) -> capsule of an xmlDoc, for\n"
     "lxml.etree.adopt_external_document.\n\n"
     "anchors: tuple of (kind, name, joins_siblings, is_shallow, is_nested), see page_part.py; the tree has only\n"
     "what these need.\n"
     "page: valid UTF-8. Raises RecursionError (deeper than max_depth elements), BufferError (more than\n"
     "max_nodes elements, texts, comments and attributes), OverflowError (the tree takes far more memory than the\n"
     "page, or more CPU time than most_ms plus a second for each MB), MemoryError, RuntimeError (lexbor failed)."},
    {"is_utf8", valid_utf8, METH_O, "is_utf8(page) -> whether Python's strict decoder accepts it."},
    {"positions", row_cells_positions, METH_VARARGS,
     "positions(elements, of_type) -> list of their positions among their siblings, from 1."},
    {"cells", row_cells_cells, METH_VARARGS,
     "cells(rows, tag, full) -> for each row the texts of its children, or None if white space may be significant."},
    {"part", row_cells_part, METH_VARARGS,
     "part(rows, tag, full, first, stop) -> flat list of the cells' texts, or None if white space may be significant."},
    {"tails", row_cells_tails, METH_VARARGS,
     "tails(elements, tag, attribute) -> for each element the text or attribute of its child with the tag, a list\n"
     "if it has several, None if it has none; or None for all if white space may be significant."},
    {"column", column_values, METH_VARARGS,
     "column(blocks, chain, children, place, tag, attribute) -> (values, places): the text or attribute of each element\n"
     "of the chain, or of its children with the tag, by its position among its siblings, a list if there are several,\n"
     "and the positions of the lists; None if elements share a position or white space may be significant."},
    {"elements", found_elements, METH_VARARGS,
     "elements(root, chain, children, in_page) -> list of the elements that the chain finds from the root downwards, or\n"
     "with in_page on the whole page; None if Python must find them."},
    {"values_plan", record_values_plan, METH_VARARGS,
     "values_plan(targets, width, is_flat=False) -> a plan for values(); width is the number of fields of a record."},
    {"values", record_values, METH_VARARGS,
     "values(plan, roots) -> for each record a list of values for each field, or None if Python must evaluate it;\n"
     "with is_flat a tuple of the values of each record in which each field has one."},
    {NULL, NULL, 0, NULL}};

static int execute(PyObject *module)
{
    (void)module;
    if (!connected) connected = find_functions() && same_libxml2() && layout_checked() && row_cells_connected() &&
                                found_elements_connected();
    return connected ? 0 : -1;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, execute}, {0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "_bridge", .m_size = 0, .m_methods = methods, .m_slots = slots};

PyMODINIT_FUNC PyInit__bridge(void) { return PyModuleDef_Init(&definition); }
