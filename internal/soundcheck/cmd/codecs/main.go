// Command codecs encodes a signal in many ways, decodes each file with package
// sounds and with other decoders, and compares them:
//
//	go run ./internal/soundcheck/cmd/codecs [-folder DIR] [-only FORMAT]
//
// It needs lame, mpg123, oggenc, oggdec, flac, sox and ffmpeg. It prints a line
// for each format and decoder, and exits 1 where lengths or samples differ by more
// than the tolerance. .ci/codecs says where each tolerance comes from.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	folder := flag.String("folder", "", "keep the files in this `folder`")
	only := flag.String("only", "", "this `format` alone: mp3, vorbis, flac, wav")
	flag.Parse()
	if err := run(*folder, *only); err != nil {
		fmt.Fprintln(os.Stderr, "codecs:", err)
		os.Exit(1)
	}
}

func run(folder, only string) error {
	if folder == "" {
		temporary, err := os.MkdirTemp("", "codecs.")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		folder = temporary
	}
	failed := 0
	for _, f := range formats {
		if only != "" && f.name != only {
			continue
		}
		n, err := f.check(folder)
		if err != nil {
			return err
		}
		failed += n
	}
	if failed > 0 {
		return fmt.Errorf("%d comparisons failed", failed)
	}
	return nil
}
