// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as JSON of V8, speedscope and the Firefox Profiler.  See driver.h. */
#include "driver.h"
#include "formats_reader.h"

const unsigned int fuzz_iterations = 20000;

const struct fuzz_seed fuzz_seeds[] = {
	SEED("{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\",\"url\":\"\"},"
	     "\"children\":[2]},{\"id\":2,\"callFrame\":{\"functionName\":\"f\\u0041\",\"url\":"
	     "\"file:///a.js\",\"lineNumber\":3},\"hitCount\":2,\"parent\":1}],\"startTime\":10,"
	     "\"endTime\":99,\"samples\":[2,2,9],\"timeDeltas\":[1,2,-3]}"),
	SEED("{\"head\":{\"callFrame\":{\"functionName\":\"(root)\",\"url\":\"\"},\"selfSize\":0,"
	     "\"id\":1,"
	     "\"children\":[{\"callFrame\":{\"functionName\":\"f\",\"url\":\"/"
	     "a.js\",\"lineNumber\":2},"
	     "\"selfSize\":4096,\"id\":2,\"children\":[]}]},\"samples\":[{\"size\":4096,\"nodeId\":"
	     "2}]}"),
	SEED("{\"traceEvents\":[{\"name\":\"Profile\",\"ph\":\"P\",\"pid\":1,\"tid\":2,\"id\":"
	     "\"0x1\","
	     "\"args\":{\"data\":{\"startTime\":5}}},{\"name\":\"ProfileChunk\",\"pid\":1,\"tid\":"
	     "3,"
	     "\"id\":\"0x1\",\"args\":{\"data\":{\"cpuProfile\":{\"nodes\":[{\"id\":1,"
	     "\"callFrame\":"
	     "{\"functionName\":\"(root)\"}},{\"id\":2,\"parent\":1,\"callFrame\":{"
	     "\"functionName\":\"f\"}}],"
	     "\"samples\":[2,2,1]},\"timeDeltas\":[1,2,-1]}}},{\"name\":\"thread_name\",\"pid\":1,"
	     "\"tid\":2,\"args\":{\"name\":\"main\"}}]}"),
	SEED("{\"shared\":{\"frames\":[{\"name\":\"a\",\"file\":\"b\",\"line\":3},{}]},"
	     "\"profiles\":"
	     "[{\"type\":\"sampled\",\"name\":\"x\",\"unit\":\"seconds\",\"samples\":[[0,1],[1],[]]"
	     ","
	     "\"weights\":[1.5,2,1e300]},{\"type\":\"evented\",\"unit\":\"none\",\"events\":["
	     "{\"type\":\"O\",\"frame\":0,\"at\":0},{\"type\":\"C\",\"frame\":0,\"at\":7}]}],"
	     "\"exporter\":\"oprofile 2\"}"),
	SEED("{\"meta\":{\"preprocessedProfileVersion\":57,\"startTime\":1.5,\"importedFrom\":"
	     "\"oprofile 2\"},\"libs\":[{\"path\":\"/x\"}],\"threads\":[{\"name\":\"a (b)\","
	     "\"processName\":\"a\",\"pid\":\"1\",\"tid\":2,\"samples\":{\"stack\":[1,0,null],"
	     "\"time\":[1,2,3],\"weight\":[1,-2,3],\"weightType\":\"bytes\"},\"stringArray\":["
	     "\"m\",\"w\"],\"funcTable\":{\"name\":[0,1],\"resource\":[-1,0]},\"resourceTable\":{"
	     "\"lib\":[0]},\"frameTable\":{\"func\":[0,1]},\"stackTable\":{\"prefix\":[null,0],"
	     "\"frame\":[0,1]}}]}"),
	SEED("{\"meta\":{\"version\":27,\"stackwalk\":1,\"startTime\":1.5},\"libs\":[{\"start\":"
	     "4096,\"end\":8192,"
	     "\"path\":\"/"
	     "x\"}],\"threads\":[{\"name\":\"a\",\"pid\":1,\"tid\":2,\"samples\":{\"schema\":{"
	     "\"stack\":0,\"time\":1},\"data\":[[1,2.5],[null,3]]},\"stackTable\":{\"schema\":{"
	     "\"prefix\":0,"
	     "\"frame\":1},\"data\":[[null,0],[0,1]]},\"frameTable\":{\"schema\":{\"location\":0},"
	     "\"data\":"
	     "[[0,[1,2]],[1]]},\"stringTable\":[\"0x1008\",\"f "
	     "(a.js:3:4)\"]}],\"processes\":[{\"libs\":[]}]}"),
	{0, 0},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct format *const writers[] = {&format_pprof, NULL};

	fuzz_read(&format_v8, writers, data, size);
	fuzz_read(&format_gecko, writers, data, size);
	fuzz_read(&format_v8_heap, writers, data, size);
	fuzz_read(&format_chrome_trace, writers, data, size);
	fuzz_read(&format_speedscope, writers, data, size);
	fuzz_read(&format_firefox, writers, data, size);
	return 0;
}
