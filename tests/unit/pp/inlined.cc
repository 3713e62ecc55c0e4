// SPDX-License-Identifier: GPL-2.0-or-later
// Code in which a compiler inlines a lot, over several levels: for tests of inlined functions.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace app
{
struct shape {
	int width, height;
	int area() const { return width * height; }
	bool operator<(const shape &other) const { return area() < other.area(); }
};

static inline __attribute__((always_inline)) int leaf(int x)
{
	int sum = 0;

	for (int i = 0; i < x; i++)
		sum += (i * x) ^ (i << 2);
	return sum;
}

static inline __attribute__((always_inline)) int middle(int x)
{
	return leaf(x) + leaf(x + 1) * 3;
}

__attribute__((noinline)) int hot(int x)
{
	return middle(x) - 1;
}

__attribute__((noinline)) int sort_shapes(int n)
{
	std::vector<shape> shapes;

	for (int i = 0; i < n; i++)
		shapes.push_back(shape{i % 7, hot(i % 13)});
	std::sort(shapes.begin(), shapes.end());
	return shapes[n / 2].area();
}

__attribute__((noinline)) size_t count_words(const std::string &text)
{
	std::map<std::string, int> words;
	std::string word;

	for (char c : text) {
		if (c != ' ') {
			word += c;
			continue;
		}
		words[word]++;
		word.clear();
	}
	return words.size();
}
} // namespace app

int main(int argc, char **argv)
{
	std::printf("%d %zu\n", app::sort_shapes(argc * 100), app::count_words(argv[0]));
	return 0;
}
