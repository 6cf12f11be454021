/* Searches `class` attributes, the same way in lexbor's tree and in libxml2's. */
#ifndef SCOOPI_CLASS_LIST_H
#define SCOOPI_CLASS_LIST_H

#include <stdbool.h>
#include <stddef.h>

static inline bool is_class_separator(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\f' || byte == '\r';
}

static inline bool is_same_in_lower_case(const char *text, const char *lower, size_t length)
{
    for (size_t at = 0; at < length; at++)
        if ((text[at] >= 'A' && text[at] <= 'Z' ? text[at] + 32 : text[at]) != lower[at]) return false;
    return true;
}

/* Whether `wanted`, in lower case, is one of the classes in `value`; only ASCII letters are case-insensitive. */
static inline bool has_class(const char *value, size_t length, const char *wanted, size_t wanted_length)
{
    const char *end = value + length;
    for (const char *at = value; at < end; at++) {
        const char *begin = at;
        while (at < end && !is_class_separator(*at)) at++;
        if (at > begin && (size_t)(at - begin) == wanted_length && is_same_in_lower_case(begin, wanted, wanted_length))
            return true;
    }
    return false;
}

#endif
