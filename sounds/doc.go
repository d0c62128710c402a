// Package sounds makes files ready to play. It reads WAV, AIFF, FLAC, Ogg Vorbis,
// Opus and MP3, known by their content, folds them to mono or stereo, converts them once to the
// mixer's rate, and computes the loudness index by which the mixer chooses its victims.
//
//	library := sounds.NewLibrary(sounds.Options{Rate: 48000})
//	boom, err := library.LoadFile("sfx/boom.ogg")    // read once, whoever asks
//	step, err := library.LoadFS(assets, "step.wav")  // of an embed.FS, too
//	all, err := library.Load(ctx, sources...)        // many at a time
//	song, err := library.OpenStream(sounds.Source{File: "music/song.ogg"}, sounds.StreamOptions{})
//
// A stream is decoded while it plays, by a goroutine for each voice, in memory that does
// not depend on its length. Its frames are to the bit those of the loaded sound. A Queue
// plays several files without a gap. Library.StreamFrames plays frames that no file has.
// Library.Reload reads a file again; package watch calls it when a file changes on disk.
//
// All of it belongs to the control side: loading takes time and allocates. The result,
// a *voice.Sound, is immutable and shared by both sides.
//
// Files are not trusted. Limits bounds what a file may cost. A panic or a hang of a
// decoder ends in an error, no header is believed further than the data bears it out, and
// every checksum is verified. Damaged places are concealed and listed, or refused with Options.Strict. Limits.Isolate decodes files in another process, which is
// bounded from outside. An error is one line that names the sound and wraps ErrFormat,
// ErrDecode, ErrLimit, or the system's error.
//
// Decoding is exact: WAV, AIFF and FLAC to the bit, Vorbis, Opus and MP3 to a part in a
// million of full scale. Opus and MP3 come without the frames that their encoder added. From
// file to prepared sound the bits are the same on every machine.
package sounds
