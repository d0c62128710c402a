/* Measures SDL2_mixer. It mixes only in SDL's thread, when SDL requests a block. SDL's disk
 * driver writes to /dev/null without waiting, so it requests blocks continuously. The measured
 * time begins at the end of the function of Mix_HookMusic, which SDL2_mixer calls before it
 * mixes the channels. It ends at the beginning of the function of Mix_SetPostMix, which
 * SDL2_mixer calls after that. */
#define _GNU_SOURCE
#include "peers.h"

#include <SDL.h>
#include <SDL_mixer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* CHECKED blocks are compared: those where the channels wrap around. The measurement begins
 * after them. */
enum { BEFORE = FRAMES / BLOCK - 2, CHECKED = 4 };

static struct {
	/* Written before asked is set, and read after done is posted. */
	Mix_Chunk *chunks;
	int voices;
	double slice;
	int priority;
	double runs[RUNS];
	float heard[CHECKED * BLOCK * 2];

	SDL_atomic_t asked;
	SDL_sem *done;

	/* Used only by SDL's thread. */
	int running, started, run;
	long block, blocks;
	double began, took;
} job;

static int volume_of(int i) { return 30 + i % 13 * 7; }
static int left_of(int i) { return (int)(127.5 * (1 - pan_of(i)) + 0.5); }
static int right_of(int i) { return (int)(127.5 * (1 + pan_of(i)) + 0.5); }

static void start(void) {
	Mix_HaltChannel(-1);
	if (Mix_AllocateChannels(job.voices) != job.voices)
		fail("SDL2_mixer: %d channels: %s", job.voices, Mix_GetError());
	for (int i = 0; i < job.voices; i++) {
		Mix_Volume(i, volume_of(i));
		if (Mix_PlayChannel(i, &job.chunks[i], -1) != i)
			fail("SDL2_mixer: channel %d: %s", i, Mix_GetError());
		if (!Mix_SetPanning(i, (Uint8)left_of(i), (Uint8)right_of(i)))
			fail("SDL2_mixer: pan of channel %d: %s", i, Mix_GetError());
	}
	job.running = 1;
	job.run = 0;
	job.block = job.blocks = 0;
	job.took = 0;
}

static void before_channels(void *unused, Uint8 *stream, int bytes) {
	(void)unused;
	(void)stream;
	(void)bytes;
	if (!job.started) {
		/* SDL has raised the priority of its thread; the other engines run with the usual one. */
		setpriority(PRIO_PROCESS, 0, job.priority);
		job.started = 1;
	}
	if (SDL_AtomicCAS(&job.asked, 1, 0))
		start();
	job.began = now();
}

static void after_channels(void *unused, Uint8 *stream, int bytes) {
	double took = now() - job.began;
	(void)unused;
	if (!job.running)
		return;
	if (bytes != BLOCK * 2 * (int)sizeof(float))
		fail("SDL2_mixer: a block of %d bytes", bytes);
	long checked = job.block++ - BEFORE;
	if (checked >= 0 && checked < CHECKED)
		memcpy(job.heard + checked * BLOCK * 2, stream, (size_t)bytes);
	if (checked < CHECKED)
		return;
	job.took += took;
	job.blocks++;
	if (job.took < job.slice)
		return;
	job.runs[job.run++] = job.took * 1e9 / (double)job.blocks / BLOCK / job.voices;
	job.took = 0;
	job.blocks = 0;
	if (job.run < RUNS)
		return;
	if (Mix_Playing(-1) != job.voices)
		fail("SDL2_mixer: %d of %d channels play", Mix_Playing(-1), job.voices);
	job.running = 0;
	SDL_SemPost(job.done);
}

/* check compares the output with a mix computed here. */
static void check(const char *name, const float *sounds, int n) {
	double *want = allocate(CHECKED * BLOCK * 2, sizeof *want);
	for (int i = 0; i < n; i++) {
		const float *x = sounds + (long)sound_of(i) * FRAMES * 4;
		double gain = volume_of(i) / (double)MIX_MAX_VOLUME / 255;
		for (int k = 0; k < CHECKED * BLOCK * 2; k++)
			want[k] += gain * (k % 2 ? right_of(i) : left_of(i)) * x[(long)at(place_of(i), BEFORE * BLOCK + k / 2) * 2 + k % 2];
	}
	same(name, n, job.heard, want, CHECKED * BLOCK * 2);
	free(want);
}

static void measure_case(const char *name, const float *sounds, int n, double slice) {
	job.chunks = allocate((unsigned long)n, sizeof *job.chunks);
	for (int i = 0; i < n; i++) {
		const float *x = sounds + (long)sound_of(i) * FRAMES * 4 + (long)place_of(i) * 2;
		Mix_Chunk c = {0, (Uint8 *)x, FRAMES * 2 * sizeof(float), MIX_MAX_VOLUME};
		job.chunks[i] = c;
	}
	job.voices = n;
	job.slice = slice;
	SDL_AtomicSet(&job.asked, 1);
	SDL_SemWait(job.done);
	check(name, sounds, n);
	row(name, n, median(job.runs), "");
	Mix_HaltChannel(-1);
	free(job.chunks);
}

/* twice returns sounds in stereo, as SDL2_mixer has them after loading, each of them twice in a
 * row. SDL2_mixer plays a chunk from its beginning, so a voice that begins in the middle of
 * a sound has a chunk that spans both copies. */
static float *twice(float *sounds, int channels) {
	float *all = allocate((unsigned long)SOUNDS * FRAMES * 4, sizeof *all);
	for (long s = 0; s < SOUNDS; s++)
		for (long f = 0; f < 2 * FRAMES; f++)
			for (int c = 0; c < 2; c++)
				all[(s * 2 * FRAMES + f) * 2 + c] = sounds[(s * FRAMES + f % FRAMES) * channels + c % channels];
	free(sounds);
	return all;
}

void measure_sdl(struct plan p) {
	setenv("SDL_AUDIODRIVER", "disk", 1);
	setenv("SDL_DISKAUDIOFILE", "/dev/null", 1);
	setenv("SDL_DISKAUDIODELAY", "0", 1);
	if (SDL_Init(SDL_INIT_AUDIO))
		fail("SDL: %s", SDL_GetError());
	job.priority = getpriority(PRIO_PROCESS, 0);
	job.done = SDL_CreateSemaphore(0);
	if (Mix_OpenAudioDevice(RATE, AUDIO_F32SYS, 2, BLOCK, NULL, 0))
		fail("SDL2_mixer: %s", Mix_GetError());
	int rate = 0, channels = 0;
	Uint16 format = 0;
	if (!Mix_QuerySpec(&rate, &format, &channels) || rate != RATE || format != AUDIO_F32SYS || channels != 2)
		fail("SDL2_mixer: opened with %d Hz, format %x, %d channels", rate, format, channels);
	Mix_HookMusic(before_channels, NULL);
	Mix_SetPostMix(after_channels, NULL);
	const SDL_version *v = Mix_Linked_Version();
	SDL_version sdl;
	SDL_GetVersion(&sdl);
	char version[64];
	snprintf(version, sizeof version, "%d.%d.%d, SDL %d.%d.%d", v->major, v->minor, v->patch, sdl.major, sdl.minor, sdl.patch);
	begin(version);
	float *mono = twice(noise(1), 1), *stereo = twice(noise(2), 2);
	for (int i = 0; i < p.count; i++) {
		measure_case("mono", mono, p.voices[i], p.slice);
		measure_case("stereo", stereo, p.voices[i], p.slice);
	}
	end();
	Mix_CloseAudio();
	SDL_Quit();
	free(mono);
	free(stereo);
}
