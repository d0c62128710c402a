/* The common part of the engines in C: the sounds, the settings of the voices, the clock, and
 * the output. Sounds and settings are the same as in cmd/internal/lab/bench. */
#ifndef PEERS_H
#define PEERS_H

enum { RATE = 48000, BLOCK = 512, SOUNDS = 16, FRAMES = 2 * RATE, RUNS = 7 };

/* The numbers of voices to measure with, and the minimum length of a run in seconds. */
struct plan {
	const int *voices;
	int count;
	double slice;
};

void measure_openal(struct plan p);
void measure_sdl(struct plan p);

/* noise returns SOUNDS * FRAMES frames of quiet noise. */
float *noise(int channels);

/* The sound of voice i, the frame where it begins, and its pan in -1..1. */
int sound_of(int i);
int place_of(int i);
double pan_of(int i);

/* at returns the frame of a looped sound, some frames after it began at place. */
int at(int place, long frames);

/* now returns the monotonic clock in seconds. */
double now(void);

/* median returns the median of RUNS values, which it sorts. */
double median(double *runs);

/* same fails unless got equals want within 1/10,000 of want's peak. */
void same(const char *what, int voices, const float *got, const double *want, int values);

/* begin, row and end print the part of the output of `voicepool bench --json` that the table
 * needs. with is the resampler and its distortion of a 10 kHz sine. */
void begin(const char *version);
void row(const char *name, int voices, double ns, const char *with);
void end(void);

/* fail ends the process with a message. */
void fail(const char *format, ...);

/* allocate returns zeroed memory. It ends the process instead of returning NULL. */
void *allocate(unsigned long count, unsigned long size);

#endif
