/* The parts of lexbor that the bridge uses: the first fields of its structs, and functions found in selectolax.
 *
 * The layouts are those of lexbor 2.x and 3.x; `layout_fits` compares them with lexbor's own accessor functions
 * before they are used.
 */
#ifndef SCOOPI_LEXBOR_VIEW_H
#define SCOOPI_LEXBOR_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { LEXBOR_ELEMENT = 1, LEXBOR_TEXT = 3, LEXBOR_INSTRUCTION = 7, LEXBOR_COMMENT = 8, LEXBOR_FRAGMENT = 11 };

typedef struct lexbor_node {
    void *events;
    uintptr_t local_name, prefix, ns;
    void *document;
    struct lexbor_node *next, *prev, *parent, *first_child, *last_child;
    void *user;
    int type;
} lexbor_node;

/* A document without a doctype is in quirks mode: 1; 0 and 2 are what doctypes make of it. */
typedef struct {
    lexbor_node node;
    int mode;
} lexbor_document;

typedef struct {
    lexbor_node node;
    unsigned char *data;
    size_t length;
} lexbor_text;

typedef struct {
    lexbor_text data;
    unsigned char *target;
    size_t target_length;
} lexbor_instruction;

typedef struct lexbor_attr {
    lexbor_node node;
    uintptr_t upper_name, qualified_name;
    void *value, *owner;
    struct lexbor_attr *next, *prev;
} lexbor_attr;

typedef struct {
    lexbor_node node;
    uintptr_t upper_name, qualified_name;
    void *is_value;
    lexbor_attr *first_attr, *last_attr, *id_attr, *class_attr;
    void *style, *list;
    int condition, custom_state;
    lexbor_node *template_content;
} lexbor_element;

typedef struct {
    void **list;
    size_t size, length;
} lexbor_array;

typedef struct lexbor_chunk {
    void *data;
    size_t length, size;
    struct lexbor_chunk *next, *prev;
} lexbor_chunk;

typedef struct {
    lexbor_chunk *last, *first;
    size_t least, chunks;
} lexbor_memory;

typedef struct {
    void *tokenizer, *document, *fragment, *form;
    lexbor_array *open_elements;
} lexbor_tree;

/* X(result, name, arguments) for every function of lexbor that is called. */
#define LEXBOR_FUNCTIONS(X)                                                            \
    X(void *, lxb_html_parser_create, (void))                                          \
    X(int, lxb_html_parser_init, (void *))                                             \
    X(void, lxb_html_parser_clean, (void *))                                           \
    X(void *, lxb_html_parser_destroy, (void *))                                       \
    X(void *, lxb_html_parser_tree_noi, (void *))                                      \
    X(void *, lxb_html_parse_chunk_begin, (void *))                                    \
    X(int, lxb_html_parse_chunk_prepare, (void *, void *))                             \
    X(int, lxb_html_parse_chunk_process, (void *, const unsigned char *, size_t))      \
    X(int, lxb_html_parse_chunk_end, (void *))                                         \
    X(void, lxb_html_document_clean, (void *))                                         \
    X(void *, lxb_html_document_destroy, (void *))                                     \
    X(void *, lxb_html_document_mraw_noi, (void *))                                    \
    X(void *, lxb_html_document_mraw_text_noi, (void *))                               \
    X(size_t, lexbor_mem_chunk_length_noi, (void *))                                   \
    X(lexbor_node *, lxb_dom_node_next_noi, (lexbor_node *))                           \
    X(lexbor_node *, lxb_dom_node_parent_noi, (lexbor_node *))                         \
    X(lexbor_node *, lxb_dom_node_first_child_noi, (lexbor_node *))                    \
    X(uintptr_t, lxb_dom_node_tag_id_noi, (lexbor_node *))                             \
    X(int, lxb_dom_node_type_noi, (lexbor_node *))                                     \
    X(lexbor_attr *, lxb_dom_element_first_attribute_noi, (lexbor_element *))          \
    X(lexbor_attr *, lxb_dom_element_next_attribute_noi, (lexbor_attr *))              \
    X(const unsigned char *, lxb_dom_element_local_name, (lexbor_element *, size_t *)) \
    X(const unsigned char *, lxb_dom_attr_qualified_name, (lexbor_attr *, size_t *))   \
    X(const unsigned char *, lxb_dom_attr_value_noi, (lexbor_attr *, size_t *))

typedef struct {
#define X(result, name, arguments) result(*name) arguments;
    LEXBOR_FUNCTIONS(X)
#undef X
    uintptr_t template_tag, html_ns;
} lexbor_api;

/* The ancestors of the current node, html first; the owner frees `nodes`. */
typedef struct {
    lexbor_node **nodes;
    size_t depth, room;
} lexbor_path;

/* Adds an element whose contents are walked next; false if memory runs out. */
static inline bool lexbor_enter(lexbor_path *path, lexbor_node *node)
{
    if (path->depth == path->room) {
        size_t room = path->room ? 2 * path->room : 64;
        lexbor_node **nodes = realloc(path->nodes, room * sizeof(*nodes));
        if (nodes == NULL) return false;
        path->nodes = nodes;
        path->room = room;
    }
    path->nodes[path->depth++] = node;
    return true;
}

/* The first node inside an element; for a template, of its content. */
static inline lexbor_node *lexbor_first_inside(const lexbor_api *lexbor, lexbor_node *node)
{
    if (node->local_name == lexbor->template_tag && node->ns == lexbor->html_ns) {
        lexbor_node *content = ((lexbor_element *)node)->template_content;
        if (content != NULL) return content->first_child;
    }
    return node->first_child;
}

#endif
