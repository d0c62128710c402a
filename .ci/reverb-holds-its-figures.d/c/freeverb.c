/* Freeverb, from its description in Julius O. Smith, "Physical Audio Signal Processing": eight comb
 * filters with a low-pass in the loop, followed by four all-pass filters. The filters of the right channel
 * are 23 samples longer. Lengths are for 44.1 kHz and are scaled to the rate. */
#include "reverbs.h"

#include <math.h>
#include <string.h>

enum { COMBS = 8, ALLPASSES = 4, SPREAD = 23, LONGEST = 2048 };

static const int combs[COMBS] = {1116, 1188, 1277, 1356, 1422, 1491, 1557, 1617};
static const int allpasses[ALLPASSES] = {556, 441, 341, 225};

struct line {
	float ring[LONGEST], low;
	int length, at;
};

static struct {
	struct line comb[2][COMBS], allpass[2][ALLPASSES];
	float feedback, damping;
} room;

static float comb(struct line *l, float x) {
	float y = l->ring[l->at];
	l->low = y * (1 - room.damping) + l->low * room.damping;
	l->ring[l->at] = x + l->low * room.feedback;
	if (++l->at == l->length)
		l->at = 0;
	return y;
}

static float allpass(struct line *l, float x) {
	float y = l->ring[l->at];
	l->ring[l->at] = x + y * 0.5f;
	if (++l->at == l->length)
		l->at = 0;
	return y - x;
}

static void process(const float *in, float *out, int frames) {
	for (int i = 0; i < frames; i++) {
		float x = (in[2 * i] + in[2 * i + 1]) * 0.015f;
		for (int c = 0; c < 2; c++) {
			float y = 0;
			for (int k = 0; k < COMBS; k++)
				y += comb(&room.comb[c][k], x);
			for (int k = 0; k < ALLPASSES; k++)
				y = allpass(&room.allpass[c][k], y);
			out[2 * i + c] = y;
		}
	}
}

/* empty resets the room. All combs have the same feedback, as in the original; it is computed for
 * their mean length. Without damping, all frequencies have the same reverberation time. */
static void empty(double seconds, double damping) {
	memset(&room, 0, sizeof room);
	room.damping = (float)damping;
	double mean = 0;
	for (int c = 0; c < 2; c++) {
		for (int k = 0; k < COMBS; k++) {
			room.comb[c][k].length = (int)((combs[k] + c * SPREAD) * (double)RATE / 44100);
			mean += room.comb[c][k].length / (2.0 * COMBS);
		}
		for (int k = 0; k < ALLPASSES; k++)
			room.allpass[c][k].length = (int)((allpasses[k] + c * SPREAD) * (double)RATE / 44100);
	}
	room.feedback = (float)pow(10, -3 * mean / RATE / seconds);
}

static float input[2 * BLOCK], output[2 * BLOCK];

static void block(void *of) {
	(void)of;
	process(input, output, BLOCK);
}

double freeverb(double seconds, double damping, double slice, float out[PLACES][2 * LENGTH]) {
	static float in[2 * LENGTH];
	for (int p = 0; p < PLACES; p++) {
		empty(seconds, damping);
		in[0] = p == 2 ? 0 : 1;
		in[1] = p == 1 ? 0 : 1;
		process(in, out[p], LENGTH);
	}
	noise(input, 2 * BLOCK);
	return least(block, 0, slice);
}
