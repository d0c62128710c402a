/* reverbs writes the impulse responses of other reverbs and measures their speed.
 *
 *	reverbs openal|freeverb|undamped SECONDS MILLISECONDS FILE
 *
 * undamped is freeverb without damping. SECONDS is the requested reverberation time. FILE receives
 * a response of LENGTH frames of two floats for each position of the impulse: center, left and right.
 * Standard output receives the shortest of RUNS runs of MILLISECONDS each, in nanoseconds per
 * frame, the same without the reverb, and the version. */
#define _GNU_SOURCE
#include "reverbs.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 200 };

void fail(const char *format, ...) {
	va_list args;
	va_start(args, format);
	fputs("reverbs: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double least(void (*block)(void *of), void *of, double slice) {
	double best = 1e9;
	for (int r = 0; r < RUNS; r++) {
		long blocks = 0;
		double begin = now(), took;
		do {
			block(of);
			blocks++;
			took = now() - begin;
		} while (took < slice);
		double ns = took * 1e9 / (double)blocks / BLOCK;
		best = ns < best ? ns : best;
	}
	return best;
}

void noise(float *data, long n) {
	uint32_t x = 1;
	for (long i = 0; i < n; i++) {
		x = x * 1664525u + 1013904223u;
		data[i] = (float)(int32_t)x / 2147483648.0f / 8;
	}
}

int main(int argc, char **argv) {
	if (argc != 5)
		fail("usage: reverbs openal|freeverb|undamped SECONDS MILLISECONDS FILE");
	double seconds = atof(argv[2]), slice = atof(argv[3]) / 1000;
	static float out[PLACES][2 * LENGTH];
	char version[64] = "";
	double ns[2] = {0, 0};
	if (!strcmp(argv[1], "openal"))
		openal(seconds, slice, out, ns, version, sizeof version);
	else if (!strcmp(argv[1], "freeverb"))
		ns[0] = freeverb(seconds, 0.2, slice, out);
	else if (!strcmp(argv[1], "undamped"))
		ns[0] = freeverb(seconds, 0, slice, out);
	else
		fail("no reverb %s", argv[1]);
	FILE *f = fopen(argv[4], "wb");
	if (!f || fwrite(out, sizeof out, 1, f) != 1 || fclose(f))
		fail("%s cannot be written", argv[4]);
	printf("{\"Ns\":%.2f,\"Without\":%.2f,\"Version\":\"%s\"}\n", ns[0], ns[1], version);
	return 0;
}
