// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An agent for Java: tells profilers the names and lines of the methods that the JVM compiles, and
 * the names of its own stubs.
 *
 *	java -agentpath:LIBDIR/oprofile/libjvmti_oprofile.so ...
 *
 * A method is "java.lang.String.indexOf(int)"; a line is that of the innermost method that is
 * inlined there, in "java/lang/String.java".  What fails here costs names, never the program: the
 * first failure to write is said once.
 */
#include <errno.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The JVM gives it beside methods: what is inlined where. */
#include <jvmticmlr.h>

#include "libop/base/array.h"
#include "opagent.h"

static op_agent_t agent;
static bool has_failed;

/* ---- text ---- */

/* A text that grows.  Without memory it ends early: a name is cut. */
struct text {
	char *bytes;
	size_t length, capacity;
};

static void jvmti_put(struct text *text, const char *bytes, size_t length)
{
	if (text->length + length + 1 > text->capacity) {
		size_t capacity = 2 * (text->length + length + 64);
		char *larger = realloc(text->bytes, capacity);

		if (!larger)
			return;
		text->bytes = larger;
		text->capacity = capacity;
	}
	memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
	text->bytes[text->length] = '\0';
}

static void put_string(struct text *text, const char *string)
{
	jvmti_put(text, string, strlen(string));
}

/* The type "Ljava/lang/String;" as "java.lang.String", or without its package.  Return: its end. */
static const char *put_class(struct text *text, const char *type, bool with_package)
{
	const char *end = strchr(type, ';');
	const char *begin = type + 1;

	if (!end)
		end = type + strlen(type);
	for (const char *at = begin; at < end && !with_package; at++)
		if (*at == '/')
			begin = at + 1;
	for (const char *at = begin; at < end; at++)
		jvmti_put(text, *at == '/' ? "." : at, 1);
	return *end ? end + 1 : end;
}

static const char *primitive(char type)
{
	switch (type) {
	case 'B':
		return "byte";
	case 'C':
		return "char";
	case 'D':
		return "double";
	case 'F':
		return "float";
	case 'I':
		return "int";
	case 'J':
		return "long";
	case 'S':
		return "short";
	case 'V':
		return "void";
	case 'Z':
		return "boolean";
	default:
		return "?";
	}
}

/* "[[I" as "int[][]".  Return: the end of the type. */
static const char *put_type(struct text *text, const char *type)
{
	size_t dimensions = strspn(type, "[");

	type += dimensions;
	if (*type == 'L') {
		type = put_class(text, type, false);
	} else if (*type) {
		put_string(text, primitive(*type));
		type++;
	}
	while (dimensions--)
		put_string(text, "[]");
	return type;
}

/* "(ILjava/lang/String;)V" as "(int, String)". */
static void put_arguments(struct text *text, const char *signature)
{
	const char *at = *signature == '(' ? signature + 1 : signature;
	bool is_first = true;

	put_string(text, "(");
	while (*at && *at != ')') {
		if (!is_first)
			put_string(text, ", ");
		at = put_type(text, at);
		is_first = false;
	}
	put_string(text, ")");
}

/* ---- methods ---- */

static void jvmti_release(jvmtiEnv *jvmti, void *memory)
{
	if (memory)
		(*jvmti)->Deallocate(jvmti, memory);
}

/* Return: the method's name, which the caller frees; NULL: the JVM does not say. */
static char *method_name(jvmtiEnv *jvmti, jmethodID method)
{
	char *class_name = NULL, *name = NULL, *signature = NULL;
	struct text text = {0};
	jclass class;

	if (!(*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) &&
	    !(*jvmti)->GetClassSignature(jvmti, class, &class_name, NULL) &&
	    !(*jvmti)->GetMethodName(jvmti, method, &name, &signature, NULL)) {
		put_class(&text, class_name, true);
		put_string(&text, ".");
		put_string(&text, name);
		put_arguments(&text, signature);
	}
	jvmti_release(jvmti, class_name);
	jvmti_release(jvmti, name);
	jvmti_release(jvmti, signature);
	return text.bytes;
}

/* Return: the file of the method's class below its package, which the caller frees, or NULL. */
static char *source_file(jvmtiEnv *jvmti, jmethodID method)
{
	char *class_name = NULL, *file = NULL, *slash;
	struct text text = {0};
	jclass class;

	if (!(*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) &&
	    !(*jvmti)->GetClassSignature(jvmti, class, &class_name, NULL) &&
	    !(*jvmti)->GetSourceFileName(jvmti, class, &file)) {
		slash = strrchr(class_name, '/');
		if (slash)
			jvmti_put(&text, class_name + 1, (size_t)(slash - class_name));
		put_string(&text, file);
	}
	jvmti_release(jvmti, class_name);
	jvmti_release(jvmti, file);
	return text.bytes;
}

/* ---- lines ---- */

/* What is known of a method while the lines of a compiled one are put together. */
struct method {
	jmethodID id;
	char *file; /* NULL: it has no lines */
	jvmtiLineNumberEntry *lines;
	jint n;
};

struct methods {
	struct method *items;
	size_t n;
};

static struct method *find_method(jvmtiEnv *jvmti, struct methods *methods, jmethodID id)
{
	struct method method = {.id = id}, *larger;

	for (size_t i = methods->n; i--;)
		if (methods->items[i].id == id)
			return &methods->items[i];
	larger = realloc(methods->items, (methods->n + 1) * sizeof(method));
	if (!larger)
		return NULL;
	methods->items = larger;
	if (!(*jvmti)->GetLineNumberTable(jvmti, id, &method.n, &method.lines))
		method.file = source_file(jvmti, id);
	larger[methods->n] = method;
	return &larger[methods->n++];
}

static void free_methods(jvmtiEnv *jvmti, struct methods *methods)
{
	for (size_t i = 0; i < methods->n; i++) {
		free(methods->items[i].file);
		jvmti_release(jvmti, methods->items[i].lines);
	}
	free(methods->items);
}

/* The line of a bytecode: that of the last entry up to it; entries are in any order.  0: none. */
static unsigned int line_of(const struct method *method, jlocation at)
{
	const jvmtiLineNumberEntry *found = NULL;

	for (jint i = 0; i < method->n; i++)
		if (method->lines[i].start_location <= at &&
		    (!found || method->lines[i].start_location > found->start_location))
			found = &method->lines[i];
	return found ? (unsigned int)found->line_number : 0;
}

struct lines {
	struct debug_line_info *items;
	size_t n, capacity;
	struct methods methods;
};

/* Files and methods go when the lines have been written, so that names can be theirs until then. */
static void add_line(jvmtiEnv *jvmti, struct lines *lines, const void *pc, jmethodID id,
		     jlocation at)
{
	const struct method *method = find_method(jvmti, &lines->methods, id);
	unsigned int line = method && method->file ? line_of(method, at) : 0;

	if (!line)
		return;
	if (lines->n == lines->capacity) {
		size_t capacity = 2 * lines->capacity + 64;
		void *larger = realloc(lines->items, capacity * sizeof(*lines->items));

		if (!larger)
			return;
		lines->items = larger;
		lines->capacity = capacity;
	}
	lines->items[lines->n++] = (struct debug_line_info){(uintptr_t)pc, line, method->file};
}

/* The innermost method of each place, with what is inlined; false if the JVM does not say. */
static bool add_inlined(jvmtiEnv *jvmti, struct lines *lines, const void *information)
{
	const jvmtiCompiledMethodLoadRecordHeader *head = information;

	for (; head; head = head->next) {
		const jvmtiCompiledMethodLoadInlineRecord *inlined = (const void *)head;

		if (head->kind != JVMTI_CMLR_INLINE_INFO || head->majorinfoversion != 1)
			continue;
		for (jint i = 0; i < inlined->numpcs; i++) {
			const PCStackInfo *place = &inlined->pcinfo[i];

			if (place->numstackframes > 0)
				add_line(jvmti, lines, place->pc, place->methods[0],
					 place->bcis[0]);
		}
		return true;
	}
	return false;
}

/* A record of the JVM for a place says where its code ends; that of ours where it begins. */
static void begin_lines(struct lines *lines, const void *code)
{
	unsigned long begin = (uintptr_t)code;

	for (size_t i = 0; i < lines->n; i++) {
		unsigned long end = lines->items[i].vma;

		lines->items[i].vma = begin;
		begin = end;
	}
}

/* ---- events ---- */

/* Names are missing from now on; that is said once. */
static void jvmti_check(int result)
{
	if (result && !__atomic_exchange_n(&has_failed, true, __ATOMIC_RELAXED))
		fprintf(stderr, "libjvmti_oprofile: cannot write names of methods: %s\n",
			strerror(errno));
}

static void JNICALL method_loaded(jvmtiEnv *jvmti, jmethodID id, jint size, const void *code,
				  jint n, const jvmtiAddrLocationMap *map, const void *information)
{
	char *name = method_name(jvmti, id);
	struct lines lines = {0};

	if (add_inlined(jvmti, &lines, information))
		begin_lines(&lines, code);
	else
		for (jint i = 0; map && i < n; i++)
			add_line(jvmti, &lines, map[i].start_address, id, map[i].location);
	if (size > 0) {
		jvmti_check(op_write_debug_line_info(agent, code, lines.n, lines.items));
		jvmti_check(op_write_native_code(agent, name ? name : "[unknown]", (uintptr_t)code,
						 code, (unsigned int)size));
	}
	free_methods(jvmti, &lines.methods);
	free(lines.items);
	free(name);
}

static void JNICALL method_unloaded(jvmtiEnv *jvmti, jmethodID id, const void *code)
{
	(void)jvmti;
	(void)id;
	jvmti_check(op_unload_native_code(agent, (uintptr_t)code));
}

static void JNICALL stub_generated(jvmtiEnv *jvmti, const char *name, const void *code, jint size)
{
	(void)jvmti;
	if (size > 0)
		jvmti_check(op_write_native_code(agent, name, (uintptr_t)code, code,
						 (unsigned int)size));
}

/* ---- begin and end ---- */

static int jvmti_refuse(const char *why)
{
	fprintf(stderr, "libjvmti_oprofile: error: %s\n", why);
	return JNI_ERR;
}

static jvmtiError listen_to(jvmtiEnv *jvmti)
{
	static const jvmtiEvent events[] = {JVMTI_EVENT_COMPILED_METHOD_LOAD,
					    JVMTI_EVENT_COMPILED_METHOD_UNLOAD,
					    JVMTI_EVENT_DYNAMIC_CODE_GENERATED};
	const jvmtiCapabilities wanted = {.can_generate_compiled_method_load_events = 1,
					  .can_get_line_numbers = 1,
					  .can_get_source_file_name = 1};
	const jvmtiEventCallbacks callbacks = {.CompiledMethodLoad = method_loaded,
					       .CompiledMethodUnload = method_unloaded,
					       .DynamicCodeGenerated = stub_generated};
	jvmtiError error = (*jvmti)->AddCapabilities(jvmti, &wanted);

	if (!error)
		error = (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks));
	for (size_t i = 0; !error && i < OP_ARRAY_SIZE(events); i++)
		error = (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, events[i], NULL);
	return error;
}

static jint jvmti_begin(JavaVM *jvm, const char *options, jvmtiEnv **jvmti)
{
	if (options && *options)
		return jvmti_refuse("it has no options");
	if (agent)
		return jvmti_refuse("it is loaded already");
	if ((*jvm)->GetEnv(jvm, (void **)jvmti, JVMTI_VERSION_1_1))
		return jvmti_refuse("this JVM has no JVMTI 1.1");
	agent = op_open_agent();
	if (!agent)
		return jvmti_refuse(strerror(errno));
	if (listen_to(*jvmti))
		return jvmti_refuse("this JVM does not tell what it compiles");
	return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *jvm, char *options, void *reserved)
{
	jvmtiEnv *jvmti;

	(void)reserved;
	return jvmti_begin(jvm, options, &jvmti);
}

/* Into a JVM that runs: it tells of all that it has compiled. */
JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *jvm, char *options, void *reserved)
{
	jvmtiEnv *jvmti;
	jint result = jvmti_begin(jvm, options, &jvmti);

	(void)reserved;
	if (result)
		return result;
	(*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
	(*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_COMPILED_METHOD_LOAD);
	return JNI_OK;
}

/* Threads of the JVM may still compile: the file stays open until the process has ended. */
JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *jvm)
{
	(void)jvm;
}
