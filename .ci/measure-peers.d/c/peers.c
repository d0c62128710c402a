/* peers measures other engines in the same way as `voicepool bench` measures voicepool.
 *
 *	peers openal|sdl MILLISECONDS VOICES...
 */
#define _GNU_SOURCE
#include "peers.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rows;

void fail(const char *format, ...) {
	va_list args;
	va_start(args, format);
	fputs("peers: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	/* Not exit, because SDL's thread may call this function. */
	_Exit(1);
}

void *allocate(unsigned long count, unsigned long size) {
	void *p = calloc(count, size);
	if (!p)
		fail("no memory for %lu x %lu bytes", count, size);
	return p;
}

float *noise(int channels) {
	long n = (long)SOUNDS * FRAMES * channels;
	float *data = allocate((unsigned long)n, sizeof *data);
	uint32_t x = 1;
	for (long i = 0; i < n; i++) {
		x = x * 1664525u + 1013904223u;
		data[i] = (float)(int32_t)x / 2147483648.0f / 64;
	}
	return data;
}

int sound_of(int i) { return i % SOUNDS; }
int place_of(int i) { return (int)((int64_t)i * 797 % FRAMES); }
double pan_of(int i) { return i % 21 / 10.0 - 1; }
int at(int place, long frames) { return (int)((place + frames) % FRAMES); }

double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int ascending(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double median(double *runs) {
	qsort(runs, RUNS, sizeof *runs, ascending);
	return (runs[(RUNS - 1) / 2] + runs[RUNS / 2]) / 2;
}

void same(const char *what, int voices, const float *got, const double *want, int values) {
	double peak = 0, worst = 0;
	for (int i = 0; i < values; i++) {
		double off = fabs(got[i] - want[i]);
		peak = fmax(peak, fabs(want[i]));
		/* Not fmax, which ignores NaN. */
		if (!(off <= worst))
			worst = off;
	}
	if (!(peak > 0) || !(worst <= peak * 1e-4))
		fail("%s, %d voices: the mix is off by %g, its peak is %g", what, voices, worst, peak);
}

void begin(const char *version) { printf("{\"version\": \"%s\", \"rows\": [", version); }

void row(const char *name, int voices, double ns, const char *with) {
	printf("%s\n{\"case\": \"%s\", \"voices\": %d, \"ns_per_voice_frame\": %.5f, \"with\": \"%s\"}",
	       rows++ ? "," : "", name, voices, ns, with);
}

void end(void) {
	puts("\n]}");
	if (fflush(stdout) || ferror(stdout))
		fail("cannot print");
}

int main(int argc, char **argv) {
	int voices[16], count = 0;
	if (argc < 4 || argc - 3 > (int)(sizeof voices / sizeof *voices))
		fail("usage: peers openal|sdl MILLISECONDS VOICES...");
	for (int i = 3; i < argc; i++) {
		voices[count] = atoi(argv[i]);
		if (voices[count] < 1 || voices[count] > 65536)
			fail("%s voices are not 1..65536", argv[i]);
		count++;
	}
	struct plan p = {voices, count, atof(argv[2]) / 1000};
	if (!strcmp(argv[1], "openal"))
		measure_openal(p);
	else if (!strcmp(argv[1], "sdl"))
		measure_sdl(p);
	else
		fail("%s: openal or sdl would be right", argv[1]);
	return 0;
}
