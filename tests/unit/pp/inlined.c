// SPDX-License-Identifier: GPL-2.0-or-later
/* Two functions of a few lines each: what is fuzzed. */
int work(int n);
int main(int argc, char **argv);

int work(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += i * n;
	return sum;
}

int main(int argc, char **argv)
{
	if (argc > 3)
		return work(argc);
	return argv[0][0];
}
