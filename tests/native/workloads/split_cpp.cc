// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A profile of C++ known by construction: 60 % of the time in Worker::heavy<int>, 40 % in an
 * overridden virtual function.
 *
 *	split_cpp SECONDS	runs for that much CPU time
 */
#include <cstdint>
#include <cstdlib>

#include "tests/vm/workloads/spin.h"

namespace work {

struct Base {
	virtual ~Base() = default;
	virtual void light(uint64_t iterations) = 0;
};

struct Worker : Base {
	template <typename T> WORKLOAD_FUNCTION void heavy(T iterations) { spin(iterations); }
	WORKLOAD_FUNCTION void light(uint64_t iterations) override { spin(iterations); }
};

} // namespace work

int main(int argc, char **argv)
{
	double seconds = argc == 2 ? atof(argv[1]) : 0;
	work::Worker worker;
	work::Base *base = &worker;

	if (seconds <= 0)
		return 2;
	while (cpu_seconds() < seconds) {
		uint64_t part = SPIN_CHUNK / 2 + static_cast<uint64_t>(random()) % SPIN_CHUNK;

		worker.heavy<uint64_t>(6 * part);
		base->light(4 * part);
	}
}
