// Main is a sound card that writes a file: it reads stereo float32 frames from standard input, 48,000 a second, and
// writes them as WAV to the file of its argument. The file appears when the input has ended and the WAV is complete.
package main

import (
	"encoding/binary"
	"errors"
	"io"
	"log"
	"os"
	"time"

	"voicepool/device/wav"
	"voicepool/pcm"
)

const period = 10 * time.Millisecond

func main() {
	if err := play(os.Stdin, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// play copies the frames of r to the file at path, one block per period.
func play(r io.Reader, path string) error {
	const rate = 48000
	file, err := wav.Create(path+".part", wav.Config{Rate: rate, Format: wav.F32})
	if err != nil {
		return err
	}
	block := make([]pcm.Frame, pcm.Frames(period, rate))
	for next := time.Now(); ; next = next.Add(period) {
		time.Sleep(time.Until(next))
		err := binary.Read(r, binary.LittleEndian, block)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return err
		}
		if err := file.Write(block); err != nil {
			return err
		}
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(path+".part", path)
}
