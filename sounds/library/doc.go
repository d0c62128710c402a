// Package library loads audio files for the mixer. It reads WAV, AIFF, FLAC, Ogg Vorbis, Opus and MP3, detected by
// content. It downmixes them to mono or stereo and converts them to the mixer's rate. It also computes a loudness
// index: how loud the rest of a sound is from each position on. When all voices of the mixer are in use, the mixer
// compares these values to choose the voice that it ends early for a new start.
//
//	lib := library.NewLibrary(library.Options{Rate: 48000})
//	boom, err := lib.LoadFile("sfx/boom.ogg")    // read once, also for concurrent calls
//	step, err := lib.LoadFS(assets, "step.wav")  // from an embed.FS
//	all, err := lib.Load(ctx, sources...)        // many at a time
//	song, err := lib.OpenStream(library.Source{File: "music/song.ogg"}, library.StreamOptions{})
//
// A stream is decoded while it plays, by one goroutine per voice, in memory that is independent of its length.
// Its frames have the same bits as the loaded sound. A Queue plays several files without a gap.
// Library.StreamFrames plays generated frames. Library.Reload reads a file again; package watch calls it when a
// file changes on disk.
//
// Loading takes time and allocates. Therefore all functions here are for the control side: every goroutine except the
// goroutine that mixes. The result, a *sounds.Sound, is immutable: any number of voices and mixers may play it at the
// same time.
//
// Files are untrusted. Limits bounds their size, length, memory and decoding time. A panic or a hang of a
// decoder becomes an error, headers are checked against the data, and checksums are verified. Damaged places
// are concealed and listed, or refused with Options.Strict. Limits.Isolate decodes files in a child process
// with resource limits. An error is one line that names the sound and wraps ErrFormat, ErrDecode, ErrLimit, or
// the system's error.
//
// Decoding is exact: WAV, AIFF and FLAC to the bit, Vorbis, Opus and MP3 to a millionth of full scale. The padding
// that Opus and MP3 encoders add is removed. Loading a file gives the same bits on every machine.
package library
