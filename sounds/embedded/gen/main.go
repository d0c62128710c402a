// Command gen generates the embedded sounds in the folder given as its argument. It encodes them with the
// program flac.
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"voicepool/sounds/embedded/gen/synth"
)

// main writes the FLAC files of all embedded sounds into a folder, the only argument of the program. It exits with 2
// for other arguments and with 1 after the first error.
func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gen FOLDER")
		os.Exit(2)
	}
	for _, r := range synth.Recipes() {
		if err := encode(r, filepath.Join(os.Args[1], r.Name+".flac")); err != nil {
			fmt.Fprintf(os.Stderr, "gen: %s: %v\n", r.Name, err)
			os.Exit(1)
		}
	}
}

// encode generates the sound of the recipe r and writes it to file as FLAC, with the program flac. An existing file
// is replaced. A loop gets the tags LOOPSTART and LOOPLENGTH, in frames. The error is of running flac, which prints
// its own messages to stderr.
func encode(r synth.Recipe, file string) error {
	channels := r.PCM()
	var samples []byte
	for i := range channels[0] {
		for _, c := range channels {
			samples = binary.LittleEndian.AppendUint16(samples, uint16(c[i]))
		}
	}
	args := []string{"--best", "--silent", "--force", "--no-padding", "--no-seektable",
		"--force-raw-format", "--endian=little", "--sign=signed", "--bps=16",
		"--sample-rate=" + strconv.Itoa(synth.Rate), "--channels=" + strconv.Itoa(len(channels)),
		"--output-name=" + file}
	if r.Loop {
		args = append(args, "--tag=LOOPSTART=0", "--tag=LOOPLENGTH="+strconv.Itoa(len(channels[0])))
	}
	flac := exec.Command("flac", append(args, "-")...)
	flac.Stdin, flac.Stderr = bytes.NewReader(samples), os.Stderr
	return flac.Run()
}
