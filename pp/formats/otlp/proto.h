/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of fields of OpenTelemetry's profiles, as far as they are written: version 1.10 of
 * opentelemetry-proto (August 2026), package opentelemetry.proto.profiles.v1development.
 *
 * "Development" means that numbers may change: what depends on the version is here, and the path of
 * the API in utils/oppush/api.c.
 */
#ifndef PP_FORMATS_OTLP_PROTO_H
#define PP_FORMATS_OTLP_PROTO_H

/* ProfilesData, which ExportProfilesServiceRequest is, too. */
enum { OTLP_RESOURCE_PROFILES = 1, OTLP_DICTIONARY };

enum { OTLP_RESOURCE = 1, OTLP_SCOPE_PROFILES };    /* ResourceProfiles */
enum { OTLP_RESOURCE_ATTRIBUTES = 1 };		    /* Resource */
enum { OTLP_KEY = 1, OTLP_VALUE };		    /* KeyValue, KeyValueAndUnit */
enum { OTLP_UNIT = 3 };				    /* KeyValueAndUnit */
enum { OTLP_STRING_VALUE = 1, OTLP_INT_VALUE = 3, OTLP_ARRAY_VALUE = 5 }; /* AnyValue */
enum { OTLP_ARRAY_VALUES = 1 };			    /* ArrayValue */
enum { OTLP_SCOPE = 1, OTLP_PROFILES };		    /* ScopeProfiles */
enum { OTLP_SCOPE_NAME = 1, OTLP_SCOPE_VERSION };   /* InstrumentationScope */

/* ProfilesDictionary: the tables; element 0 of each is the one that is nothing. */
enum otlp_table {
	OTLP_MAPPINGS = 1,
	OTLP_LOCATIONS,
	OTLP_FUNCTIONS,
	OTLP_LINKS,
	OTLP_STRINGS,
	OTLP_ATTRIBUTES,
	OTLP_STACKS,
	OTLP_TABLES_END
};

/* Profile */
enum {
	OTLP_SAMPLE_TYPE = 1,
	OTLP_SAMPLES,
	OTLP_TIME,
	OTLP_DURATION,
	OTLP_PERIOD_TYPE,
	OTLP_PERIOD,
	OTLP_PROFILE_ID,
	OTLP_PROFILE_ATTRIBUTES = 11
};

enum { OTLP_TYPE = 1, OTLP_TYPE_UNIT }; /* ValueType */
enum { OTLP_SAMPLE_STACK = 1, OTLP_SAMPLE_ATTRIBUTES, OTLP_SAMPLE_VALUES = 4 };

enum {
	OTLP_MAPPING_START = 1,
	OTLP_MAPPING_LIMIT,
	OTLP_MAPPING_OFFSET,
	OTLP_MAPPING_FILE,
	OTLP_MAPPING_ATTRIBUTES
};

enum {
	OTLP_LOCATION_MAPPING = 1,
	OTLP_LOCATION_ADDRESS,
	OTLP_LOCATION_LINES,
	OTLP_LOCATION_ATTRIBUTES
};

enum { OTLP_LINE_FUNCTION = 1, OTLP_LINE_LINE };
enum { OTLP_FUNCTION_NAME = 1, OTLP_FUNCTION_SYSTEM_NAME, OTLP_FUNCTION_FILE, OTLP_FUNCTION_LINE };
enum { OTLP_STACK_LOCATIONS = 1 };

#endif
