/* Measures the EAX reverb of OpenAL Soft, which renders into memory through ALC_SOFT_loopback. */
#include "reverbs.h"

#define AL_ALEXT_PROTOTYPES
#include <AL/al.h>
#include <AL/alc.h>
#include <AL/alext.h>
#include <AL/efx.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Frames between the start of a source and its impulse, until gains are constant. */
enum { BEFORE = 16 * BLOCK };

static ALCdevice *device;

static void check(const char *what) {
	ALenum e = alGetError();
	if (e != AL_NO_ERROR)
		fail("OpenAL: %s: %s", what, alGetString(e));
}

static void open_device(void) {
	device = alcLoopbackOpenDeviceSOFT(NULL);
	if (!device)
		fail("OpenAL: no loopback device");
	const ALCint attributes[] = {
		ALC_FREQUENCY, RATE, ALC_FORMAT_CHANNELS_SOFT, ALC_STEREO_SOFT, ALC_FORMAT_TYPE_SOFT, ALC_FLOAT_SOFT,
		ALC_HRTF_SOFT, ALC_FALSE, ALC_OUTPUT_LIMITER_SOFT, ALC_FALSE, ALC_MAX_AUXILIARY_SENDS, 1, 0};
	ALCcontext *c = alcCreateContext(device, attributes);
	if (!c || !alcMakeContextCurrent(c))
		fail("OpenAL: no context");
	ALCint rate = 0, sends = 0;
	alcGetIntegerv(device, ALC_FREQUENCY, 1, &rate);
	alcGetIntegerv(device, ALC_MAX_AUXILIARY_SENDS, 1, &sends);
	if (rate != RATE || sends < 1 || !alIsExtensionPresent("AL_EXT_FLOAT32"))
		fail("OpenAL: rate %d, %d sends", rate, sends);
}

static void close_device(void) {
	ALCcontext *c = alcGetCurrentContext();
	alcMakeContextCurrent(NULL);
	alcDestroyContext(c);
	alcCloseDevice(device);
}

/* reverb returns an effect slot with the given reverberation time at all frequencies. The settings that
 * attenuate high frequencies are off; the others have OpenAL's defaults. */
static ALuint reverb(double seconds) {
	ALuint effect, slot;
	alGenEffects(1, &effect);
	alEffecti(effect, AL_EFFECT_TYPE, AL_EFFECT_EAXREVERB);
	alEffectf(effect, AL_EAXREVERB_DECAY_TIME, (float)seconds);
	alEffectf(effect, AL_EAXREVERB_DECAY_HFRATIO, 1);
	alEffectf(effect, AL_EAXREVERB_DECAY_LFRATIO, 1);
	alEffectf(effect, AL_EAXREVERB_GAIN, 1);
	alEffectf(effect, AL_EAXREVERB_GAINHF, 1);
	alEffectf(effect, AL_EAXREVERB_AIR_ABSORPTION_GAINHF, AL_EAXREVERB_MAX_AIR_ABSORPTION_GAINHF);
	alEffecti(effect, AL_EAXREVERB_DECAY_HFLIMIT, AL_FALSE);
	alGenAuxiliaryEffectSlots(1, &slot);
	alAuxiliaryEffectSloti(slot, AL_EFFECTSLOT_EFFECT, (ALint)effect);
	check("reverb");
	return slot;
}

/* play plays a loop of samples at the position -1, 0 or 1. With a slot, the sound goes only to the slot. */
static ALuint play(const float *data, long frames, int place, ALuint slot) {
	ALuint buffer, source, filter;
	alGenBuffers(1, &buffer);
	alBufferData(buffer, AL_FORMAT_MONO_FLOAT32, data, (ALsizei)(frames * (long)sizeof *data), RATE);
	alGenSources(1, &source);
	alSourcei(source, AL_BUFFER, (ALint)buffer);
	alSourcei(source, AL_LOOPING, AL_TRUE);
	alSourcei(source, AL_SOURCE_RELATIVE, AL_TRUE);
	alSourcef(source, AL_ROLLOFF_FACTOR, 0);
	alSource3f(source, AL_POSITION, (float)place, 0, place == 0 ? -1 : 0);
	if (slot) {
		alGenFilters(1, &filter);
		alFilteri(filter, AL_FILTER_TYPE, AL_FILTER_LOWPASS);
		alFilterf(filter, AL_LOWPASS_GAIN, 0);
		alSourcei(source, AL_DIRECT_FILTER, (ALint)filter);
		alSource3i(source, AL_AUXILIARY_SEND_FILTER, (ALint)slot, 0, AL_FILTER_NULL);
	}
	alSourcePlay(source);
	check("source");
	return source;
}

static void block(void *of) { alcRenderSamplesSOFT(device, of, BLOCK); }

void openal(double seconds, double slice, float out[PLACES][2 * LENGTH], double ns[2], char *version, int size) {
	static float data[BEFORE + LENGTH], skipped[2 * BEFORE], rendered[2 * BLOCK];
	data[BEFORE] = 1;
	for (int p = 0; p < PLACES; p++) {
		open_device();
		snprintf(version, (size_t)size, "%s", alGetString(AL_VERSION));
		play(data, BEFORE + LENGTH, p == 0 ? 0 : 2 * p - 3, reverb(seconds));
		for (int i = 0; i < BEFORE; i += BLOCK)
			alcRenderSamplesSOFT(device, skipped + 2 * i, BLOCK);
		for (int i = 0; i < LENGTH; i += BLOCK)
			alcRenderSamplesSOFT(device, out[p] + 2 * i, LENGTH - i < BLOCK ? LENGTH - i : BLOCK);
		close_device();
	}
	noise(data, BEFORE + LENGTH);
	for (int without = 0; without < 2; without++) {
		open_device();
		play(data, BEFORE + LENGTH, 0, without ? 0 : reverb(seconds));
		for (int i = 0; i < 16; i++)
			block(rendered);
		ns[without] = least(block, rendered, slice);
		close_device();
	}
}
