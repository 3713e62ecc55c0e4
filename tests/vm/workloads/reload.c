// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Libraries that come and go at one address while they are busy:
 *
 *	reload TURNS MILLISECONDS LIBRARY...
 *
 * opens the libraries in turn with dlopen, runs reload_spin() in each for that much CPU time
 * and closes it at once.  Prints "LIBRARY ITERATIONS" for each: what it ran, whatever time a host
 * took away.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "spin.h"

int main(int argc, char **argv)
{
	int turns = argc > 3 ? atoi(argv[1]) : 0;
	double seconds = argc > 3 ? atof(argv[2]) / 1000 : 0;
	int libraries = argc - 3;
	uint64_t *iterations;

	if (turns < 1 || seconds <= 0) {
		fputs("usage: reload TURNS MILLISECONDS LIBRARY...\n", stderr);
		return 2;
	}
	iterations = calloc((size_t)libraries, sizeof(*iterations));
	if (!iterations)
		abort();
	for (int i = 0; i < turns; i++) {
		void *library = dlopen(argv[3 + i % libraries], RTLD_NOW | RTLD_LOCAL);
		void (*busy)(uint64_t) = library ? dlsym(library, "reload_spin") : NULL;
		double begin = cpu_seconds();

		if (!busy) {
			fprintf(stderr, "reload: %s\n", dlerror());
			return 1;
		}
		do {
			busy(SPIN_CHUNK);
			iterations[i % libraries] += SPIN_CHUNK;
		} while (cpu_seconds() - begin < seconds);
		dlclose(library);
	}
	for (int i = 0; i < libraries; i++)
		printf("%s %ju\n", argv[3 + i], (uintmax_t)iterations[i]);
	free(iterations);
	return 0;
}
