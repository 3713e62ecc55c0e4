// SPDX-License-Identifier: GPL-2.0-or-later
// A profile of Java known by construction: 60 % of the time in heavy, 40 % in light.
//
//	java -XX:CompileCommand=quiet -XX:CompileCommand=dontinline,Split::* Split.java SECONDS
//
// prints its pid, and runs for that much CPU time of its thread.

import java.lang.management.ManagementFactory;
import java.util.concurrent.ThreadLocalRandom;

class Split {
	static double heavy(int iterations)
	{
		double value = 3;

		for (; iterations > 0; iterations--)
			value = Math.sqrt(Math.sqrt(Math.sqrt(Math.sqrt(value)))); // heavy's line
		return value;
	}

	static double light(int iterations)
	{
		double value = 3;

		for (; iterations > 0; iterations--)
			value = Math.sqrt(Math.sqrt(Math.sqrt(Math.sqrt(value)))); // light's line
		return value;
	}

	public static void main(String[] arguments)
	{
		double seconds = Double.parseDouble(arguments[0]), sum = 0;
		var threads = ManagementFactory.getThreadMXBean();

		System.out.println(ProcessHandle.current().pid());
		while (threads.getCurrentThreadCpuTime() < seconds * 1e9) {
			int part = 5000 + ThreadLocalRandom.current().nextInt(10000);

			sum += heavy(6 * part);
			sum += light(4 * part);
		}
		if (sum == 0)
			System.exit(1);
	}
}
