/* What the peers in C share: the sounds, what is asked of every voice, the clock,
 * the rows that are printed. The same as cmd/internal/bench asks for. */
#ifndef PEERS_H
#define PEERS_H

enum { RATE = 48000, BLOCK = 512, SOUNDS = 16, FRAMES = 2 * RATE, RUNS = 7 };

/* How many voices to measure with, and how long a run takes at least, in seconds. */
struct plan {
	const int *voices;
	int count;
	double slice;
};

void measure_openal(struct plan p);
void measure_sdl(struct plan p);

/* noise returns SOUNDS * FRAMES frames of quiet noise. */
float *noise(int channels);

/* What voice i is asked for: its sound, the frame it begins at, its pan -1..1. */
int sound_of(int i);
int place_of(int i);
double pan_of(int i);

/* at returns the frame of a looping sound that begins at place, some frames later. */
int at(int place, long frames);

/* now is the monotonic clock in seconds. */
double now(void);

/* median sorts RUNS values. */
double median(double *runs);

/* same fails unless got is want to a ten thousandth of want's largest value. */
void same(const char *what, int voices, const float *got, const double *want, int values);

/* begin, row and end print what `voicepool bench --json` prints as far as the table
 * reads it; with is the resampler and what it adds to a sine of 10 kHz. */
void begin(const char *version);
void row(const char *name, int voices, double ns, const char *with);
void end(void);

/* fail ends the process with a message. */
void fail(const char *format, ...);

/* allocate fails instead of returning nothing; the memory is zeroed. */
void *allocate(unsigned long count, unsigned long size);

#endif
