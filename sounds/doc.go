// Package sounds gets sounds ready to be played: it reads WAV, FLAC, Ogg Vorbis
// and MP3, whatever their names, folds them to mono or stereo, converts them once
// to the mixer's rate, and computes the loudness index by which a pool chooses
// its victims.
//
//	bank := sounds.NewBank(sounds.Options{Rate: 48000})
//	coin, err := bank.Embedded("coin")          // comes with the package
//	boom, err := bank.LoadFile("sfx/boom.ogg")  // read once, whoever asks
//	all, err := bank.Load(ctx, sources...)      // many at a time
//	song, err := bank.OpenStream(sounds.Source{File: "music/song.ogg"}, sounds.StreamOptions{})
//
// A stream is decoded as it plays, by a goroutine for each voice, in memory that
// does not depend on its length; what it gives is to the bit what the loaded
// sound has. A [Queue] is several of them without a gap, and
// [Bank.StreamFrames] one that no file has. [Bank.Reload] reads a file again, and
// package watch does so when it changes on disk.
//
// All of it belongs to the control side: loading takes time and allocates. What
// comes out, a *voice.Sound, is immutable and shared by both sides.
//
// Files are not trusted. [Limits] bounds what one may cost, every decoder runs
// where a panic or a hang ends in an error, headers are believed only as far as
// the data bears them out, and checksums are verified wherever a format has
// them. Where that is not enough, [Limits].Isolate has files decoded in a process
// of their own, which is bounded from outside. An error is one line that names the sound and wraps [ErrFormat],
// [ErrDecode], [ErrLimit], or what the system said.
//
// Decoding is exact: WAV and FLAC to the bit, Vorbis and MP3 to a part in a
// million of full scale, MP3 without the frames that its encoder added at both
// ends. From file to prepared sound the bits are the same on every machine.
package sounds
