// SPDX-License-Identifier: GPL-2.0-or-later
/* Has tcmalloc, if it is loaded before, tell who made its heap grow. */
#include <cstdio>
#include <cstdlib>
#include <string>

/* tcmalloc's, of which its header needs not be installed. */
class MallocExtension {
public:
	__attribute__((weak)) static MallocExtension *instance();
	__attribute__((weak)) void GetHeapGrowthStacks(std::string *);
};

static void *volatile kept[40];

__attribute__((noinline)) static void grow_big()
{
	for (int i = 0; i < 10; i++)
		kept[i] = malloc(4 << 20);
}

__attribute__((noinline)) static void grow_small()
{
	for (int i = 10; i < 40; i++)
		kept[i] = malloc(1 << 20);
}

int main()
{
	std::string stacks;

	if (!&MallocExtension::instance)
		return 77;
	grow_big();
	grow_small();
	MallocExtension::instance()->GetHeapGrowthStacks(&stacks);
	return fwrite(stacks.data(), 1, stacks.size(), stdout) != stacks.size();
}
