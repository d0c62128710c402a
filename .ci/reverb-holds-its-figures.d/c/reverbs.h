/* The common part of the reverbs in C. */
#ifndef REVERBS_H
#define REVERBS_H

enum { RATE = 48000, BLOCK = 512, LENGTH = 3 * RATE, PLACES = 3 };

/* openal and freeverb write the responses and return nanoseconds per frame; openal returns them
 * with and without the reverb. */
void openal(double seconds, double slice, float out[PLACES][2 * LENGTH], double ns[2], char *version, int size);
double freeverb(double seconds, double damping, double slice, float out[PLACES][2 * LENGTH]);

/* least returns the shortest time of some runs of blocks, in nanoseconds per frame. */
double least(void (*block)(void *of), void *of, double slice);

/* noise fills data with quiet noise. */
void noise(float *data, long n);

/* fail ends the process with a message. */
void fail(const char *format, ...);

#endif
