/* What the reverbs in C share. */
#ifndef REVERBS_H
#define REVERBS_H

enum { RATE = 48000, BLOCK = 512, LENGTH = 3 * RATE, PLACES = 3 };

/* Both write the responses, and give nanoseconds a frame: openal with the reverb, and without it. */
void openal(double seconds, double slice, float out[PLACES][2 * LENGTH], double ns[2], char *version, int size);
double freeverb(double seconds, double damping, double slice, float out[PLACES][2 * LENGTH]);

/* least returns the least time of some runs of blocks, in nanoseconds a frame. */
double least(void (*block)(void *of), void *of, double slice);

/* noise fills data with quiet noise. */
void noise(float *data, long n);

/* fail ends the process with a message. */
void fail(const char *format, ...);

#endif
