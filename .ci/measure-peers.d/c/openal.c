/* Measures OpenAL Soft, which renders into memory through ALC_SOFT_loopback, without a device
 * and without its own thread. */
#define _GNU_SOURCE
#include "peers.h"

#define AL_ALEXT_PROTOTYPES
#include <AL/al.h>
#include <AL/alc.h>
#include <AL/alext.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* Blocks to render before a comparison, until gains are constant and stopped sources are silent. */
enum { SETTLE = 4 };

static ALCdevice *device;

static void check(const char *what) {
	ALenum e = alGetError();
	if (e != AL_NO_ERROR)
		fail("OpenAL: %s: %s", what, alGetString(e));
}

static void open_device(int sources) {
	device = alcLoopbackOpenDeviceSOFT(NULL);
	if (!device)
		fail("OpenAL: no loopback device");
	const ALCint attributes[] = {
		ALC_FREQUENCY, RATE, ALC_FORMAT_CHANNELS_SOFT, ALC_STEREO_SOFT, ALC_FORMAT_TYPE_SOFT, ALC_FLOAT_SOFT,
		ALC_HRTF_SOFT, ALC_FALSE, ALC_OUTPUT_LIMITER_SOFT, ALC_FALSE, ALC_MAX_AUXILIARY_SENDS, 0,
		ALC_MONO_SOURCES, sources, ALC_STEREO_SOURCES, sources, 0};
	ALCcontext *c = alcCreateContext(device, attributes);
	if (!c || !alcMakeContextCurrent(c))
		fail("OpenAL: no context");
	ALCint rate = 0, hrtf = 1, limiter = 1;
	alcGetIntegerv(device, ALC_FREQUENCY, 1, &rate);
	alcGetIntegerv(device, ALC_HRTF_SOFT, 1, &hrtf);
	alcGetIntegerv(device, ALC_OUTPUT_LIMITER_SOFT, 1, &limiter);
	if (rate != RATE || hrtf || limiter)
		fail("OpenAL: rate %d, HRTF %d, limiter %d", rate, hrtf, limiter);
}

static void close_device(void) {
	ALCcontext *c = alcGetCurrentContext();
	alcMakeContextCurrent(NULL);
	alcDestroyContext(c);
	alcCloseDevice(device);
}

/* order_of returns 23 for "23rd order Sinc" and 0 for a name without an order. */
static int order_of(const char *name) { return strstr(name, "order") ? atoi(name) : 0; }

/* find_resampler returns the resampler for a case, or -1. It skips fast variants, which
 * interpolate their filter less. */
static int find_resampler(const char *name) {
	int n = alGetInteger(AL_NUM_RESAMPLERS_SOFT), found = -1, best = 0;
	for (int i = 0; i < n; i++) {
		const char *s = alGetStringiSOFT(AL_RESAMPLER_NAME_SOFT, i);
		if (!s || strstr(s, "ast"))
			continue;
		int order = order_of(s);
		if (!strcmp(name, "mono-linear") && !strcmp(s, "Linear"))
			found = i;
		else if (!strcmp(name, "mono-cubic") && found < 0 && (strstr(s, "ubic") || order == 4))
			found = i;
		else if (!strcmp(name, "mono-good") && order == 11)
			found = i;
		else if (!strcmp(name, "mono-best") && order > best)
			found = i, best = order;
	}
	return found;
}

static double gain_of(int i) { return pow(10, (-30 - i % 13) / 20.0); }

static void start(const ALuint *sources, int n, int first) {
	for (int i = 0; i < n; i++)
		alSourcei(sources[i], AL_SAMPLE_OFFSET, place_of(first + i));
	alSourcePlayv(n, sources);
	check("play");
}

/* settled renders SETTLE blocks and returns the next one. */
static void settled(float *block) {
	for (int i = 0; i <= SETTLE; i++)
		alcRenderSamplesSOFT(device, block, BLOCK);
}

/* scale returns the factor from want to got, which is a channel of an interleaved block. It
 * fails unless got is want times this factor. */
static double scale(const char *what, const float *got, const double *want) {
	double xy = 0, xx = 0, left = 0, all = 0;
	for (int i = 0; i < BLOCK; i++) {
		xy += got[2 * i] * want[i];
		xx += want[i] * want[i];
	}
	double g = xy / xx;
	for (int i = 0; i < BLOCK; i++) {
		left += pow(got[2 * i] - g * want[i], 2);
		all += pow(got[2 * i], 2);
	}
	if (!(left <= 1e-8 * all) || !(xx > 0))
		fail("OpenAL: %s: a single voice is not its sound (rest %g of %g)", what, left, all);
	return g;
}

/* check_law fails unless both gains of a stereo sound are 1, and the gains of mono sounds
 * move from left to right, with the same curve on both sides. */
static void check_law(const char *name, double law[][2], int channels, int n) {
	for (int i = 0; i < n; i++) {
		const double *g = law[i];
		int good = g[0] > -1e-3 && g[1] > -1e-3 && g[0] + g[1] > 0.9 && g[0] + g[1] < 1.5;
		if (channels == 2)
			good = fabs(g[0] - 1) < 1e-3 && fabs(g[1] - 1) < 1e-3;
		else if (20 - i < n)
			good = good && fabs(g[0] - law[20 - i][1]) < 1e-3 && fabs(g[1] - law[20 - i][0]) < 1e-3;
		if (channels == 1 && i > 0)
			good = good && g[0] < law[i - 1][0] + 1e-3 && g[1] > law[i - 1][1] - 1e-3;
		if (!good)
			fail("OpenAL: %s: voice %d has gains of %g and %g", name, i, g[0], g[1]);
	}
}

/* check_unity compares the output with a mix computed here. OpenAL has its own pan law, which
 * is measured with a single voice at each of the 21 positions. */
static void check_unity(const char *name, const float *sounds, int channels, const ALuint *sources, int n) {
	double law[21][2], one[BLOCK];
	float block[2 * BLOCK];
	long from = (long)SETTLE * BLOCK;
	for (int i = 0; i < 21 && i < n; i++) {
		const float *x = sounds + (long)sound_of(i) * FRAMES * channels;
		start(&sources[i], 1, i);
		settled(block);
		alSourceStop(sources[i]);
		for (int c = 0; c < 2; c++) {
			law[i][c] = 0;
			float loudest = 0;
			for (int k = 0; k < BLOCK; k++) {
				one[k] = gain_of(i) * x[(long)at(place_of(i), from + k) * channels + c % channels];
				loudest = fmaxf(loudest, fabsf(block[2 * k + c]));
			}
			if (loudest > 0)
				law[i][c] = scale(name, block + c, one);
		}
	}
	check_law(name, law, channels, n < 21 ? n : 21);
	double *want = allocate(2 * BLOCK, sizeof *want);
	for (int i = 0; i < n; i++) {
		const float *x = sounds + (long)sound_of(i) * FRAMES * channels;
		for (int k = 0; k < 2 * BLOCK; k++)
			want[k] += gain_of(i) * law[i % 21][k % 2] * x[(long)at(place_of(i), from + k / 2) * channels + k % 2 % channels];
	}
	start(sources, n, 0);
	settled(block);
	alSourceStopv(n, sources);
	same(name, n, block, want, 2 * BLOCK);
	free(want);
}

/* check_pitch compares the output with the sum of the same voices, each rendered alone. */
static void check_pitch(const char *name, const ALuint *sources, int n) {
	float block[2 * BLOCK];
	double *want = allocate(2 * BLOCK, sizeof *want);
	for (int i = 0; i < n; i++) {
		start(&sources[i], 1, i);
		settled(block);
		alSourceStop(sources[i]);
		for (int k = 0; k < 2 * BLOCK; k++)
			want[k] += block[k];
	}
	start(sources, n, 0);
	settled(block);
	alSourceStopv(n, sources);
	same(name, n, block, want, 2 * BLOCK);
	free(want);
}

/* impurity plays a sine at pitch 1.1. It returns the power of everything but the transposed sine,
 * in dB relative to the whole output. Steps are multiples of 2^-12 in old versions and of 2^-16
 * in new ones. */
static double impurity(double hertz, ALuint source) {
	float *x = allocate(FRAMES, sizeof *x), block[2 * BLOCK];
	for (int i = 0; i < FRAMES; i++)
		x[i] = (float)sin(2 * pi * hertz * i / RATE);
	ALuint buffer;
	alGenBuffers(1, &buffer);
	alBufferData(buffer, AL_FORMAT_MONO_FLOAT32, x, FRAMES * sizeof *x, RATE);
	free(x);
	ALint before = 0;
	alGetSourcei(source, AL_BUFFER, &before);
	alSourcei(source, AL_BUFFER, (ALint)buffer);
	start(&source, 1, 0);
	settled(block);
	alSourceStop(source);
	alSourcei(source, AL_BUFFER, before);
	alDeleteBuffers(1, &buffer);
	check("sine");
	const double steps[] = {1.1, round(1.1 * 4096) / 4096, round(1.1 * 65536) / 65536};
	double least = 1;
	for (int s = 0; s < 3; s++) {
		double w = 2 * pi * hertz * steps[s] / RATE, cc = 0, ss = 0, cs = 0, yc = 0, ys = 0, yy = 0;
		for (int i = 0; i < BLOCK; i++) {
			double c = cos(w * i), d = sin(w * i), y = block[2 * i];
			cc += c * c, ss += d * d, cs += c * d, yc += y * c, ys += y * d, yy += y * y;
		}
		double det = cc * ss - cs * cs, a = (yc * ss - ys * cs) / det, b = (ys * cc - yc * cs) / det;
		least = fmin(least, yy > 0 ? (yy - a * yc - b * ys) / yy : 1);
	}
	return 10 * log10(least);
}

static double measure(int n, double slice) {
	float block[2 * BLOCK];
	double runs[RUNS];
	for (int i = 0; i < 3; i++)
		alcRenderSamplesSOFT(device, block, BLOCK);
	for (int r = 0; r < RUNS; r++) {
		long blocks = 0;
		double begin = now(), took;
		do {
			alcRenderSamplesSOFT(device, block, BLOCK);
			blocks++;
			took = now() - begin;
		} while (took < slice);
		runs[r] = took * 1e9 / (double)blocks / BLOCK / n;
	}
	return median(runs);
}

static void measure_case(const char *name, int channels, const float *sounds, int n, double slice) {
	open_device(n);
	/* At unity no resampler is used. */
	double pitch = strchr(name, '-') ? 1.1 : 1;
	int resampler = pitch == 1 ? alGetInteger(AL_DEFAULT_RESAMPLER_SOFT) : find_resampler(name);
	if (resampler < 0)
		fail("OpenAL: no resampler for %s", name);
	ALuint buffers[SOUNDS], *sources = allocate((unsigned long)n, sizeof *sources);
	alGenBuffers(SOUNDS, buffers);
	for (int i = 0; i < SOUNDS; i++)
		alBufferData(buffers[i], channels == 1 ? AL_FORMAT_MONO_FLOAT32 : AL_FORMAT_STEREO_FLOAT32,
			     sounds + (long)i * FRAMES * channels, FRAMES * channels * (ALsizei)sizeof *sounds, RATE);
	check("buffers");
	alGenSources(n, sources);
	check("as many sources; `sources` in the file that ALSOFT_CONF names allows them");
	for (int i = 0; i < n; i++) {
		ALuint s = sources[i];
		alSourcei(s, AL_BUFFER, (ALint)buffers[sound_of(i)]);
		alSourcei(s, AL_LOOPING, AL_TRUE);
		alSourcef(s, AL_GAIN, (float)gain_of(i));
		alSourcef(s, AL_PITCH, (float)pitch);
		alSourcei(s, AL_SOURCE_RESAMPLER_SOFT, resampler);
		if (channels == 2) {
			alSourcei(s, AL_DIRECT_CHANNELS_SOFT, AL_TRUE);
			continue;
		}
		/* Beyond about 60 degrees the other channel is silent, and OpenAL does not mix it. */
		double angle = pan_of(i) * pi / 3;
		alSourcei(s, AL_SOURCE_RELATIVE, AL_TRUE);
		alSourcef(s, AL_ROLLOFF_FACTOR, 0);
		alSource3f(s, AL_POSITION, (float)sin(angle), 0, (float)-cos(angle));
	}
	ALint set = -1;
	alGetSourcei(sources[n - 1], AL_SOURCE_RESAMPLER_SOFT, &set);
	check("sources");
	if (set != resampler)
		fail("OpenAL: %s: resampler %d was asked for, %d is set", name, resampler, set);
	char with[128] = "";
	if (pitch == 1) {
		check_unity(name, sounds, channels, sources, n);
	} else {
		double rest = impurity(1000, sources[0]);
		if (!(rest < -40))
			fail("OpenAL: %s: 1 kHz at pitch 1.1 is not 1.1 kHz (rest %.1f dB)", name, rest);
		check_pitch(name, sources, n);
		snprintf(with, sizeof with, "%s %.0f dB", alGetStringiSOFT(AL_RESAMPLER_NAME_SOFT, resampler), impurity(10000, sources[0]));
	}
	start(sources, n, 0);
	double ns = measure(n, slice);
	ALint state = 0;
	for (int i = 0; i < n; i++) {
		alGetSourcei(sources[i], AL_SOURCE_STATE, &state);
		if (state != AL_PLAYING)
			fail("OpenAL: %s: voice %d of %d does not play", name, i, n);
	}
	row(name, n, ns, with);
	alSourceStopv(n, sources);
	alDeleteSources(n, sources);
	alDeleteBuffers(SOUNDS, buffers);
	free(sources);
	close_device();
}

void measure_openal(struct plan p) {
	open_device(1);
	if (!alIsExtensionPresent("AL_SOFT_source_resampler") || !alIsExtensionPresent("AL_EXT_FLOAT32") ||
	    !alIsExtensionPresent("AL_SOFT_direct_channels"))
		fail("OpenAL: this version lacks an extension: a newer one would be right");
	begin(alGetString(AL_VERSION));
	close_device();
	float *mono = noise(1), *stereo = noise(2);
	const char *cases[] = {"mono", "mono-linear", "mono-cubic", "mono-good", "mono-best"};
	for (int v = 0; v < p.count; v++) {
		for (int c = 0; c < 5; c++)
			measure_case(cases[c], 1, mono, p.voices[v], p.slice);
		measure_case("stereo", 2, stereo, p.voices[v], p.slice);
	}
	end();
	free(mono);
	free(stereo);
}
