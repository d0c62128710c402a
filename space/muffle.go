package space

// The limits and constants of muffling: the attenuation and the low-pass of a voice that is behind walls or
// objects, far away, or turned away from the listener. If several of these apply a low-pass, the one with
// the lowest cutoff is used.
const (
	MinCutoff = 20    // Hz
	MaxCutoff = 20000 // Hz

	// The gains in dB and the cutoffs in Hz of full occlusion and full obstruction (a value of 1). For
	// values between 0 and 1 the gain in dB is interpolated linearly from 0, and the cutoff linearly in
	// octaves from MaxCutoff. docs/effects.md has the sources of these numbers.
	OcclusionGain      = -24
	OcclusionLowPass   = 800
	ObstructionGain    = -12
	ObstructionLowPass = 2000

	maxAir = 1000 // metres per unit of length
)
