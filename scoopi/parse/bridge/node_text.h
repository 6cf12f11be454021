/* Builds texts of libxml2's nodes; header-only, so that each file that includes it gets inlined copies. */
#ifndef SCOOPI_NODE_TEXT_H
#define SCOOPI_NODE_TEXT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <string.h>

#include <libxml/tree.h>

#include "lxml.etree.h"

enum { PRESERVING_LEVELS = 6 };

static inline bool is_named(const xmlNode *node, const char *name)
{
    return (char)*node->name == *name && node->ns == NULL && strcmp((const char *)node->name, name) == 0;
}

typedef struct {
    char *bytes;
    size_t length, room;
    bool blank_due; /* a blank goes before the next character, unless that is the first */
} text_buffer;

static inline bool add_bytes(text_buffer *text, const char *bytes, size_t length)
{
    if (text->room - text->length < length) {
        size_t room = 2 * (text->length + length) + 256;
        char *grown = PyMem_Realloc(text->bytes, room);
        if (grown == NULL) return false;
        text->bytes = grown;
        text->room = room;
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    return true;
}

/* Number of bytes at `at` that are white space (sets `*blank`) or invisible; 0 for a visible character. */
static inline size_t skipped(const unsigned char *at, bool *blank)
{
    *blank = true;
    if (*at == ' ' || (*at >= '\t' && *at <= '\r' && *at != '\v')) return 1;
    if (*at == 0xC2 && at[1] == 0xA0) return 2;
    *blank = false;
    if (*at == 0xC2 && at[1] == 0xAD) return 2;
    return *at == 0xE2 && at[1] == 0x80 && at[2] == 0x8B ? 3 : 0;
}

static inline bool add_collapsed(text_buffer *text, const unsigned char *at)
{
    while (*at) {
        bool blank;
        size_t skip = skipped(at, &blank);
        if (skip > 0) {
            text->blank_due |= blank;
            at += skip;
            continue;
        }
        const unsigned char *start = at;
        while (*at > ' ' && *at < 0x7F) at++;
        while (*at >= 0x7F && skipped(at, &blank) == 0) at++;
        if (at == start) at++; /* a control character that lxml accepts */
        if (text->blank_due && text->length > 0 && !add_bytes(text, " ", 1)) return false;
        text->blank_due = false;
        if (!add_bytes(text, (const char *)start, at - start)) return false;
    }
    return true;
}

static inline bool is_text(const xmlNode *node)
{
    return (node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE) && node->content != NULL;
}

static inline bool add_own_text(text_buffer *text, const xmlNode *element)
{
    if (is_named(element, "script") || is_named(element, "style")) return true;
    for (const xmlNode *child = element->children; child != NULL; child = child->next) {
        if (is_text(child) && !add_collapsed(text, child->content)) return false;
        if (child->type == XML_ELEMENT_NODE && is_named(child, "br")) text->blank_due = true;
    }
    return true;
}

static inline bool add_full_text(text_buffer *text, const xmlNode *element)
{
    const xmlNode *node = element->children;
    while (node != NULL) {
        if (is_text(node) && !add_bytes(text, (const char *)node->content, strlen((const char *)node->content)))
            return false;
        if (node->type == XML_ELEMENT_NODE && node->children != NULL) {
            node = node->children;
            continue;
        }
        while (node->next == NULL) {
            node = node->parent;
            if (node == element) return true;
        }
        node = node->next;
    }
    return true;
}

static inline bool preserves_blanks(const xmlNode *node)
{
    return is_named(node, "pre") || is_named(node, "plaintext") || is_named(node, "title") ||
           is_named(node, "textarea");
}

#endif
